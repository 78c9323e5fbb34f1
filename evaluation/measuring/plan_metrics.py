"""Spark's own counts for a query, read from its physical plan."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

NANO = 1e-9
_CATALOG_SCAN = "Scan JDBC v1 Relation from v2 scan"
_TABLE_SCAN = "BatchScan"
_TABLE = "DataSourceV2Relation"
_BROADCAST = "BroadcastExchange"
_ENDING = re.compile(r"(?P<view>[^\s()]+)\)?\s*(?:\[numPartitions=(?P<partitions>\d+)\]\s*)?$")
_ENDING_LENGTH = 200
_METRIC = re.compile(
    r"(?:^\w+\(|, )(?P<name>\w+) -> \w+\(id: (?P<counter>\d+), name: [^\n]*?,"
    r" value: (?P<value>-?\d+)\)"
)

Metrics = Mapping[str, tuple[int, int]]
"""Name of a metric → number of the accumulator behind it, and its value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanMetrics:
    """Counts of the scans of one view, added up over their tasks.

    `execute_s` is spent in the driver's executeQuery, `fetch_s` in its next() and in turning rows
    into Spark's. Neither has the connection, nor what Spark does with a row between two fetches.
    The scan of a store that runs no SQL tells as much of them as it counts.
    """

    rows: int = 0
    execute_s: float = 0.0
    fetch_s: float = 0.0
    partitions: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanMetrics:
    """Sums over a finished query's plan. `scans` maps each view to what was read from its store.

    `shuffle_records` and `shuffle_bytes` are written by exchanges; `exchanged_rows` are these
    records and the rows of broadcasts, each counted once. `spilled_bytes` are written by operators
    that had not enough memory. `peak_memory_bytes` is of the operator that has the largest, over
    all its tasks. `operators_memory_bytes` adds up what all operators held: the peaks of sorts and
    aggregations, and the tables that joins hash or broadcast, each counted once.
    """

    scans: Mapping[str, ScanMetrics] = field(default_factory=dict)
    exchanges: int = 0
    shuffle_records: int = 0
    exchanged_rows: int = 0
    shuffle_bytes: int = 0
    spilled_bytes: int = 0
    peak_memory_bytes: int = 0
    operators_memory_bytes: int = 0

    @property
    def rows(self) -> Mapping[str, int]:
        """View → the rows read from its store."""
        return {view: scan.rows for view, scan in self.scans.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogScan:
    """Counts of one scan of a store that is a catalog of Spark.

    `source` is the store's JDBC address, or the catalog's name where Spark scans the store itself.
    `columns` are those that were read.
    """

    source: str
    columns: tuple[str, ...]
    rows: int


def catalog_scans(frame: "DataFrame") -> list[CatalogScan]:
    """Return the scans of catalogs in a frame whose action has ended, each counted once."""
    counted: set[int] = set()
    found = []
    for node in _nodes(frame._jdf.queryExecution().executedPlan()):
        name = str(node.nodeName())
        if not name.startswith((_CATALOG_SCAN, _TABLE_SCAN)):
            continue
        metrics = _metrics(node)
        counter, rows = metrics["numOutputRows"]
        if counter in counted:
            continue
        counted.add(counter)
        by_jdbc = name.startswith(_CATALOG_SCAN)
        found.append(
            CatalogScan(
                source=node.relation().relation().jdbcOptions().url()
                if by_jdbc
                else str(node.table().name()).partition(".")[0],
                columns=tuple(str(each.name()) for each in _each(node.output())),
                rows=rows,
            )
        )
    return found


def scanned_tables(frame: "DataFrame") -> list[int]:
    """Return the numbers of the tables that a frame reads through a DataSource V2.

    They are the same in all plans that are made of the frame, and no other table's.
    """
    return [
        _number(frame, node.table())
        for node in _leaves(frame._jdf.queryExecution().analyzed())
        if node.getClass().getSimpleName() == _TABLE
    ]


def plan_metrics(
    frame: "DataFrame", views: Mapping[int, str] = MappingProxyType({})
) -> PlanMetrics:
    """Return the metrics of a frame whose action has ended.

    The plan is walked after adaptive execution has settled it; an exchange that is reused is
    counted once. Scans are told apart by the alias given to each scan's query, those of tables
    that a DataSource V2 reads by `views`: their `scanned_tables` and the view of each. Once a
    side of a join is seen to be empty, the settled plan no longer has what was read for the
    other: those operators are found in the initial plan.
    """
    scans: dict[str, ScanMetrics] = {}
    exchanges = shuffle_records = shuffle_bytes = spilled_bytes = peak_memory_bytes = 0
    exchanged_rows = operators_memory_bytes = 0
    counted: set[int] = set()
    for node in _nodes(frame._jdf.queryExecution().executedPlan()):
        name = node.nodeName()
        metrics = _metrics(node)
        if name.startswith("Scan JDBCRelation"):
            # The initial and the settled plan may hold two operators with one set of counters.
            counter, _ = metrics["numOutputRows"]
            if counter not in counted:
                counted.add(counter)
                _add(scans, *_view(name), metrics)
            continue
        if name.startswith(_TABLE_SCAN):
            view = views.get(_number(frame, node.table()))
            counter, _ = metrics["numOutputRows"]
            if view is not None and counter not in counted:
                counted.add(counter)
                _add(scans, view, int(node.inputPartitions().size()), metrics)
            continue
        if name == _BROADCAST:
            exchanged_rows += _metric(metrics, "numOutputRows")
            operators_memory_bytes += _metric(metrics, "dataSize")
        if name.endswith("Exchange"):
            if _metric(metrics, "dataSize") > 0:
                exchanges += 1
                shuffle_records += _metric(metrics, "shuffleRecordsWritten")
                exchanged_rows += _metric(metrics, "shuffleRecordsWritten")
                shuffle_bytes += _metric(metrics, "shuffleBytesWritten")
            continue
        spilled_bytes += _metric(metrics, "spillSize")
        peak_memory_bytes = max(peak_memory_bytes, _metric(metrics, "peakMemory"))
        operators_memory_bytes += _metric(metrics, "peakMemory")
        operators_memory_bytes += _metric(metrics, "buildDataSize")
    return PlanMetrics(
        scans=scans,
        exchanges=exchanges,
        shuffle_records=shuffle_records,
        exchanged_rows=exchanged_rows,
        shuffle_bytes=shuffle_bytes,
        spilled_bytes=spilled_bytes,
        peak_memory_bytes=peak_memory_bytes,
        operators_memory_bytes=operators_memory_bytes,
    )


def added_up(parts: Sequence[PlanMetrics]) -> PlanMetrics:
    """Return the metrics of several plans as those of one.

    Where several read the same view it is by one scan, which is counted once.
    """
    return PlanMetrics(
        scans={view: scan for each in parts for view, scan in each.scans.items()},
        exchanges=sum(each.exchanges for each in parts),
        shuffle_records=sum(each.shuffle_records for each in parts),
        exchanged_rows=sum(each.exchanged_rows for each in parts),
        shuffle_bytes=sum(each.shuffle_bytes for each in parts),
        spilled_bytes=sum(each.spilled_bytes for each in parts),
        peak_memory_bytes=max((each.peak_memory_bytes for each in parts), default=0),
        operators_memory_bytes=sum(each.operators_memory_bytes for each in parts),
    )


def _add(scans: dict[str, ScanMetrics], view: str, partitions: int, metrics: Metrics) -> None:
    """Add what one scan counted to its view's."""
    rows = _metric(metrics, "numOutputRows")
    execute_ns = _metric(metrics, "queryExecutionTime")
    before = scans.get(view, ScanMetrics())
    scans[view] = replace(
        before,
        rows=before.rows + rows,
        execute_s=before.execute_s + execute_ns * NANO,
        fetch_s=before.fetch_s + _metric(metrics, "fetchAndTransformToInternalRowsNs") * NANO,
        partitions=max(before.partitions, partitions if execute_ns > 0 or rows > 0 else 0),
    )


def _nodes(root: Any) -> Iterator[Any]:  # noqa: ANN401 - a Java object
    """Yield the operators that ran: into stages, caches and subqueries, not into reuses."""
    stack = [root]
    seen: set[int] = set()
    while stack:
        node = stack.pop()
        name, number = node.nodeName(), node.id()
        if name in ("ReusedExchange", "ReusedSubquery") or number in seen:
            continue
        seen.add(number)
        yield node
        if name == "AdaptiveSparkPlan":
            # The settled plan is taken from the stack, and so seen, first.
            stack += [node.initialPlan(), node.executedPlan()]
            continue
        if name.endswith("QueryStage"):
            stack.append(node.plan())
            continue
        if name.startswith("InMemoryTableScan"):
            stack.append(node.relation().cachedPlan())
        stack.extend(_each(node.children()))
        stack.extend(_each(node.subqueries()))


def _leaves(root: Any) -> Iterator[Any]:  # noqa: ANN401 - a Java object
    """Yield the leaves of a logical plan."""
    leaves = root.collectLeaves()
    yield from _each(leaves)


def _number(frame: "DataFrame", table: Any) -> int:  # noqa: ANN401 - a Java object
    """Return what tells a Java object from all others."""
    jvm: Any = frame.sparkSession._jvm
    return int(jvm.java.lang.System.identityHashCode(table))


def _each(sequence: Any) -> list[Any]:  # noqa: ANN401 - a Scala Seq
    return [sequence.apply(index) for index in range(sequence.size())]


def _metrics(node: Any) -> Metrics:  # noqa: ANN401 - a Java object
    """Return an operator's metrics.

    They are read from their text: to ask Java for each takes longer than many a query.
    """
    metrics = node.metrics()
    text = metrics.toString()
    found = {
        each["name"]: (int(each["counter"]), int(each["value"])) for each in _METRIC.finditer(text)
    }
    if len(found) == text.count(" -> "):
        return found
    pairs = ((each._1(), each._2()) for each in _each(metrics.toSeq()))
    return {name: (int(metric.id()), int(metric.value())) for name, metric in pairs}


def _metric(metrics: Metrics, name: str) -> int:
    """Return the value of a metric; 0 where an operator has none of the name."""
    _, value = metrics.get(name, (0, 0))
    return value


def _view(name: str) -> tuple[str, int]:
    """Return alias and partitions of ``Scan JDBCRelation((query) alias) [numPartitions=1]``."""
    # Before it are the statement and its keys, which may be megabytes without a space.
    found = _ENDING.search(name.rstrip()[-_ENDING_LENGTH:])
    if found is None:
        return "", 1
    return found["view"], int(found["partitions"] or 1)
