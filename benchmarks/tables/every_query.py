"""All 99 queries on placements good and bad: how each ended."""

from collections import Counter
from collections.abc import Sequence

from benchmarks.tables.markdown import table, wrapped
from benchmarks.tables.results import Answer, each_alone, read

SLOWEST = 4


def section() -> str:
    return each_alone(read("every_query_*"), outcomes)


def outcomes(answer: Answer) -> str:
    """Return a row a placement."""
    about = (
        f"Scale factor {answer['scale_factor']:g}; each query once, at most "
        f"{answer['timeout_s']:g} s."
    )
    return f"{wrapped(about)}\n\n{by_placement(answer['results'])}"


def by_placement(results: Sequence[Answer]) -> str:
    """Return a row a placement: outcomes, second tries, seconds, the slowest queries."""
    header = (
        "placement",
        "slowest, s",
        "verified",
        "other outcomes",
        "second tries",
        "s",
        "rows moved",
    )
    rows = []
    for placement in dict.fromkeys(each["placement"] for each in results):
        inside = [each for each in results if each["placement"] == placement]
        counts = Counter(str(each["outcome"]) for each in inside)
        verified = counts.pop("verified", 0)
        slowest = sorted(inside, key=lambda each: -each["seconds"])[:SLOWEST]
        rows.append(
            (
                placement,
                ", ".join(f"{each['query']} {each['seconds']:.1f}" for each in slowest),
                f"{verified}/{len(inside)}",
                ", ".join(f"{number} {name}" for name, number in counts.items()) or "none",
                f"{sum(bool(each['second_try']) for each in inside)}",
                f"{sum(each['seconds'] for each in inside):.1f}",
                f"{sum(each['rows_moved'] or 0 for each in inside):,}",
            )
        )
    return table(header, rows, texts=2)


def conclusion() -> str:
    found = [each.answer["results"] for each in read("every_query_*")]
    results = [one for each in found for one in each]
    right = [each for each in results if each["outcome"] == "verified"]
    placements = sum(len({one["placement"] for one in each}) for each in found)
    again = sum(bool(each["second_try"]) for each in right)
    return (
        f"{len(right)} of {len(results)} answers to TPC-DS's queries on {placements} placements "
        f"equal DuckDB's, {again or 'none'} of them by a second try."
    )
