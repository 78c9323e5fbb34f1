"""Queries that are not judged for one candidate, and are left out of the seconds of all."""

from collections.abc import Sequence
from dataclasses import replace

from evaluation.measuring.measurement import CandidateMeasurement, QueryOutcome


def left_out_alike(
    candidates: Sequence[CandidateMeasurement],
) -> tuple[CandidateMeasurement, ...]:
    """Leave a query that is not judged for one candidate out of all: totals stay comparable.

    Where another candidate happened to give DuckDB's own answer, nothing vouches for its seconds
    either. What was wrong, failed or late in a candidate stays so.
    """
    unjudged = {
        query.query: query
        for candidate in candidates
        for query in candidate.queries
        if not query.outcome.is_judged
    }
    return tuple(
        replace(
            candidate,
            queries=tuple(
                replace(
                    query,
                    outcome=unjudged[query.query].outcome,
                    seconds=(),
                    message=unjudged[query.query].message,
                )
                if query.outcome is QueryOutcome.VERIFIED and query.query in unjudged
                else query
                for query in candidate.queries
            ),
        )
        for candidate in candidates
    )
