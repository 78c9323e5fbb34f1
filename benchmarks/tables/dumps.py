"""The table of time and memory that reading dumps with data takes."""

import statistics

from benchmarks.tables.markdown import UNKNOWN, seconds, span, table, wrapped
from benchmarks.tables.results import Answer, each_alone, read


def section() -> str:
    return each_alone(read("dumps"), runs)


def runs(answer: Answer) -> str:
    """Return a row a format and what it is read as."""
    header = ("dump", "read as", "MB", "median s", "spread s", "CPU s", "peak memory, MiB")
    sizes = {dump["format"]: dump["bytes"] for dump in answer["dumps"]}
    rows = []
    for key in dict.fromkeys((run["format"], run["read_as"]) for run in answer["runs"]):
        found = [run for run in answer["runs"] if (run["format"], run["read_as"]) == key]
        took = [run["seconds"] for run in found]
        rows.append(
            (
                *key,
                f"{sizes[key[0]] / 1e6:,.0f}",
                seconds(statistics.median(took)),
                seconds(max(took) - min(took)) if len(took) > 1 else UNKNOWN,
                seconds(statistics.median(run["cpu_s"] for run in found)),
                f"{max(run['peak_bytes'] for run in found) / 2**20:,.0f}",
            )
        )
    counted = sum(sum(dump["rows"].values()) for dump in answer["dumps"])
    about = f"All {counted:,} rows of the dumps were counted right in every run."
    return f"{table(header, rows, texts=2)}\n\n{wrapped(about)}"


def conclusion() -> str:
    answer = read("dumps")[0].answer
    sizes = [dump["bytes"] / 1e6 for dump in answer["dumps"]]
    used = [run["cpu_s"] for run in answer["runs"]]
    peak = max(run["peak_bytes"] for run in answer["runs"]) / 2**20
    return (
        f"Dumps of {span(sizes, ',.0f')} MB with data are read in {span(used, '.1f')} CPU seconds,"
        f" with at most {peak:,.0f} MiB."
    )
