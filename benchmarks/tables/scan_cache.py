"""Tables that MariaDB reads whole again and again, and the bytes that come from its disk."""

import statistics

from benchmarks.tables.markdown import Cells, percent, seconds, table, wrapped
from benchmarks.tables.results import Answer, each_alone, read

MEGABYTE = 1e6


def section() -> str:
    return each_alone(read("scan_cache"), readings)


def readings(answer: Answer) -> str:
    """Return a row a table: its first reading, and the medians of all others."""
    header: Cells = ("table", "stored MB", "first s", "again s", "first, MB from disk")
    header = (*header, "again, MB from disk", "the model's MB")
    rows = []
    for each in answer["tables"]:
        first, *again = each["runs"]
        rows.append(
            (
                each["table"],
                _megabytes(each["stored"]),
                seconds(first["seconds"]),
                seconds(statistics.median(run["seconds"] for run in again)),
                _megabytes(first["from_disk"]),
                _megabytes(_again(each)),
                _megabytes(_missed(each, answer)),
            )
        )
    about = (
        f"Scale factor {answer['scale_factor']:g}; medians of {answer['repeats']} readings after "
        f"the first. The pool has {_megabytes(answer['pool_bytes'])} MB, of which "
        f"{_megabytes(answer['found_again_bytes'])} MB are its old part."
    )
    return f"{table(header, rows)}\n\n{wrapped(about)}"


def _again(read_table: Answer) -> float:
    return float(statistics.median(run["from_disk"] for run in read_table["runs"][1:]))


def _missed(read_table: Answer, answer: Answer) -> float:
    kept = min(1.0, answer["found_again_bytes"] / read_table["stored"])
    return float(read_table["stored"] * (1.0 - kept**2))


def _megabytes(size: float) -> str:
    return f"{size / MEGABYTE:,.0f}"


def conclusion() -> str:
    (result,) = read("scan_cache")
    off = [
        abs(_missed(each, result.answer) - _again(each)) / each["stored"]
        for each in result.answer["tables"]
    ]
    return (
        "The model's bytes that a repeated scan of MariaDB takes from the disk are at most "
        f"{percent(max(off))} of the table off."
    )
