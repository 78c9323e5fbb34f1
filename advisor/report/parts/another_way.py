"""Queries whose answers are right, but came about in another way than was planned."""

from evaluation.measuring.measurement import Measurements

MOST_NAMED = 5


def answered_otherwise(measurements: Measurements) -> tuple[str, ...]:
    """Return a sentence for each way, and the reason for it, with the queries that it was of."""
    queries: dict[str, dict[str, None]] = {}
    for candidate in measurements.ranked:
        for query in candidate.queries:
            if query.measured_s is not None and query.message:
                queries.setdefault(query.message, {})[query.query] = None
    return tuple(_sentence(list(names), said) for said, names in queries.items())


def _sentence(names: list[str], said: str) -> str:
    more = len(names) - MOST_NAMED
    named = ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
    return f"{named}: {said}"
