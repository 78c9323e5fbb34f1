"""The throughput that is predicted for several clients at once, for a terminal."""

from collections.abc import Iterable

from rich.console import Group, RenderableType
from rich.text import Text

from advisor.figures import candidate_name, counted, percent, rate
from advisor.report.parts.at_once import AtOnce
from advisor.report.parts.tables import heading, table_of
from placement.limits.check import GAP_TOLERANCE
from placement.plan import PlacementPlan
from placement.strategies.throughput import NAME

ABOUT = (
    "A plan's seconds are work on the machines of its stores and of the engine, whose cores the "
    "clients share."
)


def at_once_text(found: AtOnce, plans: Iterable[PlacementPlan]) -> RenderableType:
    """Show the candidates' predicted queries a second, the most first, and what is proven."""
    feasible = {plan.strategy for plan in plans if plan.feasible}
    table = table_of("candidate", ">queries/s")
    for name, per_s in sorted(found.queries_per_s.items(), key=lambda each: -each[1]):
        shown = candidate_name(name)
        table.add_row(Text(shown if name in feasible else f"({shown})"), rate(per_s))
    title = f"Predicted with {counted(found.clients, 'client')} at once"
    said = [Text(each) for each in (*_sentences(found), *_untold(found))]
    return Group(heading(title), table, *said, Text(ABOUT, style="dim"))


def _sentences(found: AtOnce) -> Iterable[str]:
    if found.plan_of_optimal is not None:
        yield f"'{NAME}' is the plan of 'optimal': {found.plan_of_optimal}."
    if found.bound_per_s is None:
        return
    per_s = found.queries_per_s[NAME]
    more = found.bound_per_s / per_s - 1
    if more <= GAP_TOLERANCE:
        yield f"No plan that keeps all limits has more queries a second than '{NAME}'."
    else:
        yield (
            f"No plan that keeps all limits has more than {rate(found.bound_per_s)} queries a "
            f"second, {percent(more)} more than '{NAME}'."
        )


def _untold(found: AtOnce) -> Iterable[str]:
    """Say where nobody waits since nobody told the cores, and what tells them."""
    if found.untold:
        yield (
            f"Nobody told the cores of {', '.join(found.untold)}: no client is taken to wait "
            "there. [stores.NAME].cores tells those of a store's host, workers and executor_cores "
            "of [evaluate] those of a cluster."
        )
