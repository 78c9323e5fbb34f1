"""Throughput of several clients: percentiles of a loop, and how well the order was predicted."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

from evaluation.measuring.measurement import ClosedLoop, Measurements
from evaluation.measuring.prediction_quality import kendall_tau_b, quantile
from evaluation.measuring.rounds import noise

SHARES = {"p50_s": 0.5, "p95_s": 0.95, "p99_s": 0.99}
"""Name of a percentile → the share of a loop's queries that take no longer (nearest rank)."""


def percentiles(loop: ClosedLoop) -> dict[str, float | None]:
    """Return percentiles of a query's seconds over all rounds; None for a loop that has none."""
    ordered = sorted(loop.seconds)
    return {name: quantile(ordered, share) if ordered else None for name, share in SHARES.items()}


def most_clients(measurements: Measurements) -> int | None:
    """Return the largest number of clients that was asked for; None without any."""
    return max(
        (loop.clients for each in measurements.candidates for loop in each.loops), default=None
    )


def at_most_clients(measurements: Measurements) -> dict[str, ClosedLoop]:
    """Return strategy → its loop with the most clients, of those that have a throughput."""
    most = most_clients(measurements)
    return {
        each.plan.strategy: loop
        for each in measurements.candidates
        for loop in each.loops
        if loop.clients == most and loop.queries_per_s is not None
    }


def throughput_tau(measurements: Measurements) -> float | None:
    """Return Kendall's tau-b of predicted and measured throughput with the most clients."""
    compared = _compared(measurements)
    return kendall_tau_b([each[0] for each in compared], [each[1] for each in compared])


@dataclass(frozen=True, slots=True, kw_only=True)
class PairsApart:
    """Of all pairs of candidates, those that the rounds tell apart, and of these, as predicted."""

    compared: int
    apart: int
    as_predicted: int


def pairs_apart(measurements: Measurements) -> PairsApart | None:
    """Return how many pairs have the predicted order with the most clients, beyond the noise.

    Candidates that share a loop count once, and pairs of the same prediction have no order. None
    without a pair.
    """
    distinct = {loop.rounds: (predicted, loop) for predicted, _, loop in _compared(measurements)}
    found = noise(loop.totals_s for _, loop in distinct.values())
    # More queries a second are fewer seconds: both orders are of seconds.
    orders = [
        (-1 if left > right else 1, found.order(one.totals_s, other.totals_s))
        for (left, one), (right, other) in combinations(distinct.values(), 2)
        if left != right
    ]
    if not orders:
        return None
    return PairsApart(
        compared=len(orders),
        apart=sum(measured != 0 for _, measured in orders),
        as_predicted=sum(measured == predicted for predicted, measured in orders),
    )


def are_apart(loops: Iterable[ClosedLoop], one: ClosedLoop, other: ClosedLoop) -> bool:
    """Tell whether the rounds tell two loops apart, by the noise of all of these `loops`."""
    distinct = {each.rounds: each.totals_s for each in loops}
    return noise(distinct.values()).apart(one.totals_s, other.totals_s)


def _compared(measurements: Measurements) -> list[tuple[float, float, ClosedLoop]]:
    """Return predicted and measured throughput with the most clients, and the loop, of each."""
    return [
        (loop.predicted_per_s, loop.queries_per_s, loop)
        for loop in at_most_clients(measurements).values()
        if loop.predicted_per_s is not None and loop.queries_per_s is not None
    ]
