"""Headings and tables as the terminal shows them."""

from rich import box
from rich.table import Table
from rich.text import Text


def heading(text: str) -> Text:
    """Return a heading with a blank line before it."""
    return Text(f"\n{text}", style="bold")


def table_of(*columns: str, gutter: int = 1) -> Table:
    """Return an empty table; ``>`` before a column's name aligns its figures to the right."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, gutter, 0, 0))
    for name in columns:
        figures = name.startswith(">")
        table.add_column(
            name.removeprefix(">"),
            justify="right" if figures else "left",
            no_wrap=figures,
            overflow="fold",
        )
    return table
