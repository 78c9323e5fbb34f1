"""Values in MariaDB and MySQL: types by the widths of text, and values that they cannot hold."""

from collections.abc import Mapping

from evaluation.bulk import bulk
from evaluation.store_protocol.columns import (
    ColumnTypes,
    has_days,
    is_floating,
    is_text,
    quoted,
)
from evaluation.store_protocol.failures import Failures
from workloads.catalog import Column, Table
from workloads.duck import connect, literal
from workloads.errors import CatalogError, StoreError

_ASKED: Mapping[str, str] = {
    "text": "coalesce(max(length({})), 0)",
    "floating": "count(*) FILTER (NOT isfinite({}))",
    # One that is infinite has no year.
    "day": "count({}) - count(*) FILTER (year({}) BETWEEN 1 AND 9999)",
}
_LACKED = {
    "floating": "NaN or an infinity in",
    "day": "a day before the year 1 or after 9999 in",
}

# A row's declared widths may come to 65,535 bytes; text beyond our share of them lies elsewhere.
_ROW_CHARACTERS = 8_000
_KEY_CHARACTERS = 500


def column_types(failures: Failures, table: Table, types: ColumnTypes) -> Mapping[str, str]:
    """Return column → type. Text is as wide as its widest value, where it can be.

    Temporary tables with LONGTEXT lie on disk, and keys cannot hold it.

    Raises:
        StoreError: The Parquet cannot be read, or has values that the store cannot hold.
    """
    widths = _text_widths(failures, table)
    free = _ROW_CHARACTERS
    found = {}
    for column in table.columns:
        kind = types.of(failures.store, table, column)
        if column.name in widths:
            limit = min(free, _KEY_CHARACTERS if column.name in table.primary_key else free)
            width = max(1, widths[column.name])
            if width <= limit:
                kind = f"VARCHAR({width})"
                free -= width
        found[column.name] = kind
    return found


def _text_widths(failures: Failures, table: Table) -> dict[str, int]:
    """Return text column → characters of its widest value.

    Raises:
        StoreError: The Parquet cannot be read, or has values that the store cannot hold.
    """
    kinds = {column: kind for column in table.columns if (kind := _kind(column)) is not None}
    if not kinds:
        return {}
    files = ", ".join(literal(file) for file in bulk.files(failures, table))
    asked = ", ".join(
        _ASKED[kind].replace("{}", quoted(column.name)) for column, kind in kinds.items()
    )
    try:
        with connect(f"reading table '{table.name}'") as connection:
            row = connection.execute(
                f"SELECT {asked} FROM read_parquet([{files}], hive_partitioning = false)"  # noqa: S608 - quoted
            ).fetchone()
    except CatalogError as error:
        raise StoreError(failures.store, str(error)) from None
    widths = {}
    for (column, kind), found in zip(kinds.items(), row or (), strict=True):
        if kind == "text":
            widths[column.name] = int(found)
        elif found:
            raise StoreError(
                failures.store,
                f"table '{table.name}' has {_LACKED[kind]} column '{column.name}', which it cannot "
                "hold: keep the table out with [constraints].exclude = "
                f"{{ {table.name} = ['{failures.store}'] }}.",
            )
    return widths


def _kind(column: Column) -> str | None:
    if is_text(column):
        return "text"
    if is_floating(column):
        return "floating"
    return "day" if has_days(column) else None
