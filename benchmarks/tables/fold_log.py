"""The table of times in which a query log is folded into templates."""

import statistics
from collections.abc import Sequence

from benchmarks.tables.markdown import UNKNOWN, seconds, span, table, wrapped
from benchmarks.tables.results import Answer, each_alone, read


def section() -> str:
    return each_alone(read("fold_log_*"), runs)


def runs(answer: Answer) -> str:
    """Return a row a way of folding, and what the sample says."""
    header = (
        "folded by",
        "median s",
        "spread s",
        "CPU s",
        "lines/s",
        "peak memory, MiB",
    )
    rows = []
    for how in dict.fromkeys(run["how"] for run in answer["runs"]):
        found = [run for run in answer["runs"] if run["how"] == how]
        took = [run["seconds"] for run in found]
        used = [run["cpu_s"] for run in found if run.get("cpu_s") is not None]
        rows.append(
            (
                how,
                seconds(statistics.median(took)),
                seconds(max(took) - min(took)) if len(took) > 1 else UNKNOWN,
                seconds(statistics.median(used)) if used else UNKNOWN,
                f"{answer['lines'] / statistics.median(took):,.0f}",
                f"{max(run['peak_bytes'] for run in found) / 2**20:,.0f}",
            )
        )
    log, sample = answer["log"], answer["sample"]
    about = (
        f"{answer['lines']:,} lines, {log['bytes'] / 1e6:,.0f} MB, {log['templates']} templates, "
        f"{log['executions']:,} executions: all runs equal. Of a sample of "
        f"{sample['statements']:,} statements {sample['different']} are in another template by "
        "sqlglot's tokens."
    )
    return f"{table(header, rows)}\n\n{wrapped(about)}"


def _rates(answers: Sequence[Answer]) -> list[float]:
    return [run["lines"] / each["seconds"] for run in answers for each in run["runs"]]


def conclusion() -> str:
    answers = [each.answer for each in read("fold_log_*")]
    peaks = [each["peak_bytes"] / 2**20 for run in answers for each in run["runs"]]
    thousands = [rate / 1e3 for rate in _rates(answers)]
    lines = span([run["lines"] for run in answers], ",")
    return (
        f"Logs of {lines} lines are folded at {span(thousands, '.0f')} thousand lines a second, "
        f"with at most {max(peaks):,.0f} MiB."
    )
