"""PostgreSQL's tables, views and keys, from its system catalog."""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import psycopg

from evaluation.live.names import Named, checked_names
from evaluation.live.postgresql_functions import functions
from evaluation.live.postgresql_keys import Keys, keys
from evaluation.live.postgresql_partitions import partitions
from evaluation.live.postgresql_paths import role_paths
from evaluation.live.postgresql_statistics import Shape, analysed, is_refused, never_analysed
from evaluation.live.sampling import EMPTY
from evaluation.store_protocol.columns import quoted
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.register import REGISTER, STAGING
from evaluation.stores.postgresql.sessions import Session, session_with, set_search_path
from evaluation.stores.postgresql.types import duckdb_type
from workloads.catalog import Catalog, Column, Table, View
from workloads.counting.own import MARK
from workloads.indexes import with_rows_of_heirs
from workloads.measuring.statistics import width_bytes
from workloads.progress import Progress
from workloads.schema_names import other_own_name
from workloads.sources.ddl.drafts import DEFAULT_ROWS

_COUNT_TIMEOUT_MS = 60_000
_ROW_HEADER_BYTES = 28
_VIEW, _FOREIGN, _PARTITIONED = "v", "f", "p"

# Rows as the planner sees them: those of the last ANALYZE or VACUUM for each page of today.
_RELATIONS = f"""
SELECT {MARK} c.oid, n.nspname, c.relname, c.relkind::text, has_table_privilege(c.oid, 'SELECT'),
       tree.rows, tree.bytes, tree.version,
       EXISTS (SELECT 1 FROM pg_catalog.pg_inherits h WHERE h.inhparent = c.oid)
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
CROSS JOIN LATERAL (
  WITH RECURSIVE part AS (
    SELECT c.oid AS oid
    UNION SELECT i.inhrelid FROM pg_catalog.pg_inherits i JOIN part p ON i.inhparent = p.oid
  ), leaf AS (
    SELECT l.oid, l.reltuples::float8 AS tuples, l.relpages AS pages, l.relfilenode,
           CASE WHEN l.relkind IN ('r', 'm') THEN pg_relation_size(l.oid) END AS bytes
    FROM part JOIN pg_catalog.pg_class l USING (oid) WHERE l.relkind IN ('r', 'm', 'f')
  )
  SELECT CASE WHEN count(*) = count(rows) THEN coalesce(sum(rows), 0) END AS rows,
         coalesce(sum(bytes), 0)::bigint AS bytes,
         string_agg(concat_ws('/', oid, relfilenode, bytes, pg_stat_get_tuples_inserted(oid),
           pg_stat_get_tuples_updated(oid), pg_stat_get_tuples_deleted(oid)), ',' ORDER BY oid)
           AS version
  FROM (SELECT *, CASE
          WHEN bytes = 0 THEN 0
          WHEN tuples < 0 OR (tuples = 0 AND pages = 0) THEN NULL
          WHEN bytes IS NULL OR pages = 0 THEN tuples
          ELSE tuples * (bytes / current_setting('block_size')::float8) / pages
        END AS rows FROM leaf) leaves
) tree
WHERE c.relkind IN ('r', 'p', 'm', 'f', 'v') AND NOT c.relispartition
  AND CASE WHEN cardinality(%(schemas)s::text[]) = 0
        THEN n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
          AND n.nspname <> ALL(%(ours)s::text[])
        ELSE n.nspname = ANY(%(schemas)s::text[]) END
  AND c.relname <> '{REGISTER}' AND NOT starts_with(c.relname::text, '{STAGING}')
  AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_depend d WHERE d.objid = c.oid
    AND d.classid = 'pg_catalog.pg_class'::regclass AND d.deptype = 'e')
ORDER BY n.nspname, c.relname
"""  # noqa: S608 - constants
_COLUMNS = f"""
WITH RECURSIVE types AS (
  SELECT {MARK} oid, oid AS base, -1 AS modifier FROM pg_catalog.pg_type WHERE typtype <> 'd'
  UNION ALL SELECT d.oid, t.base, greatest(d.typtypmod, t.modifier)
  FROM pg_catalog.pg_type d JOIN types t ON d.typbasetype = t.oid WHERE d.typtype = 'd'
)
SELECT a.attrelid, a.attnum, a.attname, b.typname, greatest(a.atttypmod, types.modifier)
FROM pg_catalog.pg_attribute a JOIN types ON types.oid = a.atttypid
JOIN pg_catalog.pg_type b ON b.oid = types.base
WHERE a.attrelid = ANY(%s) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY 1, 2
"""  # noqa: S608 - constants


