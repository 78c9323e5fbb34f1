"""The same queries in two checkouts, in turn, over the same copies."""

from collections.abc import Sequence
from statistics import median

from benchmarks.tables.markdown import seconds, table, wrapped
from benchmarks.tables.results import Answer, each_alone, read

SIDES = ("before", "after")


def section() -> str:
    return each_alone(read("two_versions"), compared)


def compared(answer: Answer) -> str:
    """Return a row a placement, and one over all."""
    results = answer["results"]
    placements = dict.fromkeys(each["placement"] for each in results)
    rows = [
        _row(name, [each for each in results if each["placement"] == name]) for name in placements
    ]
    header = (
        "placement",
        "queries",
        "before s",
        "after s",
        "after / before",
        "apart",
    )
    about = (
        f"Scale factor {answer['scale_factor']:g}, repeats: {answer['repeats']}. A query is apart "
        "where the executions of one version are all faster than all of the other's."
    )
    return f"{wrapped(about)}\n\n{table(header, [*rows, _row('all', results)])}"


def _row(name: str, results: Sequence[Answer]) -> list[str]:
    before, after = (_total(results, side) for side in SIDES)
    apart = sum(
        max(each["before"]) < min(each["after"]) or max(each["after"]) < min(each["before"])
        for each in results
    )
    took = f"{after / before:.2f}"
    return [name, f"{len(results)}", seconds(before), seconds(after), took, f"{apart}"]


def _total(results: Sequence[Answer], side: str) -> float:
    return float(sum(median(each[side]) for each in results))


def conclusion() -> str:
    (result,) = read("two_versions")
    before, after = (_total(result.answer["results"], side) for side in SIDES)
    return (
        f"Commit {result.answer['after'][:7]} takes {after / before:.2f} times as long as "
        f"{result.answer['before'][:7]} over {len(result.answer['results'])} queries on placements."
    )
