"""Which sources may reduce which by their keys: those that an inner join of columns compares."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from placement.key_types import compare_alike
from workloads.estimation.estimator import CardinalityEstimator
from workloads.footprint import Block, Source
from workloads.semi_joins import SemiJoin, SourceColumn


def edges_beside(
    block: Block, sources: Mapping[str, Source], estimator: CardinalityEstimator
) -> Iterator[tuple[str, str]]:
    """Yield pairs of aliases of which either reduces the other."""
    for join in block.joins:
        (left, left_column), (right, right_column) = join.left, join.right
        if join.kind != "inner" or join.computed or join.nulls_match or left == right:
            continue
        if {left, right} <= sources.keys() and not sources[left].needs | sources[right].needs:
            ends = ((sources[left], left_column), (sources[right], right_column))
            if _compare_alike(ends, estimator):
                yield left, right
                yield right, left


def edges_above(
    inherited: Sequence[SemiJoin], sources: Mapping[str, Source], estimator: CardinalityEstimator
) -> Iterator[tuple[str, str]]:
    """Yield pairs of aliases of which the second, of a block above, reduces the first."""
    for each in inherited:
        source, _ = each.key
        if sources.get(source.alias) == source and _compare_alike(each.beside, estimator):
            yield each.column[0], source.alias


def _compare_alike(columns: Iterable[SourceColumn], estimator: CardinalityEstimator) -> bool:
    return compare_alike([estimator.table(source).type_of(name) for source, name in columns])
