"""The table of memory, threads and files of one session that answers many queries."""

from collections.abc import Sequence

from benchmarks.tables.markdown import table, wrapped
from benchmarks.tables.results import Answer, each_alone, read

FIGURES = {
    "python_mib": "Python's memory, MiB",
    "java_heap_mib": "Java's heap after a collection, MiB",
    "java_mib": "Java's resident memory, MiB",
    "python_threads": "Python's threads",
    "java_threads": "Java's threads",
    "python_handles": "Python's handles",
    "java_handles": "Java's handles",
    "pg_connections": "connections of PostgreSQL",
    "maria_connections": "connections of MariaDB",
    "temporary_files": "temporary files",
    "seconds": "seconds since the last count",
}


def section() -> str:
    return each_alone(read("soak"), counted)


def counted(answer: Answer) -> str:
    """Return a row a figure: at four moments, and its range in the second half."""
    counts = answer["counts"]
    at = [counts[0], *(counts[len(counts) * part // 4 - 1] for part in (1, 2, 4))]
    header = [f"after {each['queries']:,}" for each in at]
    rows = [
        (what, *(f"{each[key]:,.0f}" for each in at), _range(_second_half(answer), key))
        for key, what in FIGURES.items()
    ]
    outcomes = ", ".join(f"{number:,} {name}" for name, number in answer["outcomes"].items())
    about = (
        f"Scale factor {answer['scale_factor']:g}, {answer['placements']} random placements, seed "
        f"{answer['seed']}. Outcomes of queries: {outcomes}."
    )
    shown = table(("queries", *header, "second half"), rows)
    return f"{wrapped(about)}\n\n{shown}"


def _second_half(answer: Answer) -> Sequence[Answer]:
    counts: Sequence[Answer] = answer["counts"]
    return counts[len(counts) // 2 :]


def _range(counts: Sequence[Answer], key: str) -> str:
    values = [each[key] for each in counts]
    return f"{min(values):,.0f} to {max(values):,.0f}"


def conclusion() -> str:
    (result,) = read("soak")
    outcomes = result.answer["outcomes"]
    half = _second_half(result.answer)
    return (
        f"In one session {outcomes.get('verified', 0):,} of {sum(outcomes.values()):,} answers are "
        f"verified. In its second half Python holds {_range(half, 'python_mib')} MiB and Java "
        f"{_range(half, 'java_mib')} MiB."
    )
