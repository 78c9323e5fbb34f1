"""The work of a block, wherever it runs: bytes read and rows made."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from placement.fragment import IndexRead, LookUp
from placement.fragments.index_findings import spared_once
from placement.fragments.index_reads import reads_by_filters, reads_by_joins
from placement.fragments.join_order import JoinOrder
from placement.fragments.look_ups import (
    FoundByKey,
    found_where_clustered,
    look_ups,
    spared_where_clustered,
)
from placement.fragments.row_look_ups import row_look_up
from placement.fragments.unpacked import joined_with, unpacked_values
from workloads.estimation.estimator import CardinalityEstimator
from workloads.footprint import Block, Footprint, Output, Source

_PAIR = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """The work of a block in a store that runs it whole, without the blocks below it.

    `read_bytes` are those of each source, as a row store and a column store read it.
    """

    look_ups: tuple[LookUp, ...]
    join_rows: float
    aggregate_rows: float
    conditions: float
    row_values: float
    spared_where_clustered: float
    read_bytes: tuple[tuple[float, float], ...]
    index_reads: tuple[IndexRead, ...]


class Works:
    """The work of each block of a query: told once, and added up for every block above.

    `are_read_once` says that no block is read by two others, nor twice by one.
    """

    def __init__(self, footprint: Footprint, estimator: CardinalityEstimator) -> None:
        self.estimator = estimator
        readers: Counter[str] = Counter()
        for block in footprint.blocks:
            inputs = Counter(block.inputs.values())
            readers.update(
                {child: max(1, inputs[child]) for child in dict.fromkeys(block.children)}
            )
        self.are_read_once = all(times == 1 for times in readers.values())
        self._known: dict[str, Work] = {}

    def of(self, block: Block) -> Work:
        """Return the work of a block."""
        if block.name not in self._known:
            estimator = self.estimator
            found_by_keys = look_ups_within(block, block.sources, estimator)
            clustered = found_where_clustered(block, block.sources, estimator)
            joined = estimator.joined_rows(block.name)
            self._known[block.name] = Work(
                look_ups=found_by_keys,
                join_rows=join_rows(block, estimator),
                aggregate_rows=aggregate_rows(block, estimator),
                conditions=block.output.conditions * joined,
                row_values=unpacked_values(
                    block, block.sources, estimator, rows=joined, others=joined_with(block)
                ),
                spared_where_clustered=spared_where_clustered(clustered),
                read_bytes=tuple(read_bytes((each,), estimator) for each in block.sources),
                index_reads=index_reads(block, block.sources, estimator, clustered, found_by_keys),
            )
        return self._known[block.name]


def readings(block: Block, below: Iterable[Block], works: Works) -> float:
    """Return the bytes that are read where each reader of a CTE computes it, to those read once."""
    if works.are_read_once:
        return 1.0
    blocks = tuple(below)
    readers: dict[str, list[Block]] = defaultdict(list)
    for reader in blocks:
        for child in dict.fromkeys(reader.children):
            readers[child].append(reader)
    times = {block.name: 1}

    def count(name: str) -> int:
        if name not in times:
            times[name] = 0  # What reads itself is counted where it is read from outside.
            times[name] = sum(
                count(reader.name) * max(1, list(reader.inputs.values()).count(name))
                for reader in readers[name]
            )
        return times[name]

    once = again = 0.0
    for inner in blocks:
        scan_bytes = sum((scan for scan, _ in works.of(inner).read_bytes), 0.0)
        once += scan_bytes
        again += scan_bytes * count(inner.name)
    return again / once if once else 1.0


def combines(block: Block) -> bool:
    """Whether a block joins: what is only handed on is no work of its own."""
    return block.kind != "set" and len(block.sources) + len(block.inputs) >= _PAIR


def look_ups_within(
    block: Block, sources: Sequence[Source], estimator: CardinalityEstimator
) -> tuple[LookUp, ...]:
    """Return the look-ups within some of a block's sources, of each source at most one.

    A whole key finds fewer rows than its first column does.
    """
    row = row_look_up(block, sources, estimator)
    found = look_ups(block, sources, estimator)
    if row is None:
        return found
    return (*(each for each in found if each.source != row.source), row)


def index_reads(
    block: Block,
    sources: Sequence[Source],
    estimator: CardinalityEstimator,
    clustered: Mapping[str, FoundByKey],
    found_by_keys: Sequence[LookUp],
) -> tuple[IndexRead, ...]:
    """Return the reads by indexes within some of a block's sources, which keys do not find."""
    looked_up = {each.source for each in found_by_keys}
    return (
        *reads_by_filters(block, sources, estimator, clustered, looked_up),
        *spared_once(reads_by_joins(block, sources, estimator, clustered), found_by_keys),
    )


def read_bytes(sources: Iterable[Source], estimator: CardinalityEstimator) -> tuple[float, float]:
    """Return the bytes that a row store and a column store read."""
    scan_bytes = column_bytes = 0.0
    for source in sources:
        table = estimator.table(source)
        scan_bytes += table.bytes
        column_bytes += table.rows * estimator.needed_bytes(source)
    return scan_bytes, column_bytes


def join_rows(block: Block, estimator: CardinalityEstimator) -> float:
    """Return the rows that enter a block's joins after filters, and those that leave the last."""
    if not combines(block):
        return 0.0
    aliases = [*(source.alias for source in block.sources), *block.inputs]
    return JoinOrder(block, estimator).joined_rows(aliases)


def aggregate_rows(block: Block, estimator: CardinalityEstimator) -> float:
    """Return the rows that enter a block's grouping, DISTINCT, window, set operation and sort.

    A single group needs no grouping, but where values are told apart: its aggregates are a part of
    reading the rows.
    """
    entering = estimator.joined_rows(block.name)
    output = block.output
    rows = 0.0
    if block.kind == "set":
        rows += 0.0 if block.set_operator == "union all" else entering
    elif output.group_by or output.distinct or _counts_distinct(output):
        rows += entering
    if "window" in block.features:
        rows += estimator.rows_before_limit(block.name)
    # Footprints hold no ORDER BY; a LIMIT without one makes little sense, so it stands for it.
    if output.limit is not None:
        rows += estimator.rows_before_limit(block.name)
    return rows


def _counts_distinct(output: Output) -> bool:
    return any((each.aggregate or "").endswith("_distinct") for each in output.columns)
