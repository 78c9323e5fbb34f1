"""A DuckDB file as a source of catalogs."""

import hashlib
import re
import tempfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import duckdb

from evaluation.live import duckdb_indexes
from evaluation.live.names import Named, checked_names
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.register import REGISTER, STAGING
from evaluation.stores.duckdb.sessions import session_with
from workloads.catalog import Catalog, Column, ForeignKey, Table, View
from workloads.counting.counting import EVERYTHING, Counting
from workloads.duck import literal, quoted
from workloads.errors import ConfigurationError, StoreError
from workloads.indexes import Index
from workloads.measuring.distributions import scale
from workloads.measuring.samples import SAMPLE_ROWS
from workloads.measuring.statistics import EXACT_ROWS, measure
from workloads.measuring.table_files import TableFiles
from workloads.progress import Progress
from workloads.schema_names import other_own_name
from workloads.workload import Workload

_TABLES = """
SELECT schema_name, table_name, NULL FROM duckdb_tables()
WHERE database_name = current_database() AND NOT internal AND NOT temporary
UNION ALL
SELECT schema_name, view_name, sql FROM duckdb_views()
WHERE database_name = current_database() AND NOT internal AND NOT temporary
ORDER BY 1, 2
"""
_COLUMNS = """
SELECT schema_name, table_name, column_name, data_type FROM duckdb_columns()
WHERE database_name = current_database() AND NOT internal
ORDER BY schema_name, table_name, column_index
"""
_KEYS = """
SELECT schema_name, table_name, constraint_type, constraint_column_names, referenced_table,
       referenced_column_names
FROM duckdb_constraints() WHERE database_name = current_database()
AND constraint_type IN ('PRIMARY KEY', 'FOREIGN KEY') ORDER BY constraint_index
"""
_NAME = r'(?:"(?:[^"]|"")*"|\w+)'
_VIEW = re.compile(
    rf"CREATE\s+VIEW\s+(?:{_NAME}\.)*{_NAME}\s*(?:\((?:\s*{_NAME}\s*,?)*\))?\s*AS\s+(.*?);?\s*",
    re.IGNORECASE | re.DOTALL,
)
_FLAT = re.compile(r"[^\[\]]*")
_NESTED = ("STRUCT", "MAP", "UNION", "ENUM", "JSON")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Relation(Named):
    """A table, or a view with the statement that made it. `types` are those of the catalog."""

    sql: str | None
    types: Mapping[str, str]
    primary_key: tuple[str, ...]
    indexes: tuple[Index, ...]
    foreign_keys: tuple[ForeignKey, ...]

    @property
    def flat(self) -> str:
        """A relation of its rows in which nested values and enumerations are text."""
        columns = ", ".join(
            f"CAST({quoted(name)} AS {type_}) AS {quoted(name)}"
            for name, type_ in self.types.items()
        )
        return f"(SELECT {columns} FROM {quoted(self.schema)}.{quoted(self.name)})"  # noqa: S608


class DuckDB:
    """A DuckDB file. It remembers no statements."""

    def catalog(
        self,
        connection: Connection,
        progress: Progress,
        *,
        schemas: Collection[str] = (),
        ours: Collection[str] = (),
    ) -> Catalog:
        """Return the tables and views of the file, measured as Parquet is."""
        path = connection.path
        if path is not None and not path.is_file():
            raise StoreError(connection.store, f"there is no file {path}.")
        with session_with(connection, "reading its catalog failed", read_only=True) as session:
            found = _relations(session, connection, schemas, ours)
            tables = [each for each in found if each.sql is None]
            names = checked_names(connection, found if tables else (), schemas=schemas)
            changed = path.stat().st_mtime_ns if path is not None else 0
            with (
                progress.task(f"Measuring the tables of {connection.store}", len(tables)) as task,
                tempfile.TemporaryDirectory() as folder,
            ):
                measured = {}
                for each in tables:
                    contents = hashlib.sha256(f"{path}/{changed}/{each.flat}".encode()).hexdigest()
                    name = names[each.schema, each.name]
                    table = _measured(session, name, each, contents[:32], Path(folder))
                    measured[name] = replace(table, foreign_keys=_referring(each, names))
                    task.advance()
        views = {
            name: _view(name, each)
            for each in found
            if each.sql is not None
            for name in [names[each.schema, each.name]]
        }
        return Catalog(name=connection.store, tables=measured, views=views)

    def workload(
        self,
        connection: Connection,
        *,
        schema: str | None = None,  # noqa: ARG002
        counting: Counting = EVERYTHING,  # noqa: ARG002
    ) -> Workload:
        """Raise ConfigurationError: it keeps no statistics of statements."""
        raise ConfigurationError(
            f"Store '{connection.store}' is a DuckDB file, which remembers no statements: give "
            "the workload as SQL files or a query log."
        )


