"""Writes the shop as users would: dumps with data, and a Parquet file for each table."""

import csv
import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import duckdb

from benchmarks.web_shop.servers import mysql, postgresql
from evaluation.store_protocol.connection import Connection

_USER = {"postgresql": "username", "mysql": "user"}
_NULL = r"\N"


def pg_dump(shop: Connection, binary: Path, target: Path, *arguments: str) -> None:
    """Write the dump of a PostgreSQL database."""
    command = [str(binary), *_address(shop), f"--dbname={shop.database}", *arguments]
    _into(target, command, {"PGPASSWORD": shop.password or ""})


def mysqldump(shop: Connection, binary: Path, target: Path, *arguments: str) -> None:
    """Write the dump of a database by mysqldump or mariadb-dump."""
    command = [str(binary), "--no-defaults", *_address(shop), "--routines", *arguments]
    _into(target, [*command, str(shop.database)], {"MYSQL_PWD": shop.password or ""})


def _address(shop: Connection) -> Sequence[str]:
    return f"--host={shop.host}", f"--port={shop.port}", f"--{_USER[shop.kind]}={shop.user}"


def _into(target: Path, command: Sequence[str], secret: Mapping[str, str]) -> None:
    with target.open("wb") as out:
        subprocess.run(command, stdout=out, env={**os.environ, **secret}, check=True)


class _Column(NamedTuple):
    """A column: how its server writes its text, and how DuckDB reads that."""

    name: str
    written: str
    read: str


def parquet(shop: Connection, folder: Path) -> None:
    """Write each table of a server into ``schema.table.parquet``, in the types nearest to its."""
    tables: Callable[[Connection, Path], Iterator[tuple[str, Sequence[_Column]]]]
    tables = {"postgresql": _from_postgresql, "mysql": _from_mysql}[shop.kind]
    with duckdb.connect() as duck, tempfile.TemporaryDirectory(dir=folder.parent) as work:
        duck.execute("SET TimeZone = 'UTC'")
        text = Path(work) / "rows.csv"
        for table, columns in tables(shop, text):
            names = [_quoted(each.name) for each in columns]
            typed = ", ".join(
                f"{each.read.format(name)} AS {name}"
                for each, name in zip(columns, names, strict=True)
            )
            texts = ", ".join(f"{name}: 'VARCHAR'" for name in names)
            duck.execute(
                f"COPY (SELECT {typed} FROM read_csv($text, columns = {{{texts}}},"
                " auto_detect = false, header = false, delim = ',', quote = '\"', escape = '\"',"
                " nullstr = $missing, max_line_size = 10000000, parallel = false))"
                f" TO '{folder / table}.parquet' (FORMAT parquet)",
                {"text": str(text), "missing": _NULL},
            )


def _quoted(name: str, quote: str = '"') -> str:
    return quote + name.replace(quote, 2 * quote) + quote


_POSTGRESQL_COLUMNS = """
SELECT n.nspname, c.relname, a.attname, format_type(a.atttypid, a.atttypmod)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid
WHERE n.nspname IN ('crm', 'sales') AND c.relkind IN ('r', 'p') AND NOT c.relispartition
AND a.attnum > 0 AND NOT a.attisdropped ORDER BY 1, 2, a.attnum
"""
_MYSQL_COLUMNS = """
SELECT c.table_schema, c.table_name, c.column_name, c.column_type
FROM information_schema.columns c JOIN information_schema.tables t
ON t.table_schema = c.table_schema AND t.table_name = c.table_name
WHERE c.table_schema = database() AND t.table_type = 'BASE TABLE'
ORDER BY c.table_name, c.ordinal_position
"""
# PostgreSQL's types that DuckDB has by another name, or reads from another text.
_POSTGRESQL_TYPES = {
    "numeric": "DECIMAL(38, 9)",
    "time without time zone": "TIME",
    "time with time zone": "TIMETZ",
    "timestamp without time zone": "TIMESTAMP",
    "timestamp with time zone": "TIMESTAMPTZ",
    "jsonb": "JSON",
    "sales.percent": "DECIMAL(5, 2)",
    "sales.money_amount": "STRUCT(amount DECIMAL(38, 9), currency VARCHAR)",
    "text[]": "VARCHAR[]",
}
_ALIKE = re.compile(
    r"uuid|json|interval|date|boolean|real|double precision|smallint|integer|bigint"
    r"|numeric\(\d+,\d+\)|integer\[\]|numeric\(\d+,\d+\)\[\]"
)
_MYSQL_TYPES = {
    "json": "JSON", "date": "DATE", "year": "SMALLINT", "float": "REAL", "double": "DOUBLE",
    "time": "TIME", "datetime": "TIMESTAMP", "timestamp": "TIMESTAMPTZ", "tinyint": "TINYINT",
    "smallint": "SMALLINT", "mediumint": "INTEGER", "int": "INTEGER", "bigint": "BIGINT",
}  # fmt: skip
_BYTES = re.compile(r"\w*(?:blob|binary)\b|point|geometry")


