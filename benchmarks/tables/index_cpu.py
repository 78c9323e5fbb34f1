"""Predicted and measured CPU seconds of selective queries over indexed tables."""

from benchmarks.tables.markdown import UNKNOWN, percent, table, wrapped
from benchmarks.tables.results import Answer, each_alone, read


def section() -> str:
    return each_alone(read("index_cpu"), errors)


def errors(answer: Answer) -> str:
    """Return a row a group of queries: its median errors, with indexes and without."""
    header = ("queries", "number", "with the start", "indexes ignored")
    header = (*header, "work alone", "indexes ignored")
    keys = ("median", "median_without_indexes", "work", "work_without_indexes")
    rows = [
        (name, str(each["queries"]), *(_share(each[key]) for key in keys))
        for name, each in answer["errors"].items()
    ]
    about = (
        f"{answer['rows']:,} purchases; rates fitted at TPC-H's scale factor "
        f"{answer['scale_factor']:g}; medians of {answer['repeats']} rounds. Work alone is of "
        "queries of which that takes, or is predicted to take, at least 5 ms."
    )
    return f"{table(header, rows)}\n\n{wrapped(about)}"


def conclusion() -> str:
    (result,) = read("index_cpu")
    every = result.answer["errors"]["all"]
    return (
        "Selective queries over indexed tables: the median error of predicted CPU seconds is "
        f"{percent(every['median'])} with the start of a statement, and {percent(every['work'])} "
        f"of the work alone; {percent(every['median_without_indexes'])} and "
        f"{percent(every['work_without_indexes'])} where indexes are ignored."
    )


def _share(value: float | None) -> str:
    return UNKNOWN if value is None else percent(value)
