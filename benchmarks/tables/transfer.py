"""Results read with settings that a link chose, beside the best of a grid and fixed ones."""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from benchmarks.tables.markdown import UNKNOWN, Cells, percent, span, table, wrapped
from benchmarks.tables.results import Answer, each_alone, read

MEGABYTE = 1e6
CHOSEN, BEST = "chosen", "best of the grid"
WITHIN = 1.05


def section() -> str:
    return each_alone(read("transfer*"), readings)


def readings(answer: Answer) -> str:
    """Return a row a result and link, and below them what Spark holds of the largest results."""
    parts = [_link(each) for each in answer["links"]]
    if answer["memory"]:
        parts.append(_memory(answer["memory"]))
    return "\n\n".join(parts)


def _link(link: Answer) -> str:
    names = list(dict.fromkeys(c["name"] for f in link["fragments"] for c in f["compared"]))
    header: Cells = ("row, bytes", "rows", "chosen rows", "message", *(f"{n}, s" for n in names))
    rows = [
        (
            str(each["width"]),
            f"{each['rows']:,}",
            f"{_named(each, CHOSEN)['fetch_rows']:,}",
            f"{_named(each, CHOSEN)['message_bytes']:,}",
            *(_seconds(each, name) for name in names),
        )
        for each in link["fragments"]
    ]
    calibrated = link["calibration"]
    runs = sum(len(each["grid"]) for each in link["fragments"])
    ratios = _times_best(link)
    about = (
        f"{link['link'].capitalize()}: {calibrated['probes']} probes, "
        f"{percent(calibrated['probes'] / runs, 1)} of the grid's {runs} reads; the model's mean "
        f"relative error is {percent(calibrated['error'])} on its probes. The chosen "
        f"settings take {span(ratios, '.2f')} times the seconds of the best of the grid, "
        f"{median(ratios):.2f} in the median; {_within(ratios)} of {len(ratios)} results are "
        f"within {percent(WITHIN - 1)}. Seconds are medians, with the largest less the least as a "
        "share of them."
    )
    return f"{wrapped(about)}\n\n{table(header, rows)}"


def _memory(found: Sequence[Mapping[str, Any]]) -> str:
    names = list(dict.fromkeys(each["name"] for each in found))
    sizes = {(each["width"], each["rows"], each["name"]): each["bytes"] for each in found}
    results = dict.fromkeys((width, rows) for width, rows, _ in sizes)
    rows = [
        (
            str(width),
            f"{number:,}",
            *(_megabytes(sizes.get((width, number, name))) for name in names),
        )
        for width, number in results
    ]
    return table(("row, bytes", "rows", *(f"{name}, MB held" for name in names)), rows)


def _named(fragment: Answer, name: str) -> Answer | None:
    found: list[Answer] = [each for each in fragment["compared"] if each["name"] == name]
    return found[0] if found else None


def _seconds(fragment: Answer, name: str) -> str:
    found = _named(fragment, name)
    if found is None:
        return UNKNOWN
    seconds = found["seconds"]
    spread = (max(seconds) - min(seconds)) / median(seconds)
    return f"{median(seconds):.3f} ±{percent(spread)}"


def _times_best(link: Answer) -> list[float]:
    """Return each result's seconds with the chosen settings over those with the grid's best."""
    ratios = []
    for each in link["fragments"]:
        chosen, best = _named(each, CHOSEN), _named(each, BEST)
        if chosen is not None and best is not None:
            ratios.append(median(chosen["seconds"]) / median(best["seconds"]))
    return ratios


def _within(ratios: Sequence[float]) -> int:
    return sum(each <= WITHIN for each in ratios)


def _megabytes(size: float | None) -> str:
    return UNKNOWN if size is None else f"{size / MEGABYTE:,.1f}"


def conclusion() -> str:
    told = []
    for result in read("transfer*"):
        for link in result.answer["links"]:
            ratios = _times_best(link)
            told.append(f"{_within(ratios)} of {len(ratios)} results over {link['link']}")
    return (
        f"Fetch and message sizes that a calibrated link chooses take at most {percent(WITHIN - 1)}"
        f" more than the best of a full grid for {' and '.join(told)}."
    )
