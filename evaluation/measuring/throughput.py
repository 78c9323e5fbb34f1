"""Throughput of several clients: percentiles of a loop, and how well the order was predicted."""

from evaluation.measuring.measurement import ClosedLoop, Measurements
from evaluation.measuring.prediction_quality import kendall_tau_b, quantile

SHARES = {"p50_s": 0.5, "p95_s": 0.95, "p99_s": 0.99}
"""Name of a percentile → the share of a loop's queries that take no longer (nearest rank)."""


def percentiles(loop: ClosedLoop) -> dict[str, float | None]:
    """Return the percentiles of the seconds of a query; None each for a loop that has none."""
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
    pairs = [
        (loop.predicted_per_s, loop.queries_per_s)
        for loop in at_most_clients(measurements).values()
        if loop.predicted_per_s is not None and loop.queries_per_s is not None
    ]
    return kendall_tau_b([predicted for predicted, _ in pairs], [found for _, found in pairs])
