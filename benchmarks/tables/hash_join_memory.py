"""Sweeps over the memory of hash joins: CPU seconds by setting, and what the model recommends."""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from benchmarks.tables.markdown import UNKNOWN, Cells, table
from benchmarks.tables.results import Answer, each_alone, read
from placement.memory.choice import told_bytes

MEGABYTE = 1e6

_STORES = {"pg": "PostgreSQL", "maria": "MariaDB", "duck": "DuckDB"}
_JOINS = {"large": "large join", "q8": "query 8"}


def section() -> str:
    return each_alone(read("hash_join_memory"), sweeps)


def slow_section() -> str:
    return each_alone(read("slow_disk_joins"), slow_sweeps)


def sweeps(answer: Answer) -> str:
    """Return the recommended settings, and then the sweep that they were compared with."""
    return f"{_recommendations(answer)}\n\n{_points(answer['points'])}"


def _recommendations(answer: Answer) -> str:
    header: Cells = ("store", "join", "setting", "recommended", "best of the sweep")
    header = (*header, "recommended / best", "64 MB / best", "said cache / best")
    rows = [
        (
            _STORES[each["store"]],
            _JOINS[each["join"]],
            f"`{each['setting']}`",
            told_bytes(each["recommended_bytes"]),
            told_bytes(each["best_bytes"]),
            _ratio(each["recommended_times_best"]),
            _ratio(each["of_64_mib"]),
            _ratio(each["of_said_cache"]),
        )
        for each in answer["recommended"]
    ]
    return table(header, rows)


def _points(points: Sequence[Mapping[str, Any]]) -> str:
    """Return a row a setting; a column of measured and modelled CPU seconds for each join."""
    columns = [(store, join) for store in _STORES for join in _JOINS]
    header: Cells = ("setting", *(f"{_STORES[store]}, {_JOINS[join]}" for store, join in columns))
    found = {(each["store"], each["join"], each["bytes"]): each for each in points}
    settings = sorted({each["bytes"] for each in points})
    rows = [
        (told_bytes(setting), *(_point(found[store, join, setting]) for store, join in columns))
        for setting in settings
    ]
    return table(header, rows)


def _point(point: Mapping[str, Any]) -> str:
    if not point["cpu_s"]:
        return UNKNOWN
    return f"{median(point['cpu_s']):.2f} ({point['modelled_cpu_s']:.2f})"


def slow_sweeps(answer: Answer) -> str:
    """Return a row a setting and disk, and below it what the model recommends."""
    header: Cells = ("disk", "setting", "s", "model's s", "spilled MB", "model's MB", "batches")
    rows = [
        (
            each["disk"],
            told_bytes(each["bytes"]),
            f"{median(each['undisturbed_s']):.2f}" if each["undisturbed_s"] else UNKNOWN,
            f"{each['modelled_s']:.2f}",
            UNKNOWN
            if each["spilled_bytes"] is None
            else f"{each['spilled_bytes'] / MEGABYTE:,.0f}",
            f"{each['modelled_spilled_bytes'] / MEGABYTE:,.0f}",
            str(each["modelled_batches"]),
        )
        for each in answer["points"]
    ]
    told = "\n".join(
        f"- {each['disk']}: {told_bytes(each['recommended_bytes'])} is recommended, "
        f"{told_bytes(each['best_bytes'])} is best; the recommended one takes "
        f"{each['recommended_times_best']:.2f} of the best one's seconds."
        for each in answer["recommended"]
    )
    return f"{table(header, rows)}\n\n{told}"


def _ratio(value: float | None) -> str:
    return UNKNOWN if value is None else f"{value:.2f}"
