"""The columns of a table's Parquet: how each is carried, and whether its files serve as is."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import duckdb
import pyarrow as pa

from workloads.duck import literal, quoted
from workloads.errors import CatalogError
from workloads.measuring import arrow_types
from workloads.measuring.carrying import Way, is_nested, ways
from workloads.measuring.table_files import TableFiles

_FILE = "file of the row"
_NO_CAST = (
    duckdb.BinderException,
    duckdb.ConversionException,
    duckdb.NotImplementedException,
    duckdb.ParserException,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """The columns that are carried, with their types as carried, and those that are left out.

    `own_types` are DuckDB's of the values, where they are others.
    """

    types: Mapping[str, str]
    own_types: Mapping[str, str] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class CarriedColumns:
    """The columns of a table as they are carried.

    `rows` is a query of all rows as they are carried; None where every reader of Parquet has them
    alike in the files as they are.
    """

    columns: Columns
    rows: str | None


def plain_columns(connection: duckdb.DuckDBPyConnection, source: TableFiles) -> Columns:
    """Return the columns of `source` in the types that its Parquet has; nested ones are left out.

    Raises:
        CatalogError: All columns have nested types.
    """
    relation = f"read_parquet({literal(source.parquet)}, hive_partitioning = false)"
    types, left_out = {}, {}
    for name, type_ in _described(connection, relation).items():
        if is_nested(type_):
            left_out[name] = type_
        else:
            types[name] = "VARCHAR" if type_.startswith(("ENUM", "JSON")) else type_
    return _some(source, Columns(types=types, left_out=left_out))


def described(connection: duckdb.DuckDBPyConnection, source: TableFiles) -> Mapping[str, str]:
    """Return column → type of a table by the footers of its files, which are all opened."""
    return _described(connection, _relation(connection, source))


def carried_columns(connection: duckdb.DuckDBPyConnection, source: TableFiles) -> CarriedColumns:
    """Return how the columns of `source` are carried; `connection` keeps what this needs.

    Raises:
        CatalogError: No column can be carried.
    """
    connection.execute("SET TimeZone = 'UTC'")
    relation = _relation(connection, source)
    found_types = _described(connection, relation)
    schemas = [_arrow_columns(file) for file in source.files]
    too_wide = {
        name: str(kind).replace("decimal256", "DECIMAL").replace(" ", "")
        for schema in schemas
        for name, kind in schema.items()
        if arrow_types.is_too_wide(kind)
    }
    left_out = {name: too_wide[name] for name in found_types if name in too_wide}
    known = {name: type_ for name, type_ in found_types.items() if name not in left_out}
    found = best_ways(connection, relation, known)
    left_out |= {name: type_ for name, type_ in known.items() if name not in found}
    columns = Columns(
        types={name: way.type for name, way in found.items()},
        own_types={name: known[name] for name, way in found.items() if way.type != known[name]},
        left_out={name: left_out[name] for name in found_types if name in left_out},
    )
    is_plain = not source.partition_keys and all(_is_plain(schema, columns) for schema in schemas)
    shown = ", ".join(
        f"{way.sql.replace('{}', quoted(name))} AS {quoted(name)}" for name, way in found.items()
    )
    rows = None if is_plain else f"SELECT {shown} FROM {relation}"  # noqa: S608 - quoted
    return CarriedColumns(columns=_some(source, columns), rows=rows)


def _some(source: TableFiles, columns: Columns) -> Columns:
    if not columns.types:
        raise CatalogError(
            f"Table '{source.name}' ({source.parquet}) has columns of types alone that no store"
            f" holds, such as {next(iter(columns.left_out.values()), 'none')}: write one of another"
            " type, or leave the table out."
        )
    return columns


def _described(connection: duckdb.DuckDBPyConnection, relation: str) -> dict[str, str]:
    rows = connection.execute(f"DESCRIBE FROM {relation}").fetchall()
    return {str(name): str(type_) for name, type_, *_ in rows}


def _relation(connection: duckdb.DuckDBPyConnection, source: TableFiles) -> str:
    """Return the rows of all files: columns by name, and what partitioned folders are called."""
    files = ", ".join(literal(file) for file in source.files)
    read = f"read_parquet([{files}], hive_partitioning = false, union_by_name = true"
    if not source.partition_keys:
        return f"{read})"
    keys = [quoted(key.name) for key in source.partition_keys]
    texts = pa.table(
        {_FILE: list(map(str, source.files))}
        | {key.name: pa.array(key.values, pa.string()) for key in source.partition_keys}
    )
    typed = ", ".join(
        f"CAST({quoted(key.name)} AS {key.type}) AS {quoted(key.name)}"
        for key in source.partition_keys
    )
    connection.register("texts", texts)
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE parts AS SELECT {quoted(_FILE)}, {typed} FROM texts"  # noqa: S608 - quoted
    )
    connection.unregister("texts")
    taken = {key.name.lower() for key in source.partition_keys}
    own = [name for name in _described(connection, f"{read})") if name.lower() not in taken]
    shown = ", ".join([*(f"f.{quoted(name)}" for name in own), *(f"p.{key}" for key in keys)])
    return (
        f"(SELECT {shown} FROM {read}, filename = {literal(_FILE)}) AS f "  # noqa: S608 - quoted
        f"JOIN parts AS p USING ({quoted(_FILE)}))"
    )


def best_ways(
    connection: duckdb.DuckDBPyConnection, relation: str, types: Mapping[str, str]
) -> dict[str, Way]:
    """Return column → the best way that keeps all of its values; nothing for one without.

    `types` are DuckDB's of the columns to carry.
    """
    found = {
        name: next((way for way in ways(type_) if _keeps(connection, relation, name, way)), None)
        for name, type_ in types.items()
    }
    return {name: way for name, way in found.items() if way is not None}


def _keeps(connection: duckdb.DuckDBPyConnection, relation: str, name: str, way: Way) -> bool:
    """Whether `way` keeps all values of a column; not where DuckDB has no cast to tell."""
    if not way.keeps:
        return True
    kept = way.keeps.replace("{}", quoted(name))
    try:
        lost = connection.execute(f"SELECT 1 FROM {relation} WHERE NOT ({kept}) LIMIT 1")  # noqa: S608 - quoted
        return lost.fetchone() is None
    except _NO_CAST:
        return False


def _arrow_columns(file: Path) -> dict[str, pa.DataType]:
    """Return the columns of `file` with Arrow's types; none of a file that only DuckDB reads."""
    try:
        return arrow_types.columns(file)
    except (pa.ArrowException, OSError):
        return {}


def _is_plain(schema: Mapping[str, pa.DataType], columns: Columns) -> bool:
    """Whether all readers have the columns of a file by their names and in their types."""
    return schema.keys() == columns.types.keys() | columns.left_out.keys() and all(
        pa.types.is_null(schema[name]) or arrow_types.duck_type(schema[name]) == type_
        for name, type_ in columns.types.items()
    )
