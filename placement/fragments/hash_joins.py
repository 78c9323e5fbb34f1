"""The hash joins of a fragment, and what else it holds, as far as is estimated beforehand."""

from collections.abc import Iterator, Sequence

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

    The largest source of a block goes through hash tables of all the others, which are alive at
    once: so stores join the facts of a star with its dimensions. Rows are those after each source's
    own filters, and what leaves a join are the rows of all of the block's sources joined.
    """
    found = []
    for block in footprint.blocks:
        aliases = [
            source.alias for source in block.sources if source.name in fragment.coverage.sources
        ]
        if len(aliases) > 1:
            found.append(tuple(_joins(block.name, aliases, estimator)))
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


def _joins(
    block: str, aliases: Sequence[str], estimator: CardinalityEstimator
) -> Iterator[HashJoin]:
    rows = {alias: estimator.rows_of_sources(block, [alias]) for alias in aliases}
    width = {alias: estimator.width(block, [alias]) for alias in aliases}
    joined_rows = estimator.rows_of_sources(block, aliases)
    probe = max(aliases, key=lambda alias: rows[alias])
    for build in aliases:
        if build != probe:
            yield HashJoin(
                build_rows=rows[build],
                table_bytes=table_bytes(rows[build], width[build]),
                build_bytes=spilled_bytes(rows[build], width[build]),
                probe_rows=rows[probe],
                probe_bytes=spilled_bytes(rows[probe], width[probe]),
                joined_rows=joined_rows,
            )
