"""Predicted beside measured seconds of the main job's runs.

The relative error of a query of a candidate is the distance between its predicted and its measured
seconds, in measured seconds. `best` is how much longer than the fastest candidate the one took
that was predicted to be the fastest, of all and of those within the capacities.
"""

from collections.abc import Mapping, Sequence
from statistics import median, quantiles

from benchmarks.tables.markdown import UNKNOWN, percent, span, table
from benchmarks.tables.results import Answer, Result, by_revision, read
from evaluation.measuring.prediction_quality import kendall_tau_b

Pairs = Mapping[str, Sequence[tuple[float, float]]]


def section() -> str:
    return by_revision(read("main_job_*"), quality)


def quality(runs: Sequence[Result]) -> str:
    """Return a row a run."""
    header = (
        "run",
        "queries",
        "median error",
        "quartiles",
        "Kendall's tau-b",
        "best of all",
        "best feasible",
    )
    return table(header, [_row(each) for each in runs])


def pairs(run: Answer) -> Pairs:
    """Return candidate → predicted and measured seconds of each verified query."""
    return {
        each["strategy"]: [
            (query["predicted_s"], query["measured_s"])
            for query in each["queries"]
            if query["outcome"] == "verified"
        ]
        for each in run["candidates"]
    }


def errors(run: Answer) -> list[float]:
    """Return the relative error of each query of each candidate."""
    return [
        abs(predicted - measured) / measured
        for both in pairs(run).values()
        for predicted, measured in both
    ]


def longer(run: Answer, *, feasible: bool) -> tuple[str, float]:
    """Return the predicted best, and how much longer than the fastest it takes, as a share."""
    known = [
        each
        for each in run["candidates"]
        if each["measured_s"] and (each["feasible"] or not feasible)
    ]
    chosen = min(known, key=lambda each: each["predicted_s"])
    fastest = min(known, key=lambda each: each["measured_s"])
    return chosen["strategy"], chosen["measured_s"] / fastest["measured_s"] - 1


def _row(result: Result) -> list[str]:
    found = errors(result.answer)
    first, _, third = quantiles(found)
    known = [each for each in result.answer["candidates"] if each["measured_s"]]
    tau = kendall_tau_b(
        [each["predicted_s"] for each in known], [each["measured_s"] for each in known]
    )
    best = [longer(result.answer, feasible=feasible) for feasible in (False, True)]
    return [
        result.name.removeprefix("main_job_"),
        f"{len(found)}",
        percent(median(found)),
        f"{percent(first)} to {percent(third)}",
        UNKNOWN if tau is None else f"{tau:.2f}",
        *(f"{percent(share)} ({name})" for name, share in best),
    ]


def conclusion() -> str:
    runs = [each.answer for each in read("main_job_*")]
    medians = [100 * median(errors(run)) for run in runs]
    right = sum(longer(run, feasible=True)[1] == 0 for run in runs)
    return (
        f"The median error of a query's predicted seconds is {span(medians, '.0f')} %. The plan "
        "that is predicted to be the best within the capacities has the smallest measured median "
        f"of them in {right} of {len(runs)} runs."
    )
