"""The hash joins of a fragment, and what else it holds, as far as is estimated beforehand."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from placement.fragment import Fragment
from placement.fragments.block_work import aggregate_rows
from placement.memory.hash_table import spilled_bytes, table_bytes
from placement.memory.join import HashJoin
from placement.stores import Capability
from workloads.estimation.estimator import CardinalityEstimator
from workloads.footprint import Block, Footprint

# Bytes in memory for each byte of a row's values, its headers and pointers with them.
_OVERHEAD = 4.0


def estimated_pipelines(
    fragment: Fragment, footprint: Footprint, estimator: CardinalityEstimator
) -> tuple[tuple[HashJoin, ...], ...]:
    """Return the joins of each block of a fragment that has several sources in it.

    Sources are joined one after another, as stores do: the largest begins, and the next is always
    the one that leaves the fewest rows. The smaller side is hashed. As long as that is the next
    source, rows go on to it, and all hash tables are alive at once. Where the rows so far are
    fewer, they are hashed, and a new pipeline begins. Rows are those after each source's own
    filters.
    """
    found: list[tuple[HashJoin, ...]] = []
    for block in footprint.blocks:
        aliases = [
            source.alias for source in block.sources if source.name in fragment.coverage.sources
        ]
        if len(aliases) > 1:
            found.extend(_pipelines(block.name, aliases, estimator))
    return tuple(found)


def held_bytes(fragment: Fragment, footprint: Footprint, estimator: CardinalityEstimator) -> float:
    """Return what the groupings and sorts of a fragment hold at most: those of one block.

    A block holds the rows that it has after its grouping, and before its LIMIT; one that counts
    distinct values sorts the rows before.
    """
    if fragment.kind not in (Capability.QUERY, Capability.BLOCK):
        return 0.0
    return max(
        (
            _held_rows(block, estimator) * estimator.width_of_block(block.name) * _OVERHEAD
            for block in footprint.below(fragment.coverage.block)
            if aggregate_rows(block, estimator)
        ),
        default=0.0,
    )


def _held_rows(block: Block, estimator: CardinalityEstimator) -> float:
    if any((each.aggregate or "").endswith("_distinct") for each in block.output.columns):
        return estimator.joined_rows(block.name)
    return estimator.rows_before_limit(block.name)


def _pipelines(
    block: str, aliases: Sequence[str], estimator: CardinalityEstimator
) -> Iterator[tuple[HashJoin, ...]]:
    sides = {alias: _side(block, (alias,), estimator) for alias in aliases}
    first = max(aliases, key=lambda alias: sides[alias].rows)
    joined, left = sides[first], [alias for alias in aliases if alias != first]
    pipeline: list[HashJoin] = []
    while left:
        found = [_side(block, (*joined.aliases, alias), estimator) for alias in left]
        after = min(found, key=lambda side: side.rows)
        added = sides[after.aliases[-1]]
        left.remove(after.aliases[-1])
        if added.rows <= joined.rows:
            pipeline.append(_join(build=added, probe=joined, joined_rows=after.rows))
        else:
            if pipeline:
                yield tuple(pipeline)
            pipeline = [_join(build=joined, probe=added, joined_rows=after.rows)]
        joined = after
    yield tuple(pipeline)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Side:
    """One side of a join: sources that are joined already, with their rows and a row's bytes."""

    aliases: tuple[str, ...]
    rows: float
    width: float


def _side(block: str, aliases: tuple[str, ...], estimator: CardinalityEstimator) -> _Side:
    return _Side(
        aliases=aliases,
        rows=estimator.rows_of_sources(block, aliases),
        width=estimator.width(block, aliases),
    )


def _join(*, build: _Side, probe: _Side, joined_rows: float) -> HashJoin:
    return HashJoin(
        build_rows=build.rows,
        table_bytes=table_bytes(build.rows, build.width),
        build_bytes=spilled_bytes(build.rows, build.width),
        probe_rows=probe.rows,
        probe_bytes=spilled_bytes(probe.rows, probe.width),
        joined_rows=joined_rows,
    )
