"""Positions of tables in the join graph: joined ones are near, and none covers another."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import networkx as nx

SEED = 7
ITERATIONS = 400
ROUNDS = 300
"""Of moving circles apart."""

MARGIN_X, MARGIN_Y = 70.0, 34.0
"""Pixels around a part, for the names of its outermost tables."""

GAP, FEW, MANY = 44.0, 4, 80
"""Pixels between circles; parts of up to FEW are flatter, of more than MANY denser."""

ROOM, FLAT, EVENNESS = 11.0, 0.66, 0.75
"""Area of a part over that of its circles, its height over its width, and how even it is."""

Point = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Places of the tables in pixels, within `width` and `height`."""

    places: Mapping[str, Point]
    width: float
    height: float


def layout(
    radii: Mapping[str, float], edges: Mapping[tuple[str, str], float], width: float
) -> Layout:
    """Return places for circles of `radii` pixels that are joined by weighted `edges`.

    Each connected part is drawn by Fruchterman and Reingold's forces (1991) with a fixed seed;
    circles that overlap are moved apart; the parts are put side by side on shelves, the largest
    first.
    """
    graph: nx.Graph[str] = nx.Graph()
    graph.add_nodes_from(sorted(radii))
    for (left, right), weight in sorted(edges.items()):
        if left != right:
            graph.add_edge(left, right, pull=1 + math.log1p(weight))
    parts = sorted(nx.connected_components(graph), key=lambda part: (-len(part), min(part)))
    places: dict[str, Point] = {}
    x = y = shelf = 0.0
    for part in parts:
        placed, size = _part(graph.subgraph(sorted(part)), radii, width)
        if x and x + size[0] > width:
            x, y, shelf = 0.0, y + shelf, 0.0
        places |= {name: (x + px, y + py) for name, (px, py) in placed.items()}
        x, shelf = x + size[0], max(shelf, size[1])
    return Layout(places=places, width=width, height=y + shelf)


def _part(
    graph: "nx.Graph[str]", radii: Mapping[str, float], width: float
) -> tuple[Mapping[str, Point], Point]:
    """Return a connected part's places and its size, margins for labels included."""
    names = list(graph)
    if len(names) == 1:
        radius = radii[names[0]]
        size = (2 * (radius + MARGIN_X), 2 * (radius + MARGIN_Y))
        return {names[0]: (size[0] / 2, size[1] / 2)}, size
    spread = nx.spring_layout(
        graph, k=2.4 / math.sqrt(len(names)), iterations=ITERATIONS, weight="pull", seed=SEED
    )
    even = _evened({name: (float(x), float(y)) for name, (x, y) in spread.items()})
    area = sum((2 * radii[name] + GAP) * (2 * radii[name] + GAP) for name in names)
    wide = min(width, max(2 * MARGIN_X + 120, math.sqrt(area * ROOM)))
    tall = wide * (FLAT if len(names) > FEW else 0.5)
    xs, ys = [x for x, _ in even.values()], [y for _, y in even.values()]
    scale_x = (wide - 2 * MARGIN_X) / ((max(xs) - min(xs)) or 1.0)
    scale_y = (tall - 2 * MARGIN_Y) / ((max(ys) - min(ys)) or 1.0)
    placed = {
        name: (MARGIN_X + (x - min(xs)) * scale_x, MARGIN_Y + (y - min(ys)) * scale_y)
        for name, (x, y) in even.items()
    }
    apart = _apart(placed, radii, wide, GAP if len(names) <= MANY else GAP / 3)
    top = min(y - radii[name] for name, (_, y) in apart.items()) - MARGIN_Y
    low = max(y + radii[name] for name, (_, y) in apart.items()) + MARGIN_Y
    return {name: (x, y - top) for name, (x, y) in apart.items()}, (wide, low - top)


def _evened(places: Mapping[str, Point]) -> Mapping[str, Point]:
    """Move places outwards or inwards until rings of equal area hold equally many.

    Forces crowd what is joined to everything, and its neighbours, in the middle.
    """
    centre_x = sum(x for x, _ in places.values()) / len(places)
    centre_y = sum(y for _, y in places.values()) / len(places)
    polar = {
        name: (math.hypot(x - centre_x, y - centre_y), math.atan2(y - centre_y, x - centre_x))
        for name, (x, y) in places.items()
    }
    farthest = max(distance for distance, _ in polar.values()) or 1.0
    found = {}
    for rank, name in enumerate(sorted(polar, key=lambda each: polar[each][0])):
        distance, angle = polar[name]
        even = math.sqrt((rank + 0.3) / len(polar))
        radius = (1 - EVENNESS) * distance / farthest + EVENNESS * even
        found[name] = (radius * math.cos(angle), radius * math.sin(angle))
    return found


def _apart(
    places: Mapping[str, Point], radii: Mapping[str, float], width: float, gap: float
) -> Mapping[str, Point]:
    """Move circles apart until `gap` pixels are between any two, within `width`."""
    names: Sequence[str] = sorted(places)
    now = {name: list(places[name]) for name in names}
    for _ in range(ROUNDS):
        moved = False
        for index, one in enumerate(names):
            for other in names[index + 1 :]:
                moved |= _push(now[one], now[other], radii[one] + radii[other] + gap)
        for name in names:
            low, high = radii[name] + MARGIN_X / 2, width - radii[name] - MARGIN_X / 2
            now[name][0] = min(max(now[name][0], low), high)
        if not moved:
            break
    return {name: (x, y) for name, (x, y) in now.items()}


def _push(one: list[float], other: list[float], least: float) -> bool:
    """Move two points to a distance of `least`, half each; return whether they moved."""
    dx, dy = other[0] - one[0], other[1] - one[1]
    distance = math.hypot(dx, dy)
    if distance >= least:
        return False
    if distance == 0:
        dx, dy, distance = 1.0, 0.0, 1.0
    step = (least - distance) / 2 + 0.01
    one[0] -= dx / distance * step
    one[1] -= dy / distance * step
    other[0] += dx / distance * step
    other[1] += dy / distance * step
    return True
