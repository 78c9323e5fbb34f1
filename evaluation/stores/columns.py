"""The columns of a copy: their names and types in a store's dialect."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from workloads.catalog import Column, Table
from workloads.errors import StoreError

_DECIMAL = re.compile(r"(?:DECIMAL|NUMERIC)\s*\(\s*(\d+)\s*,\s*(\d+)\s*\)", re.IGNORECASE)
_TEXT = frozenset({"VARCHAR", "CHAR", "BPCHAR", "TEXT", "STRING"})
_SYNONYMS = {
    "INT1": "TINYINT", "INT2": "SMALLINT", "INT4": "INTEGER", "INT": "INTEGER", "INT8": "BIGINT",
    "FLOAT4": "FLOAT", "REAL": "FLOAT", "FLOAT8": "DOUBLE", "BOOL": "BOOLEAN",
    "TIMESTAMP WITH TIME ZONE": "TIMESTAMPTZ",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnTypes:
    """How a store calls DuckDB's types. DECIMAL keeps its precision and scale.

    `names` maps DuckDB's names, without text and DECIMAL.
    """

    text: str
    decimal: str
    names: Mapping[str, str]

    def of(self, store: str, table: Table, column: Column) -> str:
        """Return the store's type for `column`.

        Raises:
            StoreError: The store has none.
        """
        if matched := _DECIMAL.fullmatch(column.type.strip()):
            return f"{self.decimal}({matched[1]}, {matched[2]})"
        name = column.type.upper().split("(")[0].strip()
        name = _SYNONYMS.get(name, name)
        if name in _TEXT:
            return self.text
        if name in self.names:
            return self.names[name]
        raise StoreError(
            store,
            f"column '{column.name}' of table '{table.name}' has the type {column.type}, which "
            "it cannot hold: store it as another type in the Parquet, or keep the table out with "
            f"[constraints].exclude = {{ {table.name} = ['{store}'] }}.",
        )


def is_text(column: Column) -> bool:
    """Tell whether `column` holds text."""
    return column.type.upper().split("(")[0].strip() in _TEXT


def quoted(name: str, mark: str = '"') -> str:
    """Return `name` as a quoted identifier."""
    return mark + name.replace(mark, 2 * mark) + mark
