"""Our loader beside the servers' own clients and Spark's JDBC writer."""

from benchmarks.tables.markdown import UNKNOWN, seconds, span, table, wrapped
from benchmarks.tables.results import Answer, each_alone, read

OURS, JDBC = "ours", "Spark's JDBC writer"


def section() -> str:
    return each_alone(read("loading"), ways)


def ways(answer: Answer) -> str:
    """Return a row a table and way, with our rate as a multiple of the way's."""
    header = (
        "store, table",
        "way",
        "transfer s",
        "spread s",
        "rows/s",
        "MB/s",
        "in all s",
        "CPU s",
    )
    rows = []
    for each in answer["tables"]:
        for name, way in sorted(each["ways"].items(), key=lambda item: item[1]["transfer_s"]):
            ratio = _ratio(each, name)
            rows.append(
                (
                    f"{each['store']}, {each['table']}",
                    name,
                    seconds(way["transfer_s"]),
                    seconds(way["spread_s"]),
                    f"{way['rows_per_s']:,.0f}",
                    f"{way['bytes_per_s'] / 1e6:.1f}",
                    seconds(way["total_s"]),
                    seconds(way["cpu_s"]),
                    UNKNOWN if ratio is None else f"{ratio:.2f}",
                )
            )
    about = wrapped(
        f"Scale factor {answer['scale_factor']:g}; medians of {answer['repeats']} rounds."
    )
    return f"{about}\n\n{table((*header, 'our rate / its rate'), rows, texts=2)}"


def _ratio(loaded: Answer, way: str) -> float | None:
    """Return our rate as a multiple of a way's."""
    ours = loaded["ways"].get(OURS)
    return None if ours is None else loaded["ways"][way]["transfer_s"] / ours["transfer_s"]


def conclusion() -> str:
    """Tell our rate beside the fastest client's, a table; Spark's writer is no client."""
    (result,) = read("loading")
    fastest = [
        min(ratios)
        for each in result.answer["tables"]
        if (
            ratios := [
                ratio
                for way in each["ways"]
                if way not in (OURS, JDBC) and (ratio := _ratio(each, way)) is not None
            ]
        )
    ]
    return (
        f"The loader transfers rows at {span(fastest, '.2f')} times the rate of the server's "
        "fastest own client."
    )
