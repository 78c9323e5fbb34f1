"""The gains of the indexes that are chosen for a plan's copies, for a terminal."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from advisor.figures import seconds, size
from advisor.report.parts.tables import heading, table_of
from placement.reasons.indexes import IndexGain

MOST_INDEXES = 15
MOST_QUERIES = 4


def indexes_text(gains: Sequence[IndexGain]) -> RenderableType:
    """Show what each index gains, the largest gain first, with the queries that read by it."""
    table = table_of("index", "in", ">bytes", ">upkeep s", ">gain s", "read by")
    for each in gains[:MOST_INDEXES]:
        table.add_row(
            Text(str(each.index)),
            Text(each.store),
            size(each.size_bytes),
            seconds(each.upkeep_s),
            seconds(each.gain_s),
            Text(_queries(each.queries)),
        )
    title = "1 index chosen, and its gain"
    if len(gains) > 1:
        title = f"{len(gains)} indexes chosen, and their gains"
    parts: list[RenderableType] = [heading(title), table]
    if rest := gains[MOST_INDEXES:]:
        total = sum(each.size_bytes for each in rest)
        parts.append(
            Text(
                f"and {len(rest)} more of {size(total)}, each gaining at most "
                f"{seconds(rest[0].gain_s)} s"
            )
        )
    return Group(*parts)


def _queries(queries: Sequence[str]) -> str:
    rest = len(queries) - MOST_QUERIES
    return ", ".join(queries[:MOST_QUERIES]) + (f" and {rest} more" if rest > 0 else "")
