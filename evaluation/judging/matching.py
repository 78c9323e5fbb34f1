"""Rows that are the same but for the last digits of floating-point numbers, paired one to one."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter

from evaluation.judging.values import Form, RowForm, close, singles

Vector = tuple[float, ...]
Side = list[tuple[Vector, int]]
"""The floating-point numbers of rows, each with the number of its row."""


def unmatched(needles: Sequence[RowForm], others: Sequence[RowForm]) -> int | None:
    """Return the number of a row of `needles` that has no partner of its own among `others`.

    None if there is none: with as many rows on both sides they are equal as multisets.
    """
    by_exact: dict[tuple[Form, ...], tuple[Side, Side]] = defaultdict(lambda: ([], []))
    for side, rows in enumerate((needles, others)):
        for number, row in enumerate(rows):
            by_exact[row.exact][side].append((row.floats, number))
    for exact, (left, right) in by_exact.items():
        if len(left) > len(right):
            return _surplus(left, right)
        if left and left[0][0]:
            alone = _alone(left, right, singles(exact))
            if alone is not None:
                return alone
    return None


def same(one: RowForm, other: RowForm) -> bool:
    """Whether two rows are equal."""
    return one.exact == other.exact and _same(one.floats, other.floats, singles(one.exact))


def _surplus(left: Side, right: Side) -> int:
    """Return a row of `left` that `right` does not have, rather than one that it has less often."""
    known = {vector for vector, _ in right}
    return next((number for vector, number in left if vector not in known), left[-1][1])


def _same(one: Vector, other: Vector, single: Sequence[bool]) -> bool:
    return all(map(close, one, other, single))


def _alone(left: Side, right: Side, single: Sequence[bool]) -> int | None:
    """Return a row of `left` that no row of `right` is left for."""
    for mine, theirs in _clusters(left, right, single):
        if len(mine) > len(theirs):
            return mine[-1][1]
        pairs = zip(mine, theirs, strict=False)
        if all(_same(one[0], other[0], single) for one, other in pairs):
            continue
        alone = _assigned(mine, theirs, lambda one, other: _same(one, other, single))
        if alone is not None:
            return alone
    return None


def _clusters(left: Side, right: Side, single: Sequence[bool]) -> Iterator[tuple[Side, Side]]:
    """Yield the rows of both sides in parts such that no row is close to one of another part."""
    whole = [(vector, number, 0) for vector, number in left]
    whole += [(vector, number, 1) for vector, number in right]
    parts = [whole]
    for place in range(len(single)):
        parts = [piece for part in parts for piece in _split(part, place, single[place])]
    for part in parts:
        part.sort(key=itemgetter(0))
        mine = [(vector, number) for vector, number, side in part if side == 0]
        yield mine, [(vector, number) for vector, number, side in part if side == 1]


def _split(
    part: list[tuple[Vector, int, int]],
    place: int,
    single: bool,  # noqa: FBT001
) -> Iterator[list[tuple[Vector, int, int]]]:
    """Split where neighbours in the number at `place` are not close.

    Twice the bound, as what lies between two numbers that are just close may be smaller than both.
    """
    part.sort(key=lambda each: each[0][place])
    start = 0
    for index in range(1, len(part)):
        before, here = part[index - 1][0][place], part[index][0][place]
        if not close(before, here, single, 2.0):
            yield part[start:index]
            start = index
    yield part[start:]


def _assigned(mine: Side, theirs: Side, fits: Callable[[Vector, Vector], bool]) -> int | None:
    """Pair each of `mine` with one of `theirs`, along augmenting paths; return one that has none.

    Closeness is not transitive, so that the first partner that fits may be needed by another.
    """
    taken: dict[int, int] = {}
    for start in range(len(mine)):
        reached: dict[int, int] = {}
        ends, queue = None, [start]
        while queue and ends is None:
            row = queue.pop()
            for other in range(len(theirs)):
                if other in reached or not fits(mine[row][0], theirs[other][0]):
                    continue
                reached[other] = row
                if other not in taken:
                    ends = other
                    break
                queue.append(taken[other])
        if ends is None:
            return mine[start][1]
        _augment(taken, reached, ends, start)
    return None


def _augment(taken: dict[int, int], reached: dict[int, int], ends: int, start: int) -> None:
    """Give each row on the path that ends at the free `ends` its new partner."""
    other = ends
    while True:
        row = reached[other]
        before = next((each for each, mate in taken.items() if mate == row), None)
        taken[other] = row
        if row == start or before is None:
            return
        other = before
