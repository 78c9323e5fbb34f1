"""The queries that clients ask, drawn by their executions: the same for every candidate."""

import random
from collections.abc import Mapping
from fractions import Fraction

LEAST_EACH = 10
"""Queries that a client asks on average, at least: what some idle at the end counts little then."""


def draws(executions: Mapping[str, float], clients: int, seed: int) -> tuple[str, ...]:
    """Return the queries in the order in which they are asked, each with its share of executions.

    Shares are whole numbers by the largest remainder. A query with executions for which there is
    no place is asked once, beyond the others.
    """
    asked = {query: Fraction(number) for query, number in executions.items() if number > 0}
    if not asked:
        return ()
    shares = _shares(asked, clients * max(LEAST_EACH, len(asked)))
    found = [query for query, share in shares.items() for _ in range(max(1, share))]
    random.Random(seed).shuffle(found)  # noqa: S311 - an order of runs, not a secret
    return tuple(found)


def _shares(executions: Mapping[str, Fraction], number: int) -> dict[str, int]:
    total = sum(executions.values())
    exact = {query: number * each / total for query, each in executions.items()}
    shares = {query: int(each) for query, each in exact.items()}
    left = number - sum(shares.values())
    nearest = sorted(exact, key=lambda query: shares[query] - exact[query])
    for query in nearest[:left]:
        shares[query] += 1
    return shares