def _from_postgresql(shop: Connection, text: Path) -> Iterator[tuple[str, Sequence[_Column]]]:
    """Yield each table while its rows are in the file `text`."""
    with postgresql(shop) as run:
        found = run(_POSTGRESQL_COLUMNS).fetchall()
        cursor = run("SELECT 1")
        for schema, table in dict.fromkeys(row[:2] for row in found):
            columns = [
                _of_postgresql(row[2], row[3]) for row in found if row[:2] == (schema, table)
            ]
            written = ", ".join(each.written.format(_quoted(each.name)) for each in columns)
            read = f"SELECT {written} FROM {_quoted(schema)}.{_quoted(table)}"
            copy = f"COPY ({read}) TO STDOUT (FORMAT csv, NULL '{_NULL}', FORCE_QUOTE *)"
            with text.open("wb") as out, cursor.copy(copy.encode()) as rows:
                for block in rows:
                    out.write(block)
            yield f"{schema}.{table}", columns


def _of_postgresql(name: str, type_: str) -> _Column:
    if type_ == "bytea":
        return _Column(name, "encode({}, 'hex')", "unhex({})")
    duck = _POSTGRESQL_TYPES.get(type_) or (type_ if _ALIKE.fullmatch(type_) else "VARCHAR")
    if duck.endswith("[]") or duck.startswith("STRUCT"):
        return _Column(name, "to_json({})", f"CAST(CAST({{}} AS JSON) AS {duck})")
    return _Column(name, "{}", f"CAST({{}} AS {duck})")


def _from_mysql(shop: Connection, text: Path) -> Iterator[tuple[str, Sequence[_Column]]]:
    """Yield each table while its rows are in the file `text`."""
    with mysql(shop) as run:
        found = run(_MYSQL_COLUMNS)
        for schema, table in dict.fromkeys(row[:2] for row in found):
            own = (row[2:] for row in found if row[:2] == (schema, table))
            columns = [_of_mysql(*each) for each in own]
            written = ", ".join(each.written.format(_quoted(each.name, "`")) for each in columns)
            with text.open("w", encoding="utf-8", newline="") as out:
                rows = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n")
                for row in run(f"SELECT {written} FROM {_quoted(table, '`')}"):
                    rows.writerow([_NULL if value is None else value for value in row])
            yield f"{schema}.{table}", columns


def _of_mysql(name: str, type_: str) -> _Column:
    kind = re.match(r"\w+", type_)[0]
    if _BYTES.match(type_):
        is_shape = kind in ("point", "geometry")
        return _Column(name, "HEX(ST_AsBinary({}))" if is_shape else "HEX({})", "unhex({})")
    if kind == "bit":
        return _Column(
            name, "{} + 0", f"CAST({{}} AS {'BOOLEAN' if type_ == 'bit(1)' else 'UINTEGER'})"
        )
    duck = _MYSQL_TYPES.get(kind, "VARCHAR")
    if kind == "decimal":
        duck = re.match(r"decimal\(\d+,\d+\)", type_)[0]
    elif type_.endswith("unsigned"):
        duck = f"U{duck}"
    return _Column(name, "CAST({} AS CHAR)", f"CAST({{}} AS {duck})")
