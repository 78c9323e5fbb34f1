"""Row counts of tables from a file of two columns: table and rows."""

import csv
import io
from collections.abc import Mapping
from pathlib import Path

from workloads.errors import CatalogError

BESIDE = ("statistics.csv", "rows.csv")
"""The name of such a file beside files of DDL."""

_HEADINGS = ("table", "table_name", "tablename", "name")


def row_counts(file: Path) -> Mapping[str, int]:
    """Return table → rows. Commas, semicolons or tabs separate; a heading line is optional.

    Raises:
        CatalogError: The file cannot be read, or a line is not a table and a number of rows.
    """
    try:
        text = file.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CatalogError(f"The row counts {file} cannot be read: {error}.") from None
    first = text.partition("\n")[0]
    separator = next((sign for sign in "\t;," if sign in first), ",")
    counts: dict[str, int] = {}
    try:
        lines = list(csv.reader(io.StringIO(text), delimiter=separator))
    except csv.Error as error:
        raise CatalogError(f"The row counts {file} cannot be read: {error}.") from None
    for number, line in enumerate(lines, start=1):
        cells = [cell.strip() for cell in line]
        if not any(cells) or cells[0].startswith("#"):
            continue
        if number == 1 and cells[0].lower() in _HEADINGS:
            continue
        rows = _rows(cells[1]) if len(cells) > 1 else None
        if rows is None:
            raise CatalogError(
                f"{file}:{number}: '{separator.join(line)}' is not a table and its rows: write"
                f" lines such as customer{separator}1500000."
            )
        counts[cells[0]] = rows
    return counts


def _rows(text: str) -> int | None:
    """Return a number of rows; thousands may be separated by underscores. None if it is none."""
    try:
        rows = float(text.replace("_", ""))
    except ValueError:
        return None
    return int(rows) if rows >= 0 and rows.is_integer() else None
