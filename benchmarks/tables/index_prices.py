"""Predicted and measured seconds of selective queries over indexed tables, after `calibrate`."""

from benchmarks.tables.markdown import percent, table, wrapped
from benchmarks.tables.results import Answer, each_alone, read


def section() -> str:
    return each_alone(read("index_prices"), errors)


def errors(answer: Answer) -> str:
    """Return a row a group of queries: its median errors, with indexes and without."""
    header = ("queries", "number", "median error", "indexes ignored", "spread of the measured")
    keys = ("median", "median_without_indexes", "spread")
    rows = [
        (name, str(each["queries"]), *(percent(each[key]) for key in keys))
        for name, each in answer["errors"].items()
    ]
    whole = [each for each in answer["queries"] if each["index_used"] is not None]
    alike = sum(each["index_used"] == each["index_priced"] for each in whole)
    about = (
        f"{answer['rows']:,} purchases; `calibrate` at TPC-H's scale factor "
        f"{answer['calibrated_at_scale_factor']:g}; medians of {answer['repeats']} rounds. Of "
        f"{len(whole)} whole queries the model takes an index where EXPLAIN has one, and none "
        f"where it has none, in {alike}."
    )
    return f"{table(header, rows)}\n\n{wrapped(about)}"


def conclusion() -> str:
    (result,) = read("index_prices")
    every = result.answer["errors"]["all"]
    return (
        "Selective queries over indexed tables after `calibrate`: the median error of predicted "
        f"seconds is {percent(every['median'])}, and {percent(every['median_without_indexes'])} "
        "where indexes are ignored."
    )
