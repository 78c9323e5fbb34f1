"""Small Parquet tables that are unpleasant to load."""

from dataclasses import replace
from pathlib import Path

import duckdb

from workloads.catalog import Column, Table

TYPES = {
    "id": "INTEGER", "tiny": "TINYINT", "small": "SMALLINT", "big": "BIGINT",
    "unsigned": "UINTEGER", "price": "DECIMAL(7,2)", "fine": "DECIMAL(18,10)",
    "wide": "DECIMAL(38,4)", "day": "DATE", "moment": "TIMESTAMP", "flag": "BOOLEAN",
    "real": "FLOAT", "ratio": "DOUBLE", "text": "VARCHAR",
}  # fmt: skip
UNPLEASANT_TEXT = (
    "plain",
    "",
    "quote ' and \" and `",
    "back\\slash \\N \\t \\",
    "line\nbreak\r\nand\ttab",
    "grün 漢字 😀",
    "  spaces around  ",
    "NULL",
    "\\N",
    "%s ? :name ; --",
)
_VALUES = """
(1, 1, -32768, 9223372036854775807, 4294967295, 12345.67, 0.0000000001,
 9999999999999999999999999999999999.9999, DATE '2000-02-29', TIMESTAMP '2024-03-10 02:30:00.123456',
 true, 0.1, 0.1),
(2, -128, 32767, -9223372036854775808, 0, -0.01, 0, -0.0001, DATE '1900-01-01',
 TIMESTAMP '1969-12-31 23:59:59', false, -3.4e38, 1e-300),
(3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
(4, 0, 0, 0, 1, 0, 1234.5678, 0, DATE '9999-12-31', TIMESTAMP '2038-01-19 03:14:08', true, 16777216,
 1.7976931348623157e308)
"""


def write(folder: Path, name: str, columns: dict[str, str], query: str, *, key: str = "") -> Table:
    """Write the result of `query` to Parquet and describe it as a catalog does."""
    path = folder / f"{name}.parquet"
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE t AS {query}")
        connection.execute(f"COPY t TO '{str(path).replace(chr(39), chr(39) * 2)}'")
        (rows,) = connection.execute("SELECT count(*) FROM t").fetchone() or (0,)
    return Table(
        name=name,
        rows=rows,
        fingerprint=f"{name}-1",
        primary_key=(key,) if key else (),
        parquet=path,
        columns=tuple(
            Column(name=column, type=type_, width_bytes=8.0) for column, type_ in columns.items()
        ),
    )


def every_type(folder: Path) -> Table:
    """A table with a column of every type, at the ends of its range, and NULL in each."""
    names = [name for name in TYPES if name != "text"]
    casts = ", ".join(f"CAST({name} AS {TYPES[name]}) AS {name}" for name in names)
    query = f"SELECT {casts}, 'é' || id AS text FROM (VALUES {_VALUES}) v({', '.join(names)})"
    return write(folder, "every_type", TYPES, query, key="id")


def bytes_and_instants(folder: Path) -> Table:
    """A table of bytes that are no text, and of moments with a time zone."""
    return write(
        folder, "odd", {"id": "INTEGER", "bytes": "BLOB", "instant": "TIMESTAMPTZ"},
        r"SELECT * FROM (VALUES (1, '\x00\xFF\x5C\x09N'::BLOB, '2024-03-10 02:30:00.123456+00'"
        "::TIMESTAMPTZ), (2, '', '1969-12-31 23:59:59+05:30'), (3, NULL, NULL))"
        " v(id, bytes, instant)",
        key="id",
    )  # fmt: skip


def texts(folder: Path) -> Table:
    """A table of `UNPLEASANT_TEXT` and a NULL."""
    values = ", ".join(
        f"({index}, '{text.replace(chr(39), chr(39) * 2)}')"
        for index, text in enumerate(UNPLEASANT_TEXT)
    )
    query = f"SELECT * FROM (VALUES {values}, ({len(UNPLEASANT_TEXT)}, NULL)) v(id, text)"
    return write(folder, "texts", {"id": "INTEGER", "text": "VARCHAR"}, query, key="id")


def numbers(folder: Path, name: str, rows: int) -> Table:
    """A table of the numbers from 0 to `rows`, in row groups of 2,048."""
    table = write(
        folder, name, {"id": "BIGINT", "word": "VARCHAR"},
        f"SELECT range AS id, 'w' || range AS word FROM range({rows})", key="id",
    )  # fmt: skip
    with duckdb.connect() as connection:
        again = folder / f"{name}-small-groups.parquet"
        connection.execute(
            f"COPY (FROM '{table.parquet}') TO '{again}' (FORMAT parquet, ROW_GROUP_SIZE 2048)"
        )
    return replace(table, parquet=again)
