"""The sensitivity of a plan to each figure, for a terminal."""

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from advisor.figures import NONE, counted, percent, seconds, size
from advisor.report.parts.tables import heading, table_of
from placement.plan import PlacementPlan
from placement.reasons.parameters import WIDEST
from placement.reasons.parametric import REGRET_FACTORS, Direction
from placement.reasons.sensitivity import (
    NOTICED,
    CapacityWorth,
    LeftOut,
    Sensitivity,
)

NAMED_TABLES = 3
NAMED_FIGURES = 6


def sensitivity_text(
    plan: PlacementPlan,
    best: PlacementPlan,
    found: Sequence[Sensitivity],
    worths: Sequence[CapacityWorth],
    left_out: LeftOut,
) -> RenderableType:
    """Show the figures that can change the plan, then those that cannot, then capacities.

    Last is said what there was no time for.
    """
    parts: list[RenderableType] = [heading("How wrong a figure must be before the plan changes")]
    regret_s = plan.predicted_s - best.predicted_s
    if regret_s > NOTICED * best.predicted_s:
        text = f"The plan is not the best as the figures are: {seconds(regret_s)} s could be saved."
        parts.append(Text(text, style="bold"))
    if any(d.factor is not None for each in found for d in (each.larger, each.smaller)):
        parts.append(_changing(plan, found))
    if found:
        parts += _sentences(found)
    if worths:
        parts += [heading("What more capacity is worth"), worths_text(worths)]
    return Group(*parts, *(Text(each, style="yellow") for each in _cut(best, left_out)))


def _cut(best: PlacementPlan, left_out: LeftOut) -> Iterator[str]:
    """Say what the time limit, which all solves share, has cut."""
    if best.cut is not None:
        yield f"\nThe best plan is not proven to be it: {best.cut}."
    told = []
    if left_out.figures:
        rest = len(left_out.figures) - NAMED_FIGURES
        named = ", ".join(left_out.figures[:NAMED_FIGURES])
        told.append(f"{counted(len(left_out.figures), 'figure')}: {named}")
        told[-1] += f" and {rest} more" if rest > 0 else ""
    if left_out.stores:
        told.append(f"more capacity in {', '.join(left_out.stores)}")
    if told:
        yield (
            f"\nLeft out {' and '.join(told)}. The time was over, which all solves share: raise "
            "[place].time_limit_s, or name fewer figures with --rate and --top-queries."
        )


def _changing(plan: PlacementPlan, found: Sequence[Sensitivity]) -> RenderableType:
    regrets = (f">regret s\n{factor:g}x off" for factor in REGRET_FACTORS)
    table = table_of("figure", ">value", ">share", ">if it is", *regrets, "what moves")
    for each in found:
        for direction, larger in ((each.larger, True), (each.smaller, False)):
            if direction.factor is not None:
                asked = (factor if larger else 1 / factor for factor in REGRET_FACTORS)
                table.add_row(
                    Text(each.parameter.name),
                    _value(each.parameter.value),
                    percent(each.share_s / plan.predicted_s) if plan.predicted_s else NONE,
                    _off(direction, direction.factor, larger=larger),
                    *(_regret(direction, factor) for factor in asked),
                    Text(_moves(direction.moves)),
                )
    return table


def _sentences(found: Sequence[Sensitivity]) -> list[RenderableType]:
    """Say what the table does not: what never changes the plan, and what is proven."""
    directions = [each for one in found for each in (one.larger, one.smaller)]
    steady = [each for each in found if each.larger.factor is None and each.smaller.factor is None]
    solves = sum(each.solves for each in directions)
    meant = (
        f"The plan counts as changed where keeping its placement costs {percent(NOTICED)} more "
        f"than the best; figures were taken up to {WIDEST:g}x larger and smaller, in {solves} "
        "solves."
    )
    said = [meant]
    if steady:
        names = ", ".join(each.parameter.name for each in steady)
        said.append(f"Within that range none of these changes it: {names}.")
    proven = [each.before_s for each in directions if each.before_s is not None]
    if proven:
        said.append(
            f"Nearer than the factor shown, or in the whole range where there is none, keeping the "
            f"placement costs {_most(max(proven))} s: this is proven, not sampled."
        )
    if len(proven) < len(directions):
        said.append(
            "Nothing is proven between the factors solved at where seconds overlap, or limits "
            "depend on the figure."
        )
    if any(each.factor is not None and not each.exact for each in directions):
        said.append("'<=': it changes there at the latest; the search was ended before it began.")
    return [Text(sentence) for sentence in said]


def worths_text(worths: Sequence[CapacityWorth]) -> RenderableType:
    """Show what a tenth more of each capacity saves."""
    table = table_of("store", ">more", ">saves s", ">s a GB", "what moves")
    for each in worths:
        table.add_row(
            Text(each.store),
            size(each.extra_bytes),
            seconds(each.gain_s),
            seconds(each.per_gb_s),
            Text(_moves(each.moves)),
        )
    return table


def _value(value: float) -> str:
    """Write a figure as a project file would have it: 1.5e9."""
    return f"{value:.3g}".replace("e+0", "e").replace("e+", "e")


def _most(value_s: float) -> str:
    written = seconds(value_s)
    return f"at most {written}" if written.strip("0.") else "less than 0.001"


def _off(direction: Direction, factor: float, *, larger: bool) -> str:
    if factor == 1:
        return "as it is"
    off = factor if larger else 1 / factor
    return f"{'' if direction.exact else '<='}{off:.3g}x {'larger' if larger else 'smaller'}"


def _regret(direction: Direction, factor: float) -> str:
    if factor not in direction.regret_s:
        return NONE
    regret_s = direction.regret_s[factor]
    return "nothing fits" if regret_s is None else seconds(regret_s)


def _moves(moves: Sequence[str]) -> str:
    rest = len(moves) - NAMED_TABLES
    return ", ".join(moves[:NAMED_TABLES]) + (f" and {rest} more" if rest > 0 else "")
