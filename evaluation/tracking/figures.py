"""Figures of a tracked run: metrics of one value, and series over rounds and queries."""

from collections.abc import Iterator, Mapping, Sequence

from evaluation.measuring.measurement import (
    CandidateMeasurement,
    ClosedLoop,
    Measurements,
    QueryMeasurement,
    QueryOutcome,
)
from evaluation.measuring.prediction_quality import PredictionQuality
from evaluation.measuring.throughput import SHARES, percentiles

ROUNDS, QUERIES, PREDICTED_QUERIES = "round_s", "query_s", "predicted_query_s"
THROUGHPUT, PREDICTED_THROUGHPUT = "clients/queries_per_s", "clients/predicted_queries_per_s"
SPREAD_THROUGHPUT = "clients/spread_queries_per_s"
CLIENTS = "clients/"
"""The beginning of the metrics that have a figure for each number of clients."""
SERIES = frozenset(
    {
        *(ROUNDS, QUERIES, PREDICTED_QUERIES),
        *(THROUGHPUT, SPREAD_THROUGHPUT, PREDICTED_THROUGHPUT),
        *(CLIENTS + name for name in SHARES),
    }
)
"""Metrics with a figure for each round, for each query at its place in the workload, from 1, or for
each number of clients."""
DIGITS = 6
"""Decimal places that are kept: microseconds, and bytes of a megabyte."""


def rounded(figures: Mapping[str, float]) -> dict[str, float]:
    """Return the figures as MLflow's tables show them in full: it cuts off 3.1999999999999997."""
    return {name: round(float(value), DIGITS) for name, value in figures.items()}


def quality(quality: PredictionQuality) -> dict[str, float]:
    """Return how near the predictions were; what could not be compared is left out."""
    found = {} if quality.tau is None else {"kendall_tau_b": quality.tau}
    for name, errors in (("rows", quality.rows), ("seconds", quality.seconds)):
        if errors is not None:
            found.setdefault("fragments_compared", errors.number)
            found[f"q_error_{name}_median"] = errors.median
            found[f"q_error_{name}_p90"] = errors.p90
            found[f"q_error_{name}_max"] = errors.largest
    return found


def positions(measurements: Measurements) -> dict[str, int]:
    """Return query → its place in the workload, from 1: the same for all candidates."""
    queries = (query.query for each in measurements.candidates for query in each.queries)
    return {query: place for place, query in enumerate(dict.fromkeys(queries), start=1)}


def series(
    candidate: CandidateMeasurement, positions: Mapping[str, int]
) -> dict[str, dict[int, float]]:
    """Return the seconds of each round and query; a query that did not verify has none.

    Where there were several clients, what they had is beside them, each number of them a step.
    """
    measured = {positions[q.query]: q.measured_s for q in candidate.queries}
    plan = candidate.plan
    return {
        ROUNDS: {n: round(s, DIGITS) for n, s in enumerate(candidate.totals_s, start=1)},
        QUERIES: {n: round(s, DIGITS) for n, s in measured.items() if s is not None},
        PREDICTED_QUERIES: {
            positions[q.query]: round(plan.query_s(q.query), DIGITS) for q in candidate.queries
        },
        **_loops(candidate.loops),
    }


def _loops(loops: Sequence[ClosedLoop]) -> dict[str, dict[int, float]]:
    """Return the figures of the loops by their clients; one without a throughput has none."""
    found: dict[str, dict[int, float]] = {}
    for loop in loops:
        told = {CLIENTS + name: value for name, value in percentiles(loop).items()}
        told |= {
            THROUGHPUT: loop.queries_per_s,
            SPREAD_THROUGHPUT: loop.spread_per_s,
            PREDICTED_THROUGHPUT: loop.predicted_per_s,
        }
        for name, value in told.items():
            if value is not None:
                found.setdefault(name, {})[loop.clients] = round(value, DIGITS)
    return found


def metrics(candidate: CandidateMeasurement) -> Iterator[tuple[str, float]]:
    """Yield a candidate's figures; totals are of one run of the workload, by executions."""
    plan, queries = candidate.plan, candidate.queries
    optional = {
        "bound_s": plan.bound_s,
        "gap": plan.gap,
        "measured_s": candidate.measured_s,
        "spread_s": candidate.spread_s,
    }
    yield "predicted_s", candidate.predicted_s
    yield "load_s", candidate.load_s
    yield "rounds", candidate.rounds
    yield from ((name, value) for name, value in optional.items() if value is not None)
    for outcome in QueryOutcome:
        yield f"queries_{outcome}", sum(query.outcome is outcome for query in queries)
    yield "rows_moved", sum(q.executions * q.rows_moved for q in queries)
    yield "bytes_moved", sum(q.executions * q.bytes_moved for q in queries)
    yield from _engine_figures(queries)
    for store in sorted({store for query in queries for store in query.stores_s}):
        yield f"store_s/{store}", sum(q.executions * q.stores_s.get(store, 0.0) for q in queries)
    for store in sorted({store for query in queries for store in query.moved}):
        moved = [(q.executions, q.moved[store]) for q in queries if store in q.moved]
        yield f"store_rows_moved/{store}", sum(weight * each.rows for weight, each in moved)
        yield f"store_bytes_moved/{store}", sum(weight * each.bytes for weight, each in moved)


def _engine_figures(queries: Sequence[QueryMeasurement]) -> Iterator[tuple[str, float]]:
    """Yield what the engine told of its own work; a figure that it told of no query is absent."""
    told: dict[str, list[tuple[float, float | None]]] = {
        "exchanges": [(q.executions, q.exchanges) for q in queries],
        "shuffle_bytes": [(q.executions, q.shuffle_bytes) for q in queries],
        "shuffle_records": [(q.executions, q.shuffle_records) for q in queries],
        "spilled_bytes": [(q.executions, q.spilled_bytes) for q in queries],
        "engine_s": [(q.executions, q.engine_s) for q in queries],
    }
    for name, figures in told.items():
        products = [weight * figure for weight, figure in figures if figure is not None]
        if products:
            yield name, sum(products)
    peaks = [q.peak_memory_bytes for q in queries if q.peak_memory_bytes is not None]
    if peaks:
        yield "peak_memory_bytes", max(peaks)
