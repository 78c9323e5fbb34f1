"""The frontier as the terminal shows it."""

from rich.console import Group, RenderableType
from rich.text import Text

from advisor.figures import (
    NONE,
    candidate_name,
    counted,
    listed,
    money,
    multiple,
    percent,
    seconds,
    size,
)
from advisor.pipeline import CURRENT
from advisor.report.parts.tables import heading, table_of
from placement.frontier.pareto import Frontier, ParetoPoint

NAMES = {
    "moved_bytes": "bytes moved",
    "money": "money a month",
    "migration_bytes": "bytes to migrate",
}
"""Objective → what people call it."""
FASTEST, PRESENT = "the fastest", "the present placement"

_OBJECTIVES = (">predicted s", ">bytes moved", ">money a month", ">to migrate")


def frontier_text(frontier: Frontier) -> RenderableType:
    """Show the points, fastest first, the recommended one marked, and the baselines."""
    chosen = (">indexes",) if any(point.plan.indexes for point in frontier.points) else ()
    table = table_of("plan", "fastest?", *_OBJECTIVES, *chosen, "")
    for point in frontier.points:
        knee = point is frontier.knee
        number = (str(len(indexes_of(point))),) if chosen else ()
        said = "recommended" if knee else ""
        table.add_row(*_cells(point), *number, said, style="bold green" if knee else "")
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
            parts.append(Text("(…) breaks a limit: for comparison only", style="dim"))
    parts += [Text(trading(frontier)), Text(choice(frontier), style="bold")]
    if indexes := indexes_of(frontier.knee):
        parts.append(Text(f"Its indexes: {listed(indexes)}."))
    return Group(*parts)


def indexes_of(point: ParetoPoint) -> list[str]:
    """Return the indexes that are chosen for a point's copies, each with its store."""
    return [f"{index} in {store}" for store, found in point.plan.indexes.items() for index in found]


def trading(frontier: Frontier) -> str:
    """Say which objectives trade off against the seconds."""
    names = [NAMES[name] for name in frontier.trading]
    if len(frontier.points) == 1:
        return "One plan is best in everything: there is nothing to trade."
    if not names:
        return "The fastest plan is the best in each respect: there is nothing to trade."
    return (
        f"Seconds trade against {listed(names)}. Recommended is the plan closest to the best of "
        "all, each scaled to the frontier's range."
    )


def choice(frontier: Frontier) -> str:
    """Say what the recommended plan gains and costs beside the fastest and the present one."""
    knee, fastest = frontier.knee, frontier.points[0]
    if knee is fastest:
        sentences = [f"The recommended plan is the fastest, at {_s(knee)}."]
    else:
        sentences = [f"The recommended plan takes {_s(knee)}, {_against(knee, fastest, FASTEST)}."]
    present = next((p for p in frontier.baselines if p.plan.strategy == CURRENT), None)
    if present is None:
        sentences.append(
            "[place].current does not say where all tables are now, so that there is no present "
            "placement to compare it with."
        )
    elif knee.plan.placement == present.plan.placement:
        also = "" if knee.plan.indexes == present.plan.indexes else ", with other indexes"
        sentences.append(f"It is the present placement{also}: nothing moves.")
    else:
        broken = "" if present.plan.feasible else ", which breaks a limit"
        its = f"{PRESENT} ({_s(present)}{broken})"
        sentences.append(f"It takes {_against(knee, present, its)}.")
    return " ".join(sentences)


def _against(one: ParetoPoint, other: ParetoPoint, name: str) -> str:
    """Say how much longer `one` takes than `other`, what it gains in return, and what it costs."""
    better, worse = _differences(one, other)
    longer = one.objectives.predicted_s > other.objectives.predicted_s
    in_return, at_a_price = (better, worse) if longer else (worse, better)
    text = _longer(one.objectives.predicted_s, other.objectives.predicted_s, name)
    if in_return:
        text += f"{', and in return' if longer else ', but'} {listed(in_return)}"
    if at_a_price:
        text += f"{'; but it' if longer else '; it also'} {listed(at_a_price)}"
    return text


def _longer(one_s: float, other_s: float, name: str) -> str:
    """Say how long `one_s` is beside `other_s`, in per cent or times."""
    share = one_s / other_s - 1 if other_s else 0.0
    written = f"{100 * abs(share):.0f} %"
    if written == "0 %":
        return f"as long as {name}"
    if share >= 1:
        return f"{multiple(1 + share)} times as long as {name}"
    return f"{written} {'longer' if share > 0 else 'less time'} than {name}"


def _differences(one: ParetoPoint, other: ParetoPoint) -> tuple[list[str], list[str]]:
    """Return what `one` has less of than `other`, and more of, as verbs with both figures."""
    here, there = one.objectives, other.objectives
    better: list[str] = []
    worse: list[str] = []
    for verb, written, mine, its in (
        ("moves {} instead of {}", size, here.moved_bytes, there.moved_bytes),
        ("costs {} instead of {} a month", money, here.money, there.money),
        ("migrates {} instead of {}", size, here.migration_bytes, there.migration_bytes),
    ):
        if written(mine) != written(its):
            said = verb.format(written(mine), written(its))
            if verb.startswith("migrates") and not its:
                said = said.partition(" instead")[0]
            (better if mine < its else worse).append(said)
    return better, worse


def _s(point: ParetoPoint) -> str:
    return f"{seconds(point.objectives.predicted_s)} s"


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
