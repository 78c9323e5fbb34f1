"""The optimal plan with tuned settings beside the same plan with default ones."""

from collections.abc import Mapping
from statistics import median
from typing import Any

from benchmarks.tables.markdown import UNKNOWN, Cells, percent, seconds, table, wrapped
from benchmarks.tables.results import Answer, each_alone, read

MEGABYTE = 1e6
SLOWER = 1.1
DEFAULT, TUNED = "default", "tuned"


def section() -> str:
    return each_alone(read("tuned_*"), readings)


def readings(answer: Answer) -> str:
    """Return a row a plan, the settings that one of them has, and its slowest query."""
    plans = answer["plans"]
    header: Cells = ("plan", "verified", "s", "spread", "predicted s", "MB moved", "peak MB")
    rows = [(name, _verified(answer, name), *_figures(each)) for name, each in plans.items()]
    return f"{table(header, rows)}\n\n{wrapped(' '.join((_settings(answer), _ratios(answer))))}"


def _verified(answer: Answer, name: str) -> str:
    verified = sum(each[name]["outcome"] == "verified" for each in answer["queries"])
    return f"{verified}/{len(answer['queries'])}"


def _figures(found: Answer) -> Cells:
    totals, peak = found["totals_s"], found["peak_memory_bytes"]
    spread = percent((max(totals) - min(totals)) / median(totals)) if totals else UNKNOWN
    return (
        seconds(median(totals) if totals else None),
        spread,
        seconds(found["predicted_s"]),
        f"{found['bytes_moved'] / MEGABYTE:,.1f}",
        UNKNOWN if peak is None else f"{peak / MEGABYTE:,.1f}",
    )


def _settings(answer: Answer) -> str:
    found = answer["settings"]
    fetched = sum(each["fetch_rows"] is not None for each in found)
    divided = sum(each["statements"] is not None for each in found)
    joining = sum(each["join_memory_bytes"] is not None for each in found)
    behind = " and ".join(answer["slow"])
    link = f"{behind} behind the slow link" if behind else "All stores over loopback"
    return (
        f"{link[0].upper()}{link[1:]}, {answer['repeats']} rounds: {fetched} fragments have a "
        f"fetch size of their own, {divided} a number of statements, {joining} a working memory."
    )


def _ratios(answer: Answer) -> str:
    """Say how much slower or faster the queries are that have settings; others are one run."""
    ratios = _known(answer)
    if not ratios:
        return "No query has settings and is verified with both plans."
    slower = [name for name, ratio in ratios.items() if ratio > SLOWER]
    slowest, fastest = (pick(ratios, key=lambda name: ratios[name]) for pick in (max, min))
    return (
        f"Queries with settings that take over {SLOWER} times their time with default ones: "
        f"{len(slower)} of {len(ratios)}. The slowest is {slowest} ({ratios[slowest]:.2f} times), "
        f"the fastest {fastest} ({ratios[fastest]:.2f} times)."
    )


def _known(answer: Answer) -> Mapping[str, float]:
    """Return query → its seconds with settings over those without, medians of the rounds."""
    return {
        each["name"]: _median(each[TUNED]) / _median(each[DEFAULT])
        for each in answer["queries"]
        if each["has_settings"] and each[TUNED]["seconds"] and each[DEFAULT]["seconds"]
    }


def _median(found: Mapping[str, Any]) -> float:
    return median(found["seconds"])


def conclusion() -> str:
    told = []
    for result in read("tuned_*"):
        plans, ratios = result.answer["plans"], _known(result.answer)
        if not all(each["totals_s"] for each in plans.values()):
            continue
        times = median(plans[TUNED]["totals_s"]) / median(plans[DEFAULT]["totals_s"])
        link = "behind a slow link" if result.answer["slow"] else "over loopback"
        slower = sum(each > SLOWER for each in ratios.values())
        both = sum(
            all(each[name]["outcome"] == "verified" for name in (DEFAULT, TUNED))
            for each in result.answer["queries"]
        )
        told.append(
            f"{times:.2f} times {link} ({both} queries verified with both, {slower} over {SLOWER} "
            "times)"
        )
    measured = ", ".join(told)
    return f"Seconds of the optimal plan, tuned over default settings: {measured}."
