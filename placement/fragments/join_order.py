"""The rows between the joins of a block: those that one join hands on to the next."""

from collections.abc import Collection, Iterable

from workloads.estimation.estimator import CardinalityEstimator
from workloads.footprint import Block


class JoinOrder:
    """The order in which a store joins relations of one block.

    The largest begins, after its own filters. The next is always the one, of those that are joined
    with them, that leaves the fewest rows.
    """

    def __init__(self, block: Block, estimator: CardinalityEstimator) -> None:
        self._block = block.name
        self._estimator = estimator
        self._neighbours: dict[str, set[str]] = {}
        for join in block.joins:
            left, right = join.left[0], join.right[0]
            self._neighbours.setdefault(left, set()).add(right)
            self._neighbours.setdefault(right, set()).add(left)

    def joined_rows(self, aliases: Iterable[str]) -> float:
        """Return the rows that enter the joins of some relations, and those that leave the last.

        What one join hands on enters the next.
        """
        left = sorted(set(aliases))
        entering = {alias: self._rows([alias]) for alias in left}
        joined = [max(left, key=lambda alias: entering[alias])]
        left.remove(joined[0])
        rows = sum(entering.values())
        while left:
            best = self._next(joined, left)
            joined.append(best)
            left.remove(best)
            rows += self._rows(joined)
        return rows

    def _next(self, joined: Collection[str], left: Collection[str]) -> str:
        around = set[str]().union(*(self._neighbours.get(alias, ()) for alias in joined))
        near = [alias for alias in left if alias in around] or left
        if len(near) == 1:
            return next(iter(near))
        return min(near, key=lambda alias: self._rows([*joined, alias]))

    def _rows(self, aliases: Iterable[str]) -> float:
        return self._estimator.rows_of_sources(self._block, aliases)
