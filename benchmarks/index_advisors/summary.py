"""Sums over all queries of each selection, beside those of no index."""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

BEFORE = "none"

Rows = Sequence[Mapping[str, Any]]


def summary(queries: Rows) -> dict[str, Any]:
    """Return selection → its cost and medians over the queries that no selection failed.

    `slower` are the queries whose fewest CPU seconds with the selection are more than the most
    without, and `faster` the other way round; `slowest` is the largest ratio of the medians.
    `rows_differ` are queries whose answers have not as many rows with every selection.
    """
    names = list(queries[0]["selections"])
    failed = {
        each["query"]
        for each in queries
        if any(found["failed"] for found in each["selections"].values())
    }
    compared = [each for each in queries if each["query"] not in failed]
    return {
        "compared": len(compared),
        "failed": {
            name: [each["query"] for each in queries if each["selections"][name]["failed"]]
            for name in names
        },
        "rows_differ": [
            each["query"]
            for each in compared
            if len({found["rows"] for found in each["selections"].values()}) > 1
        ],
        "selections": {name: _of(compared, name) for name in names},
        "cost_of_all": {
            name: sum(each["selections"][name]["cost"] for each in queries) for name in names
        },
    }


def _of(compared: Rows, name: str) -> dict[str, Any]:
    slower, faster, ratios = [], [], {}
    for each in compared:
        before, after = each["selections"][BEFORE]["cpu_s"], each["selections"][name]["cpu_s"]
        ratios[each["query"]] = median(after) / median(before)
        if min(after) > max(before):
            slower.append(each["query"])
        if max(after) < min(before):
            faster.append(each["query"])
    slowest = max(ratios, key=lambda query: ratios[query], default=None)
    return {
        "cost": sum(each["selections"][name]["cost"] for each in compared),
        "seconds": sum(median(each["selections"][name]["seconds"]) for each in compared),
        "cpu_s": sum(median(each["selections"][name]["cpu_s"]) for each in compared),
        "least_cpu_s": sum(min(each["selections"][name]["cpu_s"]) for each in compared),
        "most_cpu_s": sum(max(each["selections"][name]["cpu_s"]) for each in compared),
        "slower": slower,
        "faster": faster,
        "slowest": None if slowest is None else {"query": slowest, "ratio": ratios[slowest]},
    }
