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
    """A store's names of DuckDB's types. DECIMAL keeps its precision and scale.

    `names` maps DuckDB's names, without text and DECIMAL.
    """

    text: str
    decimal: str
    names: Mapping[str, str]

    def equal(self, column: Column) -> str | None:
        """Return the store's type for `column`; None where it has none."""
        if matched := _DECIMAL.fullmatch(column.type.strip()):
            return f"{self.decimal}({matched[1]}, {matched[2]})"
        name = plain_type(column)
        return self.text if name in _TEXT else self.names.get(name)

    def of(self, store: str, table: Table, column: Column) -> str:
        """Return the store's type for `column`.

        Raises:
            StoreError: The store has none.
        """
        if (found := self.equal(column)) is not None:
            return found
        raise StoreError(
            store,
            f"column '{column.name}' of table '{table.name}' has the type {column.type}, which "
            "it cannot hold: store it as another type in the Parquet, or keep the table out with "
            f"[constraints].exclude = {{ {table.name} = ['{store}'] }}.",
        )


def plain_type(column: Column) -> str:
    """Return DuckDB's first name of the type of `column`, without digits or width."""
    name = column.type.upper().split("(")[0].strip()
    return _SYNONYMS.get(name, name)


def is_text(column: Column) -> bool:
    """Tell whether `column` holds text."""
    return plain_type(column) in _TEXT


def is_bytes(column: Column) -> bool:
    """Tell whether `column` holds bytes."""
    return plain_type(column) == "BLOB"


def is_floating(column: Column) -> bool:
    """Tell whether `column` holds binary fractions, of which some may be NaN or infinite."""
    return plain_type(column) in ("FLOAT", "DOUBLE")


def has_days(column: Column) -> bool:
    """Tell whether `column` holds days, or moments without a time zone or with one."""
    return plain_type(column) == "DATE" or plain_type(column).startswith(("TIMESTAMP", "DATETIME"))


def quoted(name: str, mark: str = '"') -> str:
    """Return `name` as a quoted identifier."""
    return mark + name.replace(mark, 2 * mark) + mark
