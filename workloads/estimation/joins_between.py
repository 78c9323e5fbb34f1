"""The joins of a block between some of its relations: of a star of 200, a few for each few."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from itertools import combinations

from workloads.footprint import Join


class JoinsBetween:
    """A block's joins by the two relations that they join."""

    def __init__(self, joins: Sequence[Join]) -> None:
        self._joins = joins
        self._by_ends: dict[frozenset[str], list[int]] = defaultdict(list)
        for place, join in enumerate(joins):
            self._by_ends[frozenset((join.left[0], join.right[0]))].append(place)

    def of(self, aliases: Collection[str]) -> Sequence[Join]:
        """Return the joins between `aliases`, in the block's order; of many, maybe others too."""
        if len(aliases) * len(aliases) > len(self._joins):
            return self._joins
        ends = [frozenset((alias,)) for alias in aliases]
        ends += map(frozenset, combinations(aliases, 2))
        places = [place for each in ends for place in self._by_ends.get(each, ())]
        return [self._joins[place] for place in sorted(places)]
