"""The joins between tables as a picture: circles as large as the tables, lines as thick as use."""

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

import networkx as nx

from advisor.figures import count, size, weight
from advisor.report.pictures.join_layout import Point, layout
from advisor.report.pictures.labels import Label, labels
from workloads.access_graph import AccessGraph, JoinEdge
from workloads.catalog import Catalog

WIDTH = 1040.0
MOST_LINES = 400
"""More lines than so many hide each other: the heaviest are drawn."""

MOST_NAMED = 60
LARGEST, LARGEST_OF_MANY, SMALLEST = 44.0, 24.0, 4.5
THICKEST, THINNEST = 8.0, 0.9
BEND = 0.13
"""The bend of a line, as a share of its length; each further line of a pair bends more."""

KINDS = {"inner": "inner", "left": "outer", "right": "outer", "full": "outer"}
KIND_NAMES = {
    "inner": "inner join",
    "outer": "outer join",
    "semi": "semi join (IN, EXISTS)",
    "anti": "anti join (NOT IN, NOT EXISTS)",
}

Line = tuple[str, str, str]
"""The two tables, in alphabetical order, and the kind of line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinGraph:
    """The picture, how many of the lines it has, and the tables that are joined to none."""

    svg: str
    drawn: int
    lines: int
    kinds: tuple[str, ...]
    alone: tuple[str, ...]


def join_graph(graph: AccessGraph, catalog: Catalog, colours: Mapping[str, int]) -> JoinGraph:
    """Draw the joins; `colours` are the numbers of the tables' colours.

    Of more than `MOST_LINES` lines the heaviest are drawn, and with them those of a maximum
    spanning forest, so that what is connected stays so.
    """
    lines = _lines(graph.joins)
    drawn = _heaviest(lines)
    joined = {table for left, right, _ in lines for table in (left, right)}
    radii = _radii(sorted(joined), catalog)
    pulls: dict[tuple[str, str], float] = defaultdict(float)
    for left, right, kind in drawn:
        pulls[left, right] += sum(lines[left, right, kind].values())
    placed = layout(radii, pulls, WIDTH)
    places = placed.places
    most = max((sum(edges.values()) for edges in lines.values()), default=1.0)
    number: dict[tuple[str, str], int] = defaultdict(int)
    strokes = []
    for left, right, kind in sorted(drawn, key=lambda line: sum(lines[line].values())):
        edges = lines[left, right, kind]
        thick = THINNEST + (THICKEST - THINNEST) * math.sqrt(sum(edges.values()) / most)
        path = _path(places[left], places[right], number[left, right], radii[left])
        strokes.append(
            f'<path class="{kind}" stroke-width="{thick:.1f}" d="{path}">'
            f"<title>{escape(_joins_text(edges))}</title></path>"
        )
        number[left, right] += 1
    order = sorted(joined, key=lambda name: (-radii[name], -graph.tables.get(name, 0.0), name))
    named = labels(order, placed.places, radii, width=WIDTH, all_of_them=len(joined) <= MOST_NAMED)
    circles = [
        f'<circle class="c{colours[name]}" cx="{places[name][0]:.1f}" '
        f'cy="{places[name][1]:.1f}" r="{radii[name]:.1f}">'
        f"<title>{escape(_table_text(name, graph, catalog))}</title></circle>"
        for name in order
    ]
    texts = [_text(label, places[name], radii[name]) for name, label in named.items()]
    return JoinGraph(
        svg=(
            f'<svg class="join-graph" viewBox="0 0 {WIDTH:.0f} {placed.height:.0f}" role="img" '
            'aria-label="Graph of the joins between tables; the heaviest are in the table below">'
            f"{''.join(strokes)}{''.join(circles)}{''.join(texts)}</svg>"
        ),
        drawn=len(drawn),
        lines=len(lines),
        kinds=tuple(kind for kind in KIND_NAMES if any(line[2] == kind for line in drawn)),
        alone=tuple(sorted(graph.tables.keys() - joined)),
    )


def _lines(joins: Mapping[JoinEdge, float]) -> Mapping[Line, Mapping[JoinEdge, float]]:
    """Return the lines to draw with the joins that each stands for."""
    lines: dict[Line, dict[JoinEdge, float]] = defaultdict(dict)
    for edge, uses in joins.items():
        left, right = sorted((table_of(edge.left), table_of(edge.right)))
        lines[left, right, KINDS.get(edge.kind, edge.kind)][edge] = uses
    return lines


def table_of(column: str) -> str:
    """Return the table of ``table.column``."""
    return column.rpartition(".")[0]


def _heaviest(lines: Mapping[Line, Mapping[JoinEdge, float]]) -> set[Line]:
    by_weight = sorted(lines, key=lambda line: (-sum(lines[line].values()), line))
    if len(by_weight) <= MOST_LINES:
        return set(by_weight)
    graph: nx.Graph[str] = nx.Graph()
    for left, right, kind in reversed(by_weight):
        graph.add_edge(left, right, weight=sum(lines[left, right, kind].values()), kind=kind)
    forest = nx.maximum_spanning_edges(graph, data=True)
    kept = {(min(a, b), max(a, b), data["kind"]) for a, b, data in forest}
    for line in by_weight:
        if len(kept) >= MOST_LINES:
            break
        kept.add(line)
    return kept


def _radii(tables: list[str], catalog: Catalog) -> Mapping[str, float]:
    """Return pixels: areas are as the tables' bytes, but the smallest are still seen."""
    largest = max((catalog.tables[name].bytes for name in tables), default=1) or 1
    widest = LARGEST if len(tables) <= MOST_NAMED else LARGEST_OF_MANY
    return {
        name: max(SMALLEST, widest * math.sqrt(catalog.tables[name].bytes / largest))
        for name in tables
    }


