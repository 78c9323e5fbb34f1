"""Connected sets of a block's sources: the joins that a store can run alone."""

import heapq
from collections.abc import Iterator

from workloads.footprint import Block, Source

_PAIR = 2


def joinable_sets(block: Block, limit: int) -> Iterator[tuple[Source, ...]]:
    """Yield the sets of two and more sources that one store can join, smallest first, each once.

    They are connected by joins, and hold all that each of their sources needs. From each set the
    next larger ones grow by one neighbour and what it needs; a set is a bit mask of positions.
    """
    graph = _JoinGraph(block)
    reached = {closure for position in graph.positions if (closure := graph.closure(1 << position))}
    largest = {graph.grown(closure) for closure in reached}
    queue = [(closure.bit_count(), closure) for closure in sorted(reached)]
    heapq.heapify(queue)
    count = 0
    while queue:
        size, current = heapq.heappop(queue)
        if count >= limit and size > _PAIR:
            break
        if size > 1:
            largest.discard(current)
            count += 1
            yield graph.sources(current)
        for following in graph.extensions(current) - reached:
            reached.add(following)
            heapq.heappush(queue, (following.bit_count(), following))
    yield from (graph.sources(current) for current in sorted(largest) if current.bit_count() > 1)


class _JoinGraph:
    """The joins and dependencies between a block's sources, as bit masks."""

    def __init__(self, block: Block) -> None:
        self._sources = block.sources
        position = {source.alias: index for index, source in enumerate(block.sources)}
        self._neighbours = [0] * len(position)
        for join in block.joins:
            left, right = position.get(join.left[0]), position.get(join.right[0])
            if left is not None and right is not None and left != right:
                self._neighbours[left] |= 1 << right
                self._neighbours[right] |= 1 << left
        self._needs = [
            None
            if source.needs - position.keys()
            else sum(1 << position[alias] for alias in source.needs)
            for source in block.sources
        ]

    @property
    def positions(self) -> range:
        return range(len(self._sources))

    def sources(self, mask: int) -> tuple[Source, ...]:
        return tuple(self._sources[position] for position in _bits(mask))

    def closure(self, mask: int) -> int:
        """Return `mask` with all that it needs; 0 where that cannot be had or is not connected."""
        done, todo = 0, mask
        while todo:
            done |= todo
            needed = 0
            for position in _bits(todo):
                needs = self._needs[position]
                if needs is None:
                    return 0
                needed |= needs
            todo = needed & ~done
        return done if self._connected(done) else 0

    def extensions(self, mask: int) -> set[int]:
        """Return the sets that `mask`, a closure, grows to by one neighbour and what that needs."""
        around = self._around(mask)
        return {found for p in _bits(around) if (found := self._with(mask, p))}

    def _with(self, mask: int, position: int) -> int:
        """Return `mask` with a neighbour and what that needs; 0 where that cannot be had."""
        needs = self._needs[position]
        if needs is None:
            return 0
        added = mask | 1 << position
        # A neighbour that needs no others is connected, and all is there.
        return self.closure(added) if needs & ~mask else added

    def grown(self, mask: int) -> int:
        """Return the largest set that `mask` grows to.

        What can be added to a set can be added to a larger one as well: all at once.
        """
        around, last = 0, mask
        while last:
            around |= self._around(last)
            added = mask
            for position in _bits(around & ~mask):
                added |= self._with(mask, position)
            last = added & ~mask
            mask = added
        return mask

    def _connected(self, mask: int) -> bool:
        part = mask & -mask
        while around := self._around(part) & mask:
            part |= around
        return part == mask

    def _around(self, mask: int) -> int:
        around = 0
        for position in _bits(mask):
            around |= self._neighbours[position]
        return around & ~mask


def _bits(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
