"""Measured fragments and predictions as ``--json``. Add keys, never rename them."""

from collections.abc import Sequence
from dataclasses import asdict
from statistics import median
from typing import Any

from advisor.report.parts.throughput import throughput_sentences
from evaluation.measuring.measurement import CandidateMeasurement, Measurements, QueryMeasurement
from evaluation.measuring.prediction_quality import (
    ComparedFragment,
    PredictionQuality,
    QErrors,
    compared_fragments,
    store_s,
)
from evaluation.measuring.throughput import (
    most_clients,
    pairs_apart,
    percentiles,
    throughput_tau,
)

Document = dict[str, Any]


def fragment_documents(
    candidate: CandidateMeasurement, query: QueryMeasurement
) -> Sequence[Document]:
    """Return a query's fragments, one object each, beside what the plan predicted of them."""
    routed = {
        (each.fragment.name, each.store): each
        for each in candidate.plan.routing.get(query.query, ())
    }
    compared = {(each.name, each.store): each for each in compared_fragments(candidate, query)}
    found = []
    for each in query.fragments:
        key = (each.name, each.store)
        planned, both = routed.get(key), compared.get(key)
        found.append(
            {
                "name": each.name,
                "view": each.view,
                "store": each.store,
                "kind": each.kind,
                "tables": list(each.tables),
                "predicted_rows": None if planned is None else planned.fragment.work.rows_out,
                "predicted_bytes": None if planned is None else planned.fragment.work.bytes_out,
                "predicted_s": None if planned is None else store_s(planned),
                "rows": each.rows,
                "bytes": each.bytes,
                "seconds": each.seconds,
                "execute_s": each.execute_s,
                "fetch_s": each.fetch_s,
                "partitions": each.partitions,
                "rows_q_error": None if both is None else both.rows_q_error,
                "seconds_q_error": None if both is None else both.seconds_q_error,
            }
        )
    return found


def quality_document(quality: PredictionQuality) -> Document:
    """Return how near the predictions were."""
    return {
        "kendall_tau_b": quality.tau,
        "candidates": [
            {
                "strategy": each.candidate,
                "predicted_s": each.predicted_s,
                "measured_s": each.measured_s,
                "relative_error": each.relative_error,
            }
            for each in quality.candidates
        ],
        "rows": _q_errors(quality.rows),
        "seconds": _q_errors(quality.seconds),
    }


def throughput_documents(candidate: CandidateMeasurement) -> Sequence[Document]:
    """Return a candidate's loops of several clients, one object each."""
    return [
        {
            "clients": loop.clients,
            "outcome": str(loop.outcome),
            "rounds": len(loop.rounds),
            "queries": len(loop.rounds[0].seconds) if loop.rounds else None,
            "elapsed_s": median(loop.totals_s) if loop.rounds else None,
            "queries_per_s": loop.queries_per_s,
            "spread_queries_per_s": loop.spread_per_s,
            **percentiles(loop),
            "predicted_queries_per_s": loop.predicted_per_s,
            "query": loop.query or None,
            "message": loop.message,
        }
        for loop in candidate.loops
    ]


def throughput_document(measurements: Measurements) -> Document | None:
    """Return what is said of the most clients; None where no number of them was asked for."""
    most = most_clients(measurements)
    if most is None:
        return None
    pairs = pairs_apart(measurements)
    return {
        "clients": most,
        "kendall_tau_b": throughput_tau(measurements),
        "pairs": None if pairs is None else asdict(pairs),
        "sentences": list(throughput_sentences(measurements)),
    }


def _q_errors(errors: QErrors | None) -> Document | None:
    if errors is None:
        return None
    return {
        "fragments": errors.number,
        "median": errors.median,
        "p90": errors.p90,
        "max": errors.largest,
        "worst": [_compared(each) for each in errors.worst],
    }


def _compared(each: ComparedFragment) -> Document:
    return {
        "strategy": each.candidate,
        "query": each.query,
        "name": each.name,
        "store": each.store,
        "tables": list(each.tables),
        "predicted_rows": each.predicted_rows,
        "rows": each.measured_rows,
        "predicted_s": each.predicted_s,
        "seconds": each.measured_s,
        "rows_q_error": each.rows_q_error,
        "seconds_q_error": each.seconds_q_error,
    }
