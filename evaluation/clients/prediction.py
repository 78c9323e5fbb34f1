"""The throughput that is predicted for a plan, by the machines that its stores and engine share."""

from collections import Counter
from collections.abc import Sequence

from evaluation.running.job import OURS, Job
from placement.demands import by_place
from placement.plan import PlacementPlan
from placement.throughput import throughput


def predicted_per_s(
    job: Job, plan: PlacementPlan, drawn: Sequence[str], clients: int
) -> float | None:
    """Return the queries a second that the plan's seconds predict for so many clients.

    Where nobody told a machine's cores no query waits for another, and the prediction is an upper
    bound. None where the machines are not known, and for other engines than ours, whose seconds
    are not predicted.
    """
    if job.engine != OURS or job.machines is None or not drawn:
        return None
    asked = Counter(drawn).items()
    shares = ((number / len(drawn), plan.routing[query]) for query, number in asked)
    return throughput(job.machines.demands(by_place(shares)), clients)
