"""The tables of the paper's experiments: seconds by placement and engine, and its directions."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from statistics import geometric_mean

from benchmarks.tables.markdown import table, wrapped
from benchmarks.tables.results import LINK, SHORT, Answer, Result, read

PATTERN = "experiments_*"
_TOTALS = ("placement", "workers", "joins", "engine", "verified", "s", "mean s")
_DIRECTIONS = ("experiment", "the paper says", "engine", "in the paper", "here", "verdict")


def section() -> str:
    """Return the tables of all results that are kept."""
    return "\n\n".join(
        f"{_caption(each)}\n\n{_totals(each.answer)}\n\n{_directions(each.answer)}"
        for each in read(PATTERN)
    )


def _caption(result: Result) -> str:
    cells = result.answer["results"]
    commands = sorted({each["command"] for each in cells})
    commits = sorted({str(each["commit"])[:SHORT] for each in cells if each["commit"]})
    times = sorted(each["started_at"][:16].replace("T", " ") for each in cells)
    loads = [load for each in cells for load in each["load_average"]]
    told = [
        f"[{result.name}.json]({LINK}/{result.name}.json): "
        + ", ".join(f"`{each}`" for each in commands),
        f"commit {' and '.join(commits) or 'not recorded'}",
        f"{times[0]} to {times[-1]} UTC",
        f"load average {min(loads):.1f} to {max(loads):.1f}",
        f"{len(cells)} of {result.answer['cells']} cells",
    ]
    return wrapped("; ".join(told) + ".")


def _totals(answer: Answer) -> str:
    """Return a row a placement and setting: sum and geometric mean of the medians of its queries.

    They are of the queries whose answers were verified.
    """
    groups: dict[tuple[str, ...], list[Answer]] = defaultdict(list)
    for each in answer["results"]:
        workers = each["workers"]
        groups[
            each["placement"],
            "" if workers is None else str(workers),
            _joins(each),
            each["engine"],
        ].append(each)
    rows = []
    for key, cells in groups.items():
        seconds = [each["measured_s"] for each in cells if each["measured_s"]]
        sums = (f"{sum(seconds):.2f}", f"{geometric_mean(seconds):.2f}") if seconds else ("-", "-")
        rows.append((*key, f"{len(seconds)}/{len(cells)}", *sums))
    return table(_TOTALS, rows, texts=4)


def _joins(cell: Answer) -> str:
    """Return how joins were done, where an experiment compares that."""
    joins: str = cell["join_strategy"]
    return joins if joins != "automatic" or cell.get("alone") else ""


def _directions(answer: Answer) -> str:
    rows = [
        (
            str(each["experiment"]),
            each["claim"],
            each["engine"],
            _compared(each["paper"]),
            _compared(each["here"]),
            each["verdict"],
        )
        for each in answer["directions"]
        if each["here"] is not None
    ]
    return table(_DIRECTIONS, rows, texts=len(_DIRECTIONS))


def _compared(found: Mapping[str, object] | None) -> str:
    """Return in how many queries the first of two has less, and the second's part in total."""
    if found is None:
        return "-"
    return f"{found['lower']}/{_number(found['queries'])}, {found['total_ratio']:.2f}x"


def _number(found: object) -> int:
    return len(list(found)) if isinstance(found, Iterable) else 0
