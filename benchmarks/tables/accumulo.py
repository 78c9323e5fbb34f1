"""Five columns in Accumulo, in both layouts, beside its client's own scan."""

import statistics
from collections.abc import Sequence

from benchmarks.tables.markdown import span, table, wrapped
from benchmarks.tables.results import Answer, each_alone, read


def section() -> str:
    return each_alone(read("accumulo"), rates)


def rates(answer: Answer) -> str:
    """Return a row a way with thousands of rows a second in each layout."""
    found = answer["rows_per_s"]
    ways = next(iter(found.values()))
    rows = [(way, *(_spread(each[way]) for each in found.values())) for way in ways]
    about = (
        f"{answer['rows']:,} rows, repeats: {answer['repeats']}. Thousands of rows a second, "
        "medians with the slowest and the fastest."
    )
    return f"{wrapped(about)}\n\n{table(('', *found), rows)}"


def _spread(values: Sequence[float]) -> str:
    thousands = [value / 1e3 for value in values]
    middle = f"{statistics.median(thousands):,.0f}"
    if len(values) == 1:
        return middle
    return f"{middle} ({min(thousands):,.0f} to {max(thousands):,.0f})"


def conclusion() -> str:
    (result,) = read("accumulo")
    packed, columnar = (result.answer["rows_per_s"][each] for each in ("packed", "columnar"))
    ratios = [statistics.median(packed[way]) / statistics.median(columnar[way]) for way in packed]
    return (
        f"In Accumulo the packed layout is written and read at {span(ratios, '.1f')} times the "
        "rate of the columnar one."
    )
