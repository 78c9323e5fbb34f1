"""What Spark counted while it ran a query, read off its physical plan."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanMetrics:
    """Sums over a finished query's plan. `rows` maps each view to the rows read from its store."""

    rows: Mapping[str, int]
    exchanges: int
    shuffle_bytes: int
    peak_memory_bytes: int


def plan_metrics(frame: "DataFrame") -> PlanMetrics:
    """Return the metrics of a frame whose action has ended.

    The plan is walked after adaptive execution has settled it; an exchange that is reused is
    counted once. Rows are those of the JDBC scans, by the alias given to each scan's query. Once a
    side of a join is seen to be empty, the settled plan no longer has what was read for the
    other: those operators are found in the initial plan.
    """
    rows: dict[str, int] = {}
    exchanges = shuffle_bytes = peak_memory_bytes = 0
    for node in _nodes(frame._jdf.queryExecution().executedPlan()):
        name = node.nodeName()
        metrics = node.metrics()
        if name.startswith("Scan JDBCRelation"):
            view = _view(name)
            rows[view] = rows.get(view, 0) + _metric(metrics, "numOutputRows")
        if name.endswith("Exchange") and _metric(metrics, "dataSize") > 0:
            exchanges += 1
            shuffle_bytes += _metric(metrics, "shuffleBytesWritten")
        peak_memory_bytes = max(peak_memory_bytes, _metric(metrics, "peakMemory"))
    return PlanMetrics(
        rows=rows,
        exchanges=exchanges,
        shuffle_bytes=shuffle_bytes,
        peak_memory_bytes=peak_memory_bytes,
    )


def _nodes(root: Any) -> Iterator[Any]:  # noqa: ANN401 - a Java object
    """Yield the operators that ran: into stages, caches and subqueries, not into reuses."""
    stack = [root]
    seen: set[int] = set()
    while stack:
        node = stack.pop()
        name = node.nodeName()
        if name in ("ReusedExchange", "ReusedSubquery") or node.id() in seen:
            continue
        seen.add(node.id())
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


def _each(sequence: Any) -> list[Any]:  # noqa: ANN401 - a Scala Seq
    return [sequence.apply(index) for index in range(sequence.size())]


def _metric(metrics: Any, name: str) -> int:  # noqa: ANN401 - a Scala Map
    found = metrics.get(name)
    return int(found.get().value()) if found.isDefined() else 0


def _view(name: str) -> str:
    """Return the alias at the end of ``Scan JDBCRelation((query) alias) [numPartitions=1]``."""
    text = name.rsplit(" [numPartitions", 1)[0].rstrip()
    return text.rstrip(")").rsplit(" ", 1)[-1].strip()
