"""Semi-joins between sources: inner joins of columns by which one may reduce another."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from placement.fragments.key_types import compare_alike
from workloads.estimation.estimator import CardinalityEstimator
from workloads.footprint import Block, Source
from workloads.semi_joins import SemiJoin, SourceColumn

MOST_TRIED = 40
"""The most sources that are tried for a fragment, and behind another: a star has hundreds."""


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


class Neighbours:
    """The sources that may reduce others; of each pair in `edges` the second reduces the first."""

    def __init__(self, edges: Iterable[tuple[str, str]]) -> None:
        self._reducing: dict[str, set[str]] = defaultdict(set)
        for reduced, reducer in edges:
            self._reducing[reduced].add(reducer)

    def of(self, own: frozenset[str]) -> list[str]:
        """Return the sources outside `own` that may reduce one of them, sorted."""
        return sorted(set().union(*(self._reducing[alias] for alias in own)) - own)

    def most_selective(
        self, own: frozenset[str], rows: Callable[[frozenset[str]], float]
    ) -> list[str]:
        """Return what may reduce `own`, sorted; of more than `MOST_TRIED` those that leave least.

        `rows` counts a join of sources. It is asked for pairs alone, which are few beside the
        fragments of a star.
        """
        near = self.of(own)
        if len(near) <= MOST_TRIED:
            return near

        def left(alias: str) -> float:
            joined = (each for each in own if alias in self._reducing[each])
            return min(
                rows(frozenset({each, alias})) / max(1.0, rows(frozenset({each})))
                for each in joined
            )

        return sorted(sorted(near, key=left)[:MOST_TRIED])


def _compare_alike(columns: Iterable[SourceColumn], estimator: CardinalityEstimator) -> bool:
    return compare_alike([estimator.table(source).type_of(name) for source, name in columns])