@dataclass(frozen=True, slots=True, kw_only=True)
class _Relation(Named):
    """A table or view. `rows` is None where nobody has counted them, or only some of its parts'.

    `columns` maps an attribute's number to its name and DuckDB's name of its type.
    """

    oid: int
    kind: str
    readable: bool
    rows: float | None
    bytes: int
    version: str
    has_children: bool
    columns: Mapping[int, tuple[str, str]]

    @property
    def quoted(self) -> str:
        return f"{quoted(self.schema)}.{quoted(self.name)}"


def catalog(
    connection: Connection, progress: Progress, schemas: tuple[str, ...], ours: Collection[str]
) -> Catalog:
    """Return the catalog of one database; see `evaluation.live.live.Live.catalog`."""
    with (
        session_with(connection, "reading its catalog failed") as session,
        progress.task(f"Reading the catalog of {connection.store}"),
    ):
        session.execute("SET datestyle = 'ISO'")
        kept_paths = role_paths(session).kept()
        found = _relations(session, connection, schemas, ours)
        tables = [relation for relation in found if relation.kind != _VIEW]
        parts = partitions(session, [each.oid for each in tables])
        names = checked_names(connection, tables and (*found, *parts), schemas=schemas)
        # So that views name their tables without a schema, unless a name is in several.
        alike = any(name != own for (_, own), name in names.items())
        present = sorted({each.schema for each in found})
        set_search_path(session, () if alike else present)
        known, assumed = _measured(session, tables, progress)
        known_keys = keys(
            session,
            {e.oid: {n: name for n, (name, _) in e.columns.items()} for e in found},
            {each.oid: names[each.schema, each.name] for each in found},
        )
        views = [relation for relation in found if relation.kind == _VIEW]
        return Catalog(
            name=connection.store,
            tables={
                name: _table(name, each, *known[each.oid], known_keys)
                for each in tables
                for name in [names[each.schema, each.name]]
            },
            views={
                name: _view(session, name, each)
                for each in views
                for name in [names[each.schema, each.name]]
            }
            | {view.name: view for view in (each.view(names) for each in parts)},
            functions=functions(session),
            search_paths=kept_paths,
            assumed_rows=tuple(names[each.schema, each.name] for each in assumed),
        )


def _relations(
    session: Session, connection: Connection, schemas: tuple[str, ...], ours: Collection[str]
) -> tuple[_Relation, ...]:
    names = {"schemas": list(schemas), "ours": [connection.namespace, *ours]}
    rows = session.execute(_RELATIONS.encode(), names).fetchall()
    columns: dict[int, dict[int, tuple[str, str]]] = {row[0]: {} for row in rows}
    described = session.execute(_COLUMNS.encode(), (list(columns),))
    for oid, number, name, type_, modifier in described:
        columns[oid][number] = (name, duckdb_type(type_, modifier))
    return tuple(
        _Relation(
            oid=oid,
            schema=where,
            name=name,
            kind=kind,
            readable=readable,
            rows=count,
            bytes=size,
            version=version or "",
            has_children=has_children,
            columns=columns[oid],
        )
        for oid, where, name, kind, readable, count, size, version, has_children in rows
    )