def _relations(
    session: duckdb.DuckDBPyConnection,
    connection: Connection,
    schemas: Collection[str],
    ours: Collection[str],
) -> tuple[_Relation, ...]:
    types: dict[tuple[str, str], dict[str, str]] = {}
    for where, name, column, type_ in session.execute(_COLUMNS).fetchall():
        types.setdefault((where, name), {})[column] = _catalog_type(type_)
    primary: dict[tuple[str, str], tuple[str, ...]] = {}
    foreign: dict[tuple[str, str], tuple[ForeignKey, ...]] = {}
    for where, name, kind, own, other, others in session.execute(_KEYS).fetchall():
        if kind == "PRIMARY KEY":
            primary[where, name] = tuple(own)
        else:
            key = ForeignKey(columns=tuple(own), table=other, references=tuple(others))
            foreign[where, name] = (*foreign.get((where, name), ()), key)
    indexes = duckdb_indexes.indexes(session, primary, types)
    return tuple(
        _Relation(
            schema=where,
            name=name,
            sql=sql,
            types=types.get((where, name), {}),
            primary_key=primary.get((where, name), ()),
            indexes=indexes.get((where, name), ()),
            foreign_keys=foreign.get((where, name), ()),
        )
        for where, name, sql in session.execute(_TABLES).fetchall()
        if (where in schemas or (not schemas and where not in (connection.namespace, *ours)))
        and name != REGISTER
        and not name.startswith(STAGING)
    )


def _catalog_type(type_: str) -> str:
    """Return a type as the catalog has it: text for what is nested, and for enumerations."""
    nested = _FLAT.fullmatch(type_) is None or type_.startswith(_NESTED)
    return "VARCHAR" if nested else type_


def _measured(
    session: duckdb.DuckDBPyConnection,
    name: str,
    relation: _Relation,
    contents: str,
    folder: Path,
) -> Table:
    """Return a table: distributions and widths from a sample, the rest from all rows."""
    path = folder / "sample.parquet"
    drawn = f"FROM {relation.flat} USING SAMPLE reservoir({SAMPLE_ROWS} ROWS) REPEATABLE (1)"
    session.execute(f"COPY ({drawn}) TO {literal(path)} (FORMAT parquet)")
    files = TableFiles(name=name, parquet=path, files=(path,), primary_key=relation.primary_key)
    table = measure(session, files, contents)
    if table.rows >= SAMPLE_ROWS:
        rows = _one(session, f"SELECT count(*) FROM {relation.flat}")[0]  # noqa: S608 - quoted
        columns = tuple(_over_all_rows(session, relation, each, rows) for each in table.columns)
        table = replace(table, rows=rows, columns=columns)
    return replace(
        table,
        schema=relation.schema,
        own=other_own_name(relation.name, name, relation.schema),
        indexes=relation.indexes,
    )


def _referring(relation: _Relation, names: Mapping[tuple[str, str], str]) -> tuple[ForeignKey, ...]:
    """Return the foreign keys, which refer to tables of the same schema, by catalog names."""
    return tuple(
        replace(key, table=names[relation.schema, key.table])
        for key in relation.foreign_keys
        if (relation.schema, key.table) in names
    )


def _over_all_rows(
    session: duckdb.DuckDBPyConnection, relation: _Relation, column: Column, rows: int
) -> Column:
    if column.statistics is None:
        return column
    name = quoted(column.name)
    distinct = "count(DISTINCT {})" if rows <= EXACT_ROWS else "approx_count_distinct({})"
    scaled = scale(column.name, column.type)
    value = "NULL" if scaled is None or scaled.text else scaled.sql
    values, filled, low, high = _one(
        session,
        f"SELECT {distinct.format(name)}, count({name}), min({value}), max({value}) "  # noqa: S608
        f"FROM {relation.flat}",
    )
    statistics = replace(
        column.statistics,
        distinct=min(values, filled),
        null_share=1 - filled / rows,
        minimum=low,
        maximum=high,
    )
    return replace(column, statistics=statistics)


def _one(session: duckdb.DuckDBPyConnection, statement: str) -> Sequence[int]:
    row: Sequence[int] = session.execute(statement).fetchone() or ()
    return row


def _view(name: str, relation: _Relation) -> View:
    statement = (relation.sql or "").strip()
    written = _VIEW.fullmatch(statement)
    return View(
        name=name,
        schema=relation.schema,
        own=other_own_name(relation.name, name, relation.schema),
        sql=written[1] if written else statement,
        dialect="duckdb",
        columns=tuple(relation.types),
    )
