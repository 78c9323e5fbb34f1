"""Semi-joins between sources: inner joins of columns by which one may reduce another."""

from collections import defaultdict
from collections.abc import Callable, Iterable

from placement.fragment import NamedColumn
from placement.fragments.matches import Matches
from workloads.footprint import Block

MOST_TRIED = 40
"""The most sources that are tried for a fragment, and behind another: a star has hundreds."""


def edges(matches: Matches, block: Block) -> frozenset[tuple[str, str]]:
    """Return pairs of aliases of which the second reduces the first, beside it or from above.

    `block` has the sources above as its own (`workloads.semi_joins.with_sources_above`).
    """
    names = {source.alias: source.name for source in block.sources}
    found = (*matches.beside(block.name), *matches.above(block.name))
    return frozenset(
        (_alias(each.column), _alias(each.key))
        for each in found
        if each.values_of is None and names.get(_alias(each.key)) == each.key[0]
    )


def _alias(column: NamedColumn) -> str:
    return column[0].partition(".")[2]


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