def _measured(
    session: Session, tables: Sequence[_Relation], progress: Progress
) -> tuple[dict[int, tuple[int, Mapping[str, Column]]], list[_Relation]]:
    """Return oid → rows and what is known of its columns, from ANALYZE or else from a sample.

    With it come the tables whose rows cannot be told; they are taken as `DEFAULT_ROWS`.
    """
    counted = _counted(session, tables, progress)
    assumed = [each for each, rows in counted if rows is None]
    shapes = {
        each.oid: _shape(each, DEFAULT_ROWS if rows is None else rows) for each, rows in counted
    }
    known = analysed(session, tuple(shapes.values()))
    readable = {each.oid for each in tables if each.readable and each not in assumed}
    unknown = [
        shape for shape in shapes.values()
        if shape.rows and shape.oid in readable and shape.oid not in known
    ]  # fmt: skip
    if unknown:
        with progress.task(f"Sampling {len(unknown)} tables that were never analysed"):
            known |= never_analysed(session, unknown)
    told: dict[int, tuple[int, Mapping[str, Column]]] = {
        oid: (shape.rows, known.get(oid, {})) for oid, shape in shapes.items()
    }
    return told, assumed


def _shape(relation: _Relation, rows: int) -> Shape:
    return Shape(
        oid=relation.oid,
        name=relation.quoted,
        types=dict(relation.columns.values()),
        rows=rows,
        row_bytes=relation.bytes / max(1, rows),
        tablesample=relation.kind != _FOREIGN,
    )


def _counted(
    session: Session, tables: Sequence[_Relation], progress: Progress
) -> list[tuple[_Relation, int | None]]:
    """Return each table with its rows, counted exactly where the store does not know.

    There are none of a foreign table that cannot be read.
    """
    found: list[tuple[_Relation, int | None]] = [
        (each, round(each.rows)) for each in tables if each.rows is not None
    ]
    missing = [each for each in tables if each.rows is None]
    if missing:
        description = f"Counting {len(missing)} tables that were never analysed"
        with progress.task(description, len(missing)) as task:
            for each in missing:
                found.append((each, _count(session, each)))
                task.advance()
    return found


def _count(session: Session, relation: _Relation) -> int | None:
    """Return the number of rows: the size's worth where counting is refused or takes too long.

    A foreign table has no size here: where it cannot be read, its rows are not known.
    """
    query = f"SELECT {MARK} count(*) FROM {relation.quoted}"  # noqa: S608 - quoted
    try:
        with session.transaction():
            session.execute(f"SET LOCAL statement_timeout = {_COUNT_TIMEOUT_MS}".encode())
            row = session.execute(query.encode()).fetchone()
    except psycopg.Error as error:
        if not is_refused(error):
            raise
        if not relation.bytes:
            return None
        width = sum(width_bytes(type_) for _, type_ in relation.columns.values())
        return round(relation.bytes / (width + _ROW_HEADER_BYTES))
    return int(row[0]) if row else 0


def _table(
    name: str, relation: _Relation, rows: int, known: Mapping[str, Column], own: Keys
) -> Table:
    # Rows of tables that inherit from it may have the key of one of its own.
    has_heirs = relation.has_children and relation.kind != _PARTITIONED
    primary_key = own.primary.get(relation.oid, ())
    indexes = own.indexes.get(relation.oid, ())
    return Table(
        name=name,
        schema=relation.schema,
        own=other_own_name(relation.name, name, relation.schema),
        system="postgres",
        columns=tuple(
            known.get(column)
            or Column(
                name=column,
                type=type_,
                width_bytes=width_bytes(type_),
                statistics=None if rows else EMPTY,
            )
            for column, type_ in relation.columns.values()
        ),
        rows=rows,
        fingerprint=hashlib.sha256(relation.version.encode()).hexdigest()[:32],
        primary_key=(() if has_heirs else primary_key),
        indexes=with_rows_of_heirs(indexes, primary_key) if has_heirs else indexes,
        foreign_keys=own.foreign.get(relation.oid, ()),
        has_children=relation.has_children,
    )


def _view(session: Session, name: str, relation: _Relation) -> View:
    statement = f"SELECT {MARK} pg_get_viewdef(%s::oid)"
    row = session.execute(statement.encode(), (relation.oid,)).fetchone()
    return View(
        name=name,
        schema=relation.schema,
        own=other_own_name(relation.name, name, relation.schema),
        sql=str(row[0] if row else "").strip().removesuffix(";"),
        dialect="postgres",
        columns=tuple(column for column, _ in relation.columns.values()),
    )
