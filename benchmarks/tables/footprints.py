"""Footprints of the 99 TPC-DS queries, beside sql-metadata and sqllineage."""

from benchmarks.tables.markdown import Cells, seconds, table, wrapped
from benchmarks.tables.results import Answer, each_alone, read


def section() -> str:
    return each_alone(read("footprints"), tools)


def tools(answer: Answer) -> str:
    """Return a row a tool."""
    header: Cells = (
        "tool",
        "median s",
        "spread s",
        "CPU s",
        "failed",
        "wrong table sets",
    )
    rows = (
        (
            tool,
            seconds(each["seconds"]),
            seconds(each["spread_s"]),
            seconds(each["cpu_s"]),
            f"{len(each['failed'])}",
            f"{len(each['wrong_tables'])}",
            f"{each['columns_with_table']:,}",
            f"{each['join_edges']:,}",
        )
        for tool, each in answer["tools"].items()
    )
    about = wrapped(f"{answer['queries']} queries, repeats: {answer['repeats']}.")
    header = (*header, "columns with their base table", "join edges")
    return f"{about}\n\n{table(header, rows)}"


def conclusion() -> str:
    (result,) = read("footprints")
    wrong = [
        f"{len(each['wrong_tables'])} of {tool}" for tool, each in result.answer["tools"].items()
    ]
    return (
        f"Footprints of the {result.answer['queries']} queries with other tables than DuckDB's "
        f"parser finds: {', '.join(wrong)}."
    )
