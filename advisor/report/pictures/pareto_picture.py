"""The frontier as a picture: a panel for each objective that trades off against the seconds."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import ceil

from markupsafe import Markup

from advisor.figures import candidate_name, money, seconds, size
from advisor.report.parts.page import template
from advisor.report.pictures.axes import Axis, axis_of
from advisor.report.text.pareto_text import (
    NAMES,
    choice,
    indexes_of,
    point_name,
    proven,
    trading,
)
from placement.frontier.objectives import OBJECTIVES
from placement.frontier.pareto import Frontier, ParetoPoint

WIDTH, HEIGHT, GAP = 470, 340, 20
LEFT, RIGHT, TOP, BOTTOM = 62, 16, 34, 44
PANELS_A_ROW = 2
CHARACTER, LINE = 6.3, 13.0
LEGEND_LINE = 18
ELSEWHERE = "best in another panel"
LEGEND = (
    ('<circle class="point" cx="0" cy="-4" r="4.5"/>', "proven fastest within its bound"),
    ('<circle class="open" cx="0" cy="-4" r="4.5"/>', "not proven"),
    ('<circle class="aside" cx="0" cy="-4" r="4.5"/>', ELSEWHERE),
    ('<rect class="base" x="-4" y="-8" width="8" height="8"/>', "baseline"),
    ('<rect class="reference" x="-4" y="-8" width="8" height="8"/>', "breaks a limit"),
)
STYLE = """
.pf{--ink:#1c1c1a;--soft:#66665f;--rule:#d8d7d0;--best:#1f5f8b;--reference:#8a8a84;--paper:#fffffb;
font:11px system-ui,sans-serif}
@media (prefers-color-scheme:dark){.pf{--ink:#e9e8e3;--soft:#a5a49c;--rule:#3a3a36;--best:#7fb8e0;
--reference:#8f8e87;--paper:#191917}}
.pf .ground{fill:var(--paper)}.pf text{fill:var(--soft)}.pf .title{fill:var(--ink);font-size:13px;
font-weight:600}.pf .grid{stroke:var(--rule);stroke-width:1}.pf .stair{fill:none;
stroke:var(--best);stroke-width:1.5;stroke-opacity:.55}.pf .point{fill:var(--best)}
.pf .open{fill:var(--paper);stroke:var(--best);stroke-width:1.5}.pf .aside{fill:var(--best);
fill-opacity:.3}.pf .knee{fill:none;stroke:var(--ink);stroke-width:1.6}.pf .name{fill:var(--ink);
font-weight:600}.pf .base{fill:none;stroke:var(--ink);stroke-width:1.4}.pf .reference{fill:none;
stroke:var(--reference);stroke-width:1.2;stroke-dasharray:2 2}.pf .label{paint-order:stroke;
stroke:var(--paper);stroke-width:3px;stroke-linejoin:round}
"""


def frontier_page(frontier: Frontier, project: str, command: str) -> str:
    """Return the frontier's table and picture as one self-contained page."""
    return template("pareto.html.j2").render(
        frontier=frontier,
        project=project,
        command=command,
        picture=Markup(frontier_svg(frontier)),  # noqa: S704 - made by us, escapes its names
        choice=choice(frontier),
        trading=trading(frontier),
        name=point_name,
        proven=proven,
        indexes=indexes_of,
        indexed=any(point.plan.indexes for point in frontier.points),
    )


def frontier_svg(frontier: Frontier) -> str:
    """Return a self-contained SVG; without anything that trades off, of the seconds' line alone."""
    shown = [each for each in OBJECTIVES if each.name in frontier.varying]
    panels = [_panel(frontier, each.name, index) for index, each in enumerate(shown)]
    columns = max(1, min(PANELS_A_ROW, len(panels)))
    rows = max(1, ceil(len(panels) / PANELS_A_ROW))
    wide = columns * WIDTH + (columns - 1) * GAP
    legend = _legend_lines(wide, len(panels))
    high = rows * HEIGHT + 4 + LEGEND_LINE * len(legend)
    marks = "".join(
        f'<g transform="translate(0 {rows * HEIGHT + 14 + LEGEND_LINE * line})">{entries}</g>'
        for line, entries in enumerate(legend)
    )
    body = "".join(panels) or (
        f'<text class="title" x="{LEFT}" y="{TOP}">One plan is best in everything.</text>'
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="pf" viewBox="0 0 {wide} {high}" '
        f'width="{wide}" height="{high}" role="img" aria-label="Predicted seconds against what '
        f'else a plan costs"><style>{STYLE}</style><rect class="ground" width="{wide}" '
        f'height="{high}"/>{body}{marks}</svg>'
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Mark:
    """A point in a panel."""

    point: ParetoPoint
    x: float
    y: float


def _panel(frontier: Frontier, name: str, index: int) -> str:
    """Return one panel: seconds to the right, the objective upwards; better is left and below."""
    left = index % PANELS_A_ROW * (WIDTH + GAP)
    top = index // PANELS_A_ROW * HEIGHT
    value = next(each.value for each in OBJECTIVES if each.name == name)
    everything = [*frontier.points, *frontier.baselines]
    x_axis = axis_of([p.objectives.predicted_s for p in everything], LEFT, WIDTH - RIGHT)
    y_axis = axis_of([value(p.objectives) for p in everything], HEIGHT - BOTTOM, TOP)

    def mark(point: ParetoPoint) -> _Mark:
        found = point.objectives
        return _Mark(point=point, x=x_axis.at(found.predicted_s), y=y_axis.at(value(found)))

    points = sorted(map(mark, frontier.points), key=lambda each: (each.x, -each.y))
    bases = [mark(point) for point in frontier.baselines]
    stairs = _stairs(points)
    parts = [
        _frame(x_axis, y_axis, name),
        _path(stairs, x_axis.last),
        *(_circle(each, among=each in stairs, frontier=frontier) for each in points),
        *(_cross(each) for each in bases),
        _labels([each for each in points if each.point is frontier.knee], bases, frontier),
    ]
    return f'<g transform="translate({left} {top})">{"".join(parts)}</g>'


def _stairs(points: Sequence[_Mark]) -> list[_Mark]:
    """Return the points that are best in this panel alone, from left to right."""
    best: list[_Mark] = []
    for each in points:
        if not best or each.y > best[-1].y + 1e-9:
            best.append(each)
    return best


def _path(stairs: Sequence[_Mark], right: float) -> str:
    """Return the line between what can be had and what cannot."""
    if not stairs:
        return ""
    parts = [f"M{stairs[0].x:.1f} {TOP}V{stairs[0].y:.1f}"]
    parts += [f"H{each.x:.1f}V{each.y:.1f}" for each in stairs[1:]]
    return f'<path class="stair" d="{"".join(parts)}H{right:.1f}"/>'


def _frame(x_axis: Axis, y_axis: Axis, name: str) -> str:
    bottom = y_axis.first
    parts = [f'<text class="title" x="{LEFT}" y="18">{escape(NAMES[name])}</text>']
    for tick in x_axis.ticks():
        x = x_axis.at(tick)
        parts.append(
            f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{bottom}"/>'
            f'<text x="{x:.1f}" y="{bottom + 15}" text-anchor="middle">{tick:g}</text>'
        )
    for tick in y_axis.ticks():
        y = y_axis.at(tick)
        text = f"{tick:.3g}" if name == "money" else size(tick)
        parts.append(
            f'<line class="grid" x1="{LEFT}" x2="{x_axis.last}" y1="{y:.1f}" y2="{y:.1f}"/>'
            f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{escape(text)}</text>'
        )
    kind = " (logarithmic)" if x_axis.logarithmic else ""
    middle = (x_axis.first + x_axis.last) / 2
    parts.append(
        f'<text x="{middle}" y="{bottom + 32}" text-anchor="middle">predicted seconds{kind}</text>'
    )
    return "".join(parts)


def _title(point: ParetoPoint) -> str:
    found = point.objectives
    return (
        f"<title>{escape(point_name(point))}: {seconds(found.predicted_s)} s, "
        f"{size(found.moved_bytes)} moved, {money(found.money)} a month, "
        f"{size(found.migration_bytes)} to migrate; the fastest? {escape(proven(point))}</title>"
    )


def _circle(mark: _Mark, *, among: bool, frontier: Frontier) -> str:
    known = mark.point.outcome == "OPTIMAL"
    kind = "aside" if not among else "point" if known else "open"
    ring = (
        f'<circle class="knee" cx="{mark.x:.1f}" cy="{mark.y:.1f}" r="9"/>'
        if mark.point is frontier.knee
        else ""
    )
    return (
        f'{ring}<circle class="{kind}" cx="{mark.x:.1f}" cy="{mark.y:.1f}" r="4.5">'
        f"{_title(mark.point)}</circle>"
    )


def _cross(mark: _Mark) -> str:
    kind = "base" if mark.point.plan.feasible else "reference"
    x, y = mark.x, mark.y
    return (
        f'<rect class="{kind}" x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8">'
        f"{_title(mark.point)}</rect>"
    )


def _labels(knees: Sequence[_Mark], bases: Sequence[_Mark], frontier: Frontier) -> str:
    """Name the recommended plan and the baselines, none over another."""
    boxes: list[tuple[float, float, float, float]] = []
    parts = []
    for mark in (*knees, *bases):
        knee = mark.point is frontier.knee
        text = "recommended" if knee else candidate_name(mark.point.plan.strategy)
        wide = len(text) * CHARACTER
        reach = 12.0 if knee else 8.0
        for x, y in _places(mark, wide, reach):
            box = (x, y - LINE + 3, x + wide, y + 3)
            free = not any(
                box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3]
                for other in boxes
            )
            if free and x >= LEFT and x + wide <= WIDTH and TOP - 6 <= y <= HEIGHT - BOTTOM:
                boxes.append(box)
                kind = "name label" if knee else "label"
                parts.append(f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{escape(text)}</text>')
                break
    return "".join(parts)


def _places(mark: _Mark, wide: float, reach: float) -> list[tuple[float, float]]:
    """Return where a name may begin, the best place first."""
    right, left = mark.x + reach, mark.x - reach - wide
    rows = (4.0, -9.0, 17.0, -22.0, 30.0)
    return [(x, mark.y + row) for row in rows for x in (right, left)]


def _legend_lines(wide: int, panels: int) -> list[str]:
    """Say what the marks are, in as many lines as a picture `wide` needs."""
    lines, x = [""], LEFT + 0.0
    for mark, text in LEGEND:
        if text == ELSEWHERE and panels < 2:  # noqa: PLR2004 - one panel has no other
            continue
        needed = len(text) * CHARACTER + 30
        if x > LEFT and x + needed > wide:
            lines.append("")
            x = LEFT + 0.0
        lines[-1] += f'<g transform="translate({x:.0f} 0)">{mark}<text x="9">{text}</text></g>'
        x += needed
    return lines
