"""The main job: every candidate's predicted and measured seconds."""

from collections.abc import Iterable, Sequence
from itertools import count

from benchmarks.tables.markdown import seconds, span, table, wrapped
from benchmarks.tables.results import Answer, Result, each_alone, read

OURS = "optimal"


def section() -> str:
    return each_alone(read("main_job_*"), run)


def demo() -> str:
    """Return the candidates of the demo as they are measured for the first page."""
    (result,) = read("main_job_demo_sf0.1")
    return f"{ranking(result.answer)}\n\n{wrapped(result.answer['recommendation'])}"


def run(answer: Answer) -> str:
    """Return the ranking, what is recommended and the timing split."""
    stages = ", ".join(f"{name} {took:.1f} s" for name, took in answer["seconds"].items())
    about = (
        f"At most {answer['repeats']} rounds. Stages: {stages}; {answer['wall_s']:.0f} s in all."
    )
    return "\n\n".join([ranking(answer), wrapped(answer["recommendation"]), wrapped(about)])


def ranking(answer: Answer) -> str:
    """Return a row a candidate, the fastest first; those that break a limit have no rank."""
    header = ("#", "candidate", "limits", "predicted s", "measured s", "spread s")
    ranked = sorted(
        answer["candidates"],
        key=lambda each: (each["measured_s"] is None, each["measured_s"] or 0.0),
    )
    rank = count(1)
    rows = (
        (
            str(next(rank)) if each["feasible"] else "",
            each["strategy"],
            "kept" if each["feasible"] else "broken",
            seconds(each["predicted_s"]),
            seconds(each["measured_s"]),
            seconds(each["spread_s"]),
            _verified(each),
            f"{sum(query['rows_moved'] or 0 for query in each['queries']):,}",
        )
        for each in ranked
    )
    return table((*header, "verified", "rows moved"), rows, texts=3)


def _verified(candidate: Answer) -> str:
    right = sum(query["outcome"] == "verified" for query in candidate["queries"])
    return f"{right}/{len(candidate['queries'])}"


def conclusion() -> str:
    return concluded(read("main_job_*"))


def concluded(runs: Sequence[Result]) -> str:
    """Tell in how many runs ours is first of those that keep the limits, and by how much."""
    gains = [gain for each in runs if (gain := _gain(each.answer)) is not None]
    first = sum(gain >= 1 for gain in gains)
    beaten = sum(_beaten_by_one_store(each.answer) for each in runs)
    return (
        "Of the candidates that keep every capacity, the optimal plan has the smallest median in "
        f"{first} of {len(runs)} runs of the main job: the best other takes {span(gains, '.1f')} "
        f"times as long. In {beaten} of {len(runs)} runs one store alone has a smaller median, and "
        "breaks its capacity."
    )


def _gain(answer: Answer) -> float | None:
    feasible = [each for each in answer["candidates"] if each["feasible"] and each["measured_s"]]
    ours = next((each for each in feasible if each["strategy"] == OURS), None)
    if ours is None:
        return None
    # Two strategies may find one plan, which is measured once.
    others = [
        each["measured_s"]
        for each in feasible
        if (each["placement"], each["measured_s"]) != (ours["placement"], ours["measured_s"])
    ]
    return min(others) / ours["measured_s"] if others else None


def _beaten_by_one_store(answer: Answer) -> bool:
    ours = _seconds(each for each in answer["candidates"] if each["strategy"] == OURS)
    alone = _seconds(
        each
        for each in answer["candidates"]
        if each["strategy"].startswith("single_store") and not each["feasible"]
    )
    return bool(ours and alone) and min(alone) < min(ours)


def _seconds(candidates: Iterable[Answer]) -> list[float]:
    return [each["measured_s"] for each in candidates if each["measured_s"]]
