"""The frontier as the terminal shows it."""

from rich.console import Group, RenderableType
from rich.text import Text

from advisor.figures import (
    NONE,
    candidate_name,
    counted,
    money,
    percent,
    seconds,
    size,
)
from advisor.report.parts.tables import heading, table_of
from placement.frontier.pareto import Frontier, ParetoPoint

NAMES = {
    "moved_bytes": "bytes moved",
    "money": "money a month",
    "migration_bytes": "bytes to migrate",
}
"""Objective → what people call it."""


_OBJECTIVES = (">predicted s", ">bytes moved", ">money a month", ">to migrate")


def frontier_text(frontier: Frontier) -> RenderableType:
    """Show the points, fastest first, the recommended one marked, and the baselines."""
    table = table_of("plan", "fastest?", *_OBJECTIVES, "")
    for point in frontier.points:
        knee = point is frontier.knee
        table.add_row(
            *_cells(point), "recommended" if knee else "", style="bold green" if knee else ""
        )
    parts: list[RenderableType] = [
        heading(f"{counted(len(frontier.points), 'plan')} on the frontier"),
        table,
    ]
    if frontier.baselines:
        beside = table_of("baseline", *_OBJECTIVES)
        for point in frontier.baselines:
            name, _, *figures = _cells(point)
            beside.add_row(name, *figures, style="" if point.plan.feasible else "dim")
        parts += [heading("Baselines"), beside]
        if not all(point.plan.feasible for point in frontier.baselines):
            parts.append(Text("(…) breaks a limit and cannot be had", style="dim"))
    parts.append(Text(trading(frontier)))
    chosen = choice(frontier)
    return Group(*parts, *([Text(chosen, style="bold")] if chosen else []))


def trading(frontier: Frontier) -> str:
    """Say which objectives trade off against the seconds."""
    names = [NAMES[name] for name in frontier.trading]
    if len(frontier.points) == 1:
        return "One plan is best in everything: there is nothing to trade."
    if not names:
        return "The fastest plan is the best in each respect: there is nothing to trade."
    listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    return (
        f"Seconds trade against {listed}. Recommended is the plan closest to the best of all, "
        "each scaled to the frontier's range."
    )


def choice(frontier: Frontier) -> str:
    """Say what the recommended plan costs beside the fastest; nothing where there is one plan."""
    knee, fastest = frontier.knee, frontier.points[0]
    if knee is fastest:
        return "" if len(frontier.points) == 1 else "Here it is the fastest."
    here, there = knee.objectives, fastest.objectives
    figures = (
        ("", f"{seconds(here.predicted_s)} s", f"{seconds(there.predicted_s)} s"),
        ("moved ", size(here.moved_bytes), size(there.moved_bytes)),
        ("money a month ", money(here.money), money(there.money)),
        ("to migrate ", size(here.migration_bytes), size(there.migration_bytes)),
    )
    differ = [f"{name}{mine} instead of {its}" for name, mine, its in figures if mine != its]
    return f"'{point_name(knee)}' beside the fastest: {', '.join(differ)}."


def proven(point: ParetoPoint) -> str:
    """Say what is proven of a point: that none within its bound is faster, or how much may be."""
    if point.supported:
        return "weighted"
    if point.outcome == "OPTIMAL":
        return "proven"
    return NONE if point.gap is None else f"within {percent(point.gap)}"


def point_name(point: ParetoPoint) -> str:
    """Return a point's name: its bound as people write it, or its strategy."""
    if point.bounded is None or point.bound is None:
        return candidate_name(point.plan.strategy)
    bound = money(point.bound) if point.bounded == "money" else size(point.bound)
    return f"{NAMES[point.bounded]} ≤ {bound}"


def _cells(point: ParetoPoint) -> list[str | Text]:
    found = point.objectives
    name = point_name(point)
    return [
        Text(name if point.plan.feasible else f"({name})"),
        proven(point),
        seconds(found.predicted_s),
        size(found.moved_bytes),
        money(found.money),
        size(found.migration_bytes),
    ]
