"""One plan for a terminal: how good it is known to be, and what its seconds are made of."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from advisor.figures import NONE, candidate_name, money, percent, seconds, size
from advisor.report.parts.plan_facts import PlanFacts
from advisor.report.parts.tables import heading, table_of
from advisor.report.text.indexes_text import indexes_text
from evaluation.calibration.calibration import FOLLOWING, QUICK
from placement.constraints.usage import Unit, Usage
from placement.limits.check import GAP_TOLERANCE
from placement.plan import Outcome, PlacementPlan
from placement.reasons.breakdown import Breakdown, StoreCosts
from placement.reasons.copies import CopyGain

MOST_COPIES = 15
_NO_GAIN = seconds(0.0)
UNKNOWN_GAINS = (
    "The gains of copies are not known: [place].time_limit_s was too short for them, raise it."
)
DEFAULT = "default"
"""The source of rates that nobody has measured or written."""


def outcome_text(plan: PlacementPlan, others: Iterable[PlacementPlan] = ()) -> Text:
    """Say how good a plan is known to be; `others` may prove a bound where it does not."""
    name, cost = candidate_name(plan.strategy), seconds(plan.predicted_s)
    lead = f"'{name}' is {plan.outcome}: {cost} s predicted"
    if plan.outcome is Outcome.INFEASIBLE:
        return Text(f"{lead}, but it breaks limits: {' '.join(plan.violations)}")
    proven = [p.bound_s for p in (plan, *others) if p.feasible and p.bound_s is not None]
    if not proven:
        return Text(f"{lead}; no lower bound is known, so a cheaper plan may exist.")
    bound_s = max(proven)
    gap = max(0.0, 1 - bound_s / plan.predicted_s) if plan.predicted_s else 0.0
    if gap <= GAP_TOLERANCE:
        return Text(f"{lead}, and no plan that keeps all limits is cheaper.")
    return Text(
        f"{lead}; no plan that keeps all limits is cheaper than {seconds(bound_s)} s, so that at "
        f"most {percent(gap)} could be saved."
    )


def facts_text(facts: PlanFacts) -> RenderableType:
    """Show a plan's costs, copies, indexes and the limits that it uses up."""
    parts = [costs_text(facts.costs)]
    if facts.copies is None:
        parts.append(Text(UNKNOWN_GAINS, style="dim"))
    elif facts.copies:
        parts.append(copies_text(facts.copies))
    if facts.indexes:
        parts.append(indexes_text(facts.indexes))
    if facts.binding:
        parts.append(binding_text(facts.binding))
    parts.append(Text(rates_sentence(facts.rates), style="dim"))
    return Group(*parts)


def rates_sentence(rates: Mapping[str, str]) -> str:
    """Say where the rates are from that seconds are predicted by, of every store and the engine."""
    by_source: dict[str, list[str]] = {}
    for name, source in rates.items():
        by_source.setdefault(source, []).append(name)
    told = "; ".join(f"{', '.join(names)}: {source}" for source, names in by_source.items())
    more = ""
    if DEFAULT in by_source:
        more = " `advisor calibrate` measures those of stores that take copies."
    elif any(source.startswith(f"{DEFAULT}, ") for source in by_source):
        more = (
            " `advisor calibrate` measures those of stores that take copies, with the same "
            "`combine` in the project's file."
        )
    elif any(source.startswith((QUICK, FOLLOWING)) for source in by_source):
        more = " `advisor calibrate` measures those of stores that take copies in full."
    return f"Rates of {told}.{more}"


def costs_text(costs: Breakdown) -> RenderableType:
    """Show predicted seconds by kind and by store; kinds without any are left out."""
    stores = [each for each in costs.stores if each.total_s]
    table = table_of("", *(f">{each.store}" for each in stores), ">all", ">share")
    every = sum(each.total_s for each in stores)
    for kind, total_s in costs.work_s.items():
        if total_s:
            table.add_row(
                str(kind),
                *(_some(each.work_s[kind]) for each in stores),
                seconds(total_s),
                percent(total_s / every),
            )
    if costs.overlap_s:
        overlap = f"-{seconds(costs.overlap_s)}"
        table.add_row(
            "overlap", *("" for _ in stores), overlap, f"-{percent(costs.overlap_s / every)}"
        )
    table.add_section()
    totals = [seconds(each.total_s) for each in stores]
    table.add_row("all", *totals, seconds(costs.total_s), "", style="bold")
    table.add_section()
    for name, of, written in _BESIDE:
        amounts = [of(each) for each in stores]
        if any(amounts):
            table.add_row(
                name, *(written(a) if a else "" for a in amounts), written(sum(amounts)), ""
            )
    return Group(heading("Predicted seconds by kind and store"), table)


_BESIDE: tuple[tuple[str, Callable[[StoreCosts], float], Callable[[float], str]], ...] = (
    ("bytes moved", lambda each: each.bytes_moved, size),
    ("money a month, storage", lambda each: each.storage_money, money),
    ("money a month, transfer", lambda each: each.transfer_money, money),
)
"""Figures below the seconds, each shown if it is not 0."""


def copies_text(copies: Sequence[CopyGain]) -> RenderableType:
    """Show what the copies gain, the largest gains first; those that gain nothing are counted."""
    gaining = [each for each in copies if each.gain_s is None or seconds(each.gain_s) != _NO_GAIN]
    parts: list[RenderableType] = [heading(f"{_tables(len(copies))} gains by it")]
    if gaining:
        table = table_of("table", "in", ">further bytes", ">gain s", "best alone in")
        for each in gaining[:MOST_COPIES]:
            table.add_row(
                Text(each.table),
                Text(", ".join(each.stores)),
                size(each.copy_bytes),
                _gain(each),
                Text(each.best),
            )
        parts.append(table)
    if rest := gaining[MOST_COPIES:]:
        parts.append(Text(f"and {len(rest)} more, {_of_rest(rest)}"))
    if nothing := len(copies) - len(gaining):
        parts.append(Text(_gaining_nothing(nothing, is_all=not gaining)))
    return Group(*parts)


def _of_rest(rest: Sequence[CopyGain]) -> str:
    """Say what the copies gain that have no line, of which the needed ones come first."""
    needed = sum(each.gain_s is None for each in rest)
    return f"{needed} of them needed" if needed else f"each gaining at most {_gain(rest[0])} s"


def _gaining_nothing(number: int, *, is_all: bool) -> str:
    if is_all:
        return "It gains nothing" if number == 1 else f"None of the {number} gains anything"
    return f"{number} more {'gains' if number == 1 else 'gain'} nothing"


def _gain(copy: CopyGain) -> str:
    return "needed" if copy.gain_s is None else seconds(copy.gain_s)


def binding_text(binding: Sequence[Usage]) -> RenderableType:
    """Show the limits that are used up."""
    table = table_of("limit", ">used", ">of", "by")
    for usage in binding:
        write = _UNITS[usage.unit]
        table.add_row(Text(usage.key), write(usage.used), write(usage.most), Text(usage.subject))
    return Group(heading("Limits that are used up"), table)


_UNITS: dict[Unit, Callable[[float], str]] = {
    Unit.BYTES: size,
    Unit.SECONDS: lambda value: f"{seconds(value)} s",
    Unit.COPIES: lambda value: f"{value:g} copies",
    Unit.MOVES: lambda value: f"{value:g} moves",
    Unit.MONEY: money,
    Unit.SHARE: percent,
}


def _tables(number: int) -> str:
    if number == 1:
        return "1 table in several stores, and what it"
    return f"{number} tables in several stores, and what each"


def _some(value: float) -> str:
    return seconds(value) if value else NONE