def _joins_text(edges: Mapping[JoinEdge, float]) -> str:
    heaviest = sorted(edges.items(), key=lambda item: (-item[1], item[0]))
    return "\n".join(f"{e.left} = {e.right} ({e.kind}): {weight(uses)}" for e, uses in heaviest)


def _path(start: Point, end: Point, number: int, radius: float) -> str:
    """Return a line between two places, bent more for each further one; a loop for one place."""
    (x1, y1), (x2, y2) = start, end
    if start == end:
        wide, high = radius * 0.7 + 10 + 5 * number, radius * 1.35 + 24 + 9 * number
        return (
            f"M{x1:.1f} {y1:.1f}C{x1 - wide:.1f} {y1 - high:.1f} "
            f"{x1 + wide:.1f} {y1 - high:.1f} {x1:.1f} {y1:.1f}"
        )
    bend = BEND * (number // 2 + 1) * (1 if number % 2 == 0 else -1)
    mid_x, mid_y = (x1 + x2) / 2 - (y2 - y1) * bend, (y1 + y2) / 2 + (x2 - x1) * bend
    return f"M{x1:.1f} {y1:.1f}Q{mid_x:.1f} {mid_y:.1f} {x2:.1f} {y2:.1f}"


def _table_text(name: str, graph: AccessGraph, catalog: Catalog) -> str:
    table = catalog.tables[name]
    writes = graph.writes.get(name, 0.0)
    written = f", written {weight(writes)} times" if writes else ""
    return (
        f"{name}: {count(table.rows)} rows, {size(table.bytes)}, "
        f"read {weight(graph.tables.get(name, 0.0))} times{written}"
    )


def _text(label: Label, place: Point, radius: float) -> str:
    leader = ""
    if label.far:
        left, top, right, bottom = label.box
        near_x, near_y = min(max(place[0], left), right), min(max(place[1], top), bottom)
        length = math.hypot(near_x - place[0], near_y - place[1]) or 1.0
        from_x = place[0] + (near_x - place[0]) / length * radius
        from_y = place[1] + (near_y - place[1]) / length * radius
        leader = f'<line x1="{from_x:.1f}" y1="{from_y:.1f}" x2="{near_x:.1f}" y2="{near_y:.1f}"/>'
    return (
        f'{leader}<text x="{label.x:.1f}" y="{label.y:.1f}" text-anchor="{label.anchor}">'
        f"{escape(label.text)}</text>"
    )
