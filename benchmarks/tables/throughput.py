"""Queries a second of several clients at once, of the main job's runs that were asked for them."""

from advisor.figures import spread
from benchmarks.tables.markdown import UNKNOWN, seconds, table, wrapped
from benchmarks.tables.results import Answer, Result, each_alone, read

NOT_MEASURED = "Not measured yet"


def section() -> str:
    return each_alone(_runs(), run) or f"{NOT_MEASURED}."


def run(answer: Answer) -> str:
    """Return a row a candidate and number of clients, and what the report says of them."""
    header = (
        *("candidate", "limits", "clients", "predicted q/s", "measured q/s"),
        *("spread", "runs", "p50 s", "p95 s"),
    )
    rows = [
        (
            each["strategy"],
            "kept" if each["feasible"] else "broken",
            str(loop["clients"]),
            _rate(loop["predicted_queries_per_s"]),
            _rate(loop["queries_per_s"]),
            _spread(loop.get("spread_queries_per_s")),
            str(loop.get("rounds", UNKNOWN)),
            seconds(loop["p50_s"]),
            seconds(loop["p95_s"]),
        )
        for each in answer["candidates"]
        for loop in each["throughput"]
    ]
    return f"{table(header, rows, texts=2)}\n\n{wrapped(' '.join(_sentences(answer)))}"


def _rate(value: float | None) -> str:
    return UNKNOWN if value is None else f"{value:.2f}"


def _spread(value: float | None) -> str:
    return UNKNOWN if value is None else spread(value)


def _sentences(answer: Answer) -> list[str]:
    return answer["throughput"]["sentences"]


def _runs() -> list[Result]:
    return [each for each in read("main_job_*") if each.answer.get("throughput")]


def conclusion() -> str:
    told = [f"{each.name}: {' '.join(_sentences(each.answer))}" for each in _runs()]
    return f"Several clients at once. {' '.join(told) or f'{NOT_MEASURED}.'}"
