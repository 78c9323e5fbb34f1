"""The rows between the joins of a block: those that one join hands on to the next."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from workloads.estimation.estimator import CardinalityEstimator
from workloads.footprint import Block

MOST_ORDERED = 12
"""The most relations that are put in an order: a star of hundreds has too many to estimate."""


class JoinOrder:
    """The order in which a store joins relations of one block.

    The largest begins, after its own filters. The next is always the one, of those that are joined
    with them, that leaves the fewest rows. Relations that no join connects meet at the end.
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

        What one join hands on enters the next; of many relations only what enters and leaves counts
        (`MOST_ORDERED`).
        """
        every = sorted(set(aliases))
        entering = {alias: self._rows([alias]) for alias in every}
        rows = sum(entering.values())
        if len(every) > MOST_ORDERED:
            return rows + self._rows(every)
        parts = self._connected(every)
        rows += sum(self._made(part, entering) for part in parts)
        return rows if len(parts) == 1 else rows + self._rows(every)

    def _made(self, part: Sequence[str], entering: Mapping[str, float]) -> float:
        """Return the rows that the joins of connected relations make."""
        joined, left = [max(part, key=lambda alias: entering[alias])], list(part)
        left.remove(joined[0])
        rows = 0.0
        while left:
            near = self._around(joined).intersection(left)
            best = min(sorted(near), key=lambda alias: self._rows([*joined, alias]))
            joined.append(best)
            left.remove(best)
            rows += self._rows(joined)
        return rows

    def _connected(self, aliases: Sequence[str]) -> list[list[str]]:
        """Return the relations in parts that joins connect, in their order."""
        left, parts = list(aliases), []
        while left:
            part = [left.pop(0)]
            while near := [alias for alias in left if alias in self._around(part)]:
                part += near
                left = [alias for alias in left if alias not in near]
            parts.append(part)
        return parts

    def _around(self, aliases: Collection[str]) -> set[str]:
        return set[str]().union(*(self._neighbours.get(alias, ()) for alias in aliases))

    def _rows(self, aliases: Iterable[str]) -> float:
        return self._estimator.rows_of_sources(self._block, aliases)
