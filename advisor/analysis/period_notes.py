"""Notes on the period that executions are counted in."""

from collections.abc import Iterator

from advisor.figures import factor, lasting
from advisor.project.project import Project
from placement.costs import DAYS_OF_MONTH

_DAY_S = 86_400.0


def period_notes(project: Project) -> Iterator[str]:
    """Yield a sentence on a period that is shorter than a day, and what follows from it."""
    days = project.workload.period_days
    if days < 1:
        yield (
            f"The executions are those of {lasting(days * _DAY_S)} only ([workload].period_days = "
            f"{days:g}): {'; '.join(_consequences(project, days))}. Take statistics or logs of "
            "days for a placement that is to last."
        )


def _consequences(project: Project, days: float) -> Iterator[str]:
    yield "statements that run less often are missing"
    if project.place.current or any(store.is_live for store in project.stores):
        within = lasting(days * _DAY_S * project.place.horizon)
        yield f"a move has to pay for itself within {within}, the period times [place].horizon"
    if any(store.prices.transfer_gb for store in project.stores):
        times = factor(DAYS_OF_MONTH / days)
        yield f"transfers are taken to cost {times} times as much a month as in the period"
