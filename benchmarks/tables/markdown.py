"""Tables and paragraphs of Markdown."""

import textwrap
from collections.abc import Iterable, Sequence

WIDTH = 110
UNKNOWN = "-"

Cells = tuple[str, ...]


def table(header: Sequence[str], rows: Iterable[Sequence[str]], *, texts: int = 1) -> str:
    """Return a table of which the first `texts` columns are texts, and the others figures."""
    shown = [f"| {' | '.join(cells)} |" for cells in (header, *rows)]
    shown.insert(1, f"|{'---|' * texts}{'---:|' * (len(header) - texts)}")
    return "\n".join(shown)


def wrapped(text: str, indent: str = "") -> str:
    """Return a paragraph in lines of the documents' width; lines after the first are indented."""
    return textwrap.fill(
        text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def seconds(value: float | None) -> str:
    """Return seconds with two decimals."""
    return UNKNOWN if value is None else f"{value:.2f}"


def percent(share: float, decimals: int = 0) -> str:
    """Return a share as percent."""
    return f"{100 * share:.{decimals}f} %"


def span(values: Sequence[float], form: str) -> str:
    """Return the least to the largest value, or the one that both are."""
    least, largest = format(min(values), form), format(max(values), form)
    return least if least == largest else f"{least} to {largest}"
