"""Co-access as a heat map: a cell for each pair of tables, in an order that shows the blocks."""

import math
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from advisor.figures import weight
from advisor.report.pictures.seriation import Seriation, group_name
from workloads.access_graph import AccessGraph

LEVELS = 8
MOST_NAMED = 64
"""Up to so many tables every row has its name; more have an overview and a page of names."""

MOST_PAIRS = 10_000
"""Lighter pairs are left out, so that a browser can still show the page."""

WIDTH = 1040
CELL, FONT = 22.0, 11.0
SMALL_CELL, SMALL_FONT = 10.0, 8.0
CHARACTER = 0.64
"""Width of a character, as a share of the size of its font."""

LINE = 12.0


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatMap:
    """The pictures: `overview` fits the page, `named` (none if that has all names) has every name.

    `drawn` of `pairs` pairs are shown, `limits` are the colours with the weights at which they
    begin.
    """

    overview: str
    named: str
    drawn: int
    pairs: int
    limits: tuple[tuple[int, float], ...]


def heat_map(graph: AccessGraph, seriation: Seriation) -> HeatMap:
    """Draw the co-access of the tables that are read, on a logarithmic scale."""
    heaviest = sorted(graph.co_access.items(), key=lambda item: (-item[1], item[0]))[:MOST_PAIRS]
    scale = _Scale([*graph.tables.values(), *(value for _, value in heaviest)])
    place = {name: index for index, name in enumerate(seriation.order)}
    cells = [(place[name], place[name], uses, name) for name, uses in graph.tables.items()]
    for (left, right), uses in heaviest:
        a, b = place[left], place[right]
        cells += [(a, b, uses, f"{left} + {right}"), (b, a, uses, f"{left} + {right}")]
    drawn = "".join(
        f'<rect class="h{scale.level(uses)}" x="{x}" y="{y}" width="1" height="1">'
        f"<title>{escape(title)}: {weight(uses)}</title></rect>"
        for x, y, uses, title in cells
    )
    few = len(place) <= MOST_NAMED
    frame = _frame(seriation, graph, cell=CELL, font=FONT)
    small = _frame(seriation, graph, cell=SMALL_CELL, font=SMALL_FONT)
    return HeatMap(
        overview=frame.draw(
            f'<g id="co-access">{drawn}</g>', frame.names() if few else frame.group_names()
        ),
        named="" if few else small.draw('<use href="#co-access"/>', small.names()),
        drawn=len(heaviest),
        pairs=len(graph.co_access),
        limits=scale.limits,
    )


def _frame(seriation: Seriation, graph: AccessGraph, *, cell: float, font: float) -> "_Frame":
    """Return a grid with room for the longest name, or a group's name with its number.

    Cells of the usual size are smaller where the page is too narrow for them.
    """
    names = (*seriation.order, *(group_name(group, graph.tables) for group in seriation.groups))
    label = 8 + font * CHARACTER * max((len(name) for name in names), default=0)
    if cell == CELL:
        cell = min(cell, (WIDTH - label) / max(len(seriation.order), 1))
    return _Frame(seriation=seriation, reads=graph.tables, cell=cell, label=label, font=font)


class _Scale:
    """Levels of colour, equally wide on a logarithmic scale; of whole weights in whole numbers."""

    def __init__(self, weights: Sequence[float]) -> None:
        positive = [value for value in weights if value > 0] or [1.0]
        low, factor = min(positive), max(positive) / min(positive)
        begins = [low * factor ** (level / LEVELS) for level in range(LEVELS)]
        if all(value == round(value) for value in positive):
            begins = [float(math.ceil(begin)) for begin in begins]
        self._begins = sorted(set(begins)) if factor > 1 else [low]

    def level(self, value: float) -> int:
        """Return the level of a weight, 0 to LEVELS - 1."""
        return self._colour(max(0, bisect_right(self._begins, value) - 1))

    @property
    def limits(self) -> tuple[tuple[int, float], ...]:
        """Return each level that is used with the weight at which it begins."""
        return tuple((self._colour(index), begin) for index, begin in enumerate(self._begins))

    def _colour(self, index: int) -> int:
        last = len(self._begins) - 1
        return round(index * (LEVELS - 1) / last) if last else LEVELS - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class _Frame:
    """A grid of cells with room for names, and what is written beside it."""

    seriation: Seriation
    reads: Mapping[str, float]
    cell: float
    label: float
    font: float

    def draw(self, cells: str, names: str) -> str:
        side = self.label + self.cell * len(self.seriation.order) + 1
        return (
            f'<svg class="heat-map" viewBox="0 0 {side:.0f} {side:.0f}" width="{side:.0f}" '
            f'font-size="{self.font}" role="img" aria-label="Heat map of the executions that read '
            'two tables together; the heaviest pairs are in the table below">'
            f'{names}<g transform="translate({self.label:.1f} {self.label:.1f}) '
            f'scale({self.cell:.4f})" shape-rendering="crispEdges">'
            f'<rect class="ground" width="{len(self.seriation.order)}" '
            f'height="{len(self.seriation.order)}"/>{cells}</g>{self._outlines()}</svg>'
        )

    def names(self) -> str:
        """Write every name, before its row and above its column."""
        parts = []
        for index, name in enumerate(self.seriation.order):
            middle = self.label + (index + 0.5) * self.cell
            parts.append(
                f'<text x="{self.label - 5:.1f}" y="{middle + self.font * 0.35:.1f}" '
                f'text-anchor="end">{escape(name)}</text>'
                f'<text transform="translate({middle + self.font * 0.35:.1f} '
                f'{self.label - 5:.1f}) rotate(-90)">{escape(name)}</text>'
            )
        return "".join(parts)

    def group_names(self) -> str:
        """Name the groups that there is room for, the largest first."""
        taken: list[float] = []
        parts = []
        for start, group in sorted(self._groups(), key=lambda item: -len(item[1])):
            middle = self.label + (start + len(group) / 2) * self.cell
            if all(abs(middle - other) >= LINE for other in taken):
                taken.append(middle)
                text = escape(group_name(group, self.reads))
                parts.append(
                    f'<text x="{self.label - 5:.1f}" y="{middle + 4:.1f}" '
                    f'text-anchor="end">{text}</text>'
                    f'<text transform="translate({middle + 4:.1f} {self.label - 5:.1f}) '
                    f'rotate(-90)">{text}</text>'
                )
        return "".join(parts)

    def _groups(self) -> Iterator[tuple[int, tuple[str, ...]]]:
        start = 0
        for group in self.seriation.groups:
            yield start, group
            start += len(group)

    def _outlines(self) -> str:
        return "".join(
            f'<rect class="group" x="{self.label + start * self.cell:.1f}" '
            f'y="{self.label + start * self.cell:.1f}" width="{len(group) * self.cell:.1f}" '
            f'height="{len(group) * self.cell:.1f}"/>'
            for start, group in self._groups()
            if len(group) > 1
        )


def heaviest_pairs(
    pairs: Mapping[tuple[str, str], float], most: int
) -> list[tuple[tuple[str, str], float]]:
    """Return the pairs with the largest weights, largest first."""
    return sorted(pairs.items(), key=lambda item: (-item[1], item[0]))[:most]
