"""MySQL's and MariaDB's tables, views and keys, from ``information_schema``."""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from evaluation.live import mysql_indexes, mysql_samples
from evaluation.live.mysql_samples import MARK, SETTINGS, Stored, counted
from evaluation.live.mysql_statements import SYSTEM_SCHEMAS
from evaluation.live.mysql_statistics import Known, Place, kept
from evaluation.live.mysql_types import duckdb_type
from evaluation.live.mysql_views import without_schema
from evaluation.live.names import Named, checked_names
from evaluation.live.sampling import EMPTY, SAMPLE_ROWS, Sample, sampled
from evaluation.store_protocol.columns import quoted
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.register import REGISTER, STAGING
from evaluation.stores.mysql.servers import MARIADB, server_of
from evaluation.stores.mysql.sessions import Execute, session
from workloads.catalog import Catalog, Column, ForeignKey, Table, View
from workloads.measuring.statistics import is_fixed, width_bytes
from workloads.progress import Progress
from workloads.schema_names import other_own_name

_RELATIONS = """
SELECT t.table_schema, t.table_name, t.table_rows, t.data_length, placement_advisor.view_definition,
       concat_ws('/', t.table_schema, t.table_name, t.create_time, t.update_time, t.table_rows,
                 t.data_length, t.auto_increment)
FROM information_schema.tables t LEFT JOIN information_schema.views placement_advisor
  ON placement_advisor.table_schema = t.table_schema AND placement_advisor.table_name = t.table_name
WHERE t.table_type IN ('BASE TABLE', 'SYSTEM VERSIONED', 'VIEW') AND t.table_schema {where} %s
ORDER BY t.table_schema, t.table_name
"""
_FUNCTIONS = """
SELECT routine_name FROM information_schema.routines placement_advisor
WHERE routine_type = 'FUNCTION'
"""
_COLUMNS = """
SELECT table_schema, table_name, column_name, column_type
FROM information_schema.columns placement_advisor
WHERE table_schema IN %s ORDER BY table_schema, table_name, ordinal_position
"""
_KEYS = """
SELECT table_schema, table_name, constraint_name, column_name, referenced_table_schema,
       referenced_table_name, referenced_column_name
FROM information_schema.key_column_usage placement_advisor
WHERE table_schema IN %s AND (constraint_name = 'PRIMARY' OR referenced_table_name IS NOT NULL)
ORDER BY table_schema, table_name, constraint_name, ordinal_position
"""
_INDEXES = """
SELECT table_schema, table_name, column_name, max(cardinality) FROM information_schema.statistics
  placement_advisor
WHERE table_schema IN %s AND seq_in_index = 1 AND cardinality IS NOT NULL
GROUP BY table_schema, table_name, column_name
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Relation(Named):
    """A table, or a view with its `definition`; `types` maps a column to DuckDB's type."""

    rows: int
    bytes: int
    definition: str | None
    version: str
    types: Mapping[str, str]

    @property
    def stored(self) -> Stored:
        name = f"{quoted(self.schema, MARK)}.{quoted(self.name, MARK)}"
        return Stored(name=name, rows=self.rows, bytes=self.bytes, types=self.types)

    def place(self, column: str) -> Place:
        return (self.schema, self.name, column)


@dataclass(slots=True, kw_only=True)
class _Keys:
    """The keys of one table; `parts` are its foreign keys by the names of the constraints."""

    primary: list[str]
    parts: dict[str, list[tuple[str, tuple[str, str], str]]]

    def foreign(self, names: Mapping[tuple[str, str], str]) -> tuple[ForeignKey, ...]:
        return tuple(
            ForeignKey(
                columns=tuple(own for own, _, _ in parts),
                table=names[parts[0][1]],
                references=tuple(other for _, _, other in parts),
            )
            for parts in self.parts.values()
            if parts[0][1] in names
        )


def catalog(
    connection: Connection, progress: Progress, schemas: tuple[str, ...], ours: Collection[str]
) -> Catalog:
    """Return the catalog of a server; see `evaluation.live.live.Live.catalog`."""
    with (
        session(connection, "reading its catalog failed") as execute,
        progress.task(f"Reading the catalog of {connection.store}"),
    ):
        execute(SETTINGS)
        found = _relations(execute, connection, schemas, ours)
        relations = [each for each in found if each.definition is None]
        names = checked_names(connection, found if relations else (), schemas=schemas)
        tables = {names[each.schema, each.name]: each for each in relations}
        rows = {name: counted(execute, each.stored) for name, each in tables.items()}
        columns = _described(execute, tables, rows, progress)
        schemas_read = sorted({each.schema for each in tables.values()})
        keys = _keys(execute, schemas_read)
        indexes = mysql_indexes.indexes(
            execute,
            schemas_read,
            {place: each.primary for place, each in keys.items()},
            {(each.schema, each.name): each.types for each in tables.values()},
        )
        functions = execute(_FUNCTIONS)
    is_plain = all(name == own for (_, own), name in names.items())
    return Catalog(
        name=connection.store,
        tables={
            name: Table(
                name=name,
                schema=each.schema,
                own=other_own_name(each.name, name, each.schema),
                system="mysql",
                columns=columns[name],
                rows=rows[name],
                fingerprint=hashlib.sha256(each.version.encode()).hexdigest()[:32],
                primary_key=tuple(keys[place].primary) if place in keys else (),
                indexes=indexes.get(place, ()),
                foreign_keys=keys[place].foreign(names) if place in keys else (),
            )
            for name, each in tables.items()
            for place in [(each.schema, each.name)]
        },
        views={
            name: _view(name, each, is_plain=is_plain)
            for each in found
            if each.definition
            for name in [names[each.schema, each.name]]
        },
        functions=frozenset(str(row[0]).lower() for row in functions),
    )


def _relations(
    execute: Execute, connection: Connection, schemas: tuple[str, ...], ours: Collection[str]
) -> tuple[_Relation, ...]:
    where = "IN" if schemas else "NOT IN"
    names = list(schemas) if schemas else [*SYSTEM_SCHEMAS, connection.namespace, *ours]
    rows = [
        row
        for row in execute(_RELATIONS.format(where=where), (names,))
        if row[1] != REGISTER and not row[1].startswith(STAGING)
    ]
    types: dict[tuple[str, str], dict[str, str]] = {}
    if rows:
        present = sorted({row[0] for row in rows})
        for where, name, column, type_ in execute(_COLUMNS, (present,)):
            types.setdefault((where, name), {})[column] = duckdb_type(type_)
    return tuple(
        _Relation(
            schema=where,
            name=name,
            rows=int(count or 0),
            bytes=int(size or 0),
            definition=definition,
            version=version,
            types=types.get((where, name), {}),
        )
        for where, name, count, size, definition, version in rows
    )


def _described(
    execute: Execute,
    tables: Mapping[str, _Relation],
    rows: Mapping[str, int],
    progress: Progress,
) -> dict[str, tuple[Column, ...]]:
    """Return table → columns, from what the store keeps and else from a sample."""
    types = {
        each.place(column): type_
        for each in tables.values()
        for column, type_ in each.types.items()
    }
    known = kept(execute, types, mariadb=server_of(execute) is MARIADB)
    samples = _samples(execute, tables, rows, known, progress)
    distinct = _index_cardinalities(execute, tables)
    return {
        name: tuple(
            _column(
                Column(name=column, type=type_, width_bytes=width_bytes(type_)),
                rows[name],
                known.get(each.place(column)),
                samples.get(each.stored.name, {}).get(column),
                distinct.get(each.place(column)) if rows[name] > SAMPLE_ROWS else None,
            )
            for column, type_ in each.types.items()
        )
        for name, each in tables.items()
    }


def _column(
    plain: Column, rows: int, known: Known | None, measured: Column | None, distinct: int | None
) -> Column:
    """Return a column as its store's statistics describe it, or its sample, or nothing does."""
    width = plain.width_bytes
    if not is_fixed(plain.type):
        if known is not None and known.width_bytes is not None:
            width = known.width_bytes
        elif measured is not None:
            width = measured.width_bytes
    if known is not None:
        return replace(plain, width_bytes=width, statistics=known.of(rows))
    if not rows:
        return replace(plain, statistics=EMPTY)
    statistics = measured.statistics if measured is not None else None
    if statistics is not None and distinct is not None:
        # An index was estimated from pages all over the table; a sample tells less.
        filled = round(rows * (1 - statistics.null_share))
        statistics = replace(statistics, distinct=max(1, min(distinct, filled)) if filled else 0)
    return replace(plain, width_bytes=width, statistics=statistics)


def _samples(
    execute: Execute,
    tables: Mapping[str, _Relation],
    rows: Mapping[str, int],
    known: Mapping[Place, Known],
    progress: Progress,
) -> Mapping[str, Mapping[str, Column]]:
    """Return quoted table → column → what a sample says, for tables with unknown columns."""
    unknown = {
        name: each
        for name, each in tables.items()
        if rows[name] and any(_needs_sample(each, column, known) for column in each.types)
    }
    if not unknown:
        return {}
    found: list[Sample] = []
    with progress.task(f"Sampling {len(unknown)} tables without statistics", len(unknown)) as task:
        for name, each in unknown.items():
            rows_of = mysql_samples.sample(execute, each.stored, rows[name])
            found += [rows_of] if rows_of is not None else []
            task.advance()
        return sampled(found)


def _needs_sample(relation: _Relation, column: str, known: Mapping[Place, Known]) -> bool:
    kept_of = known.get(relation.place(column))
    return kept_of is None or (kept_of.width_bytes is None and not is_fixed(relation.types[column]))


def _index_cardinalities(execute: Execute, tables: Mapping[str, _Relation]) -> Mapping[Place, int]:
    """Return the values of each column that an index begins with."""
    schemas = sorted({each.schema for each in tables.values()})
    return {
        (where, name, column): int(values)
        for where, name, column, values in execute(_INDEXES, (schemas,))
    }


def _keys(execute: Execute, schemas: Sequence[str]) -> dict[tuple[str, str], _Keys]:
    found: dict[tuple[str, str], _Keys] = {}
    for schema, table, constraint, column, where, other, reference in execute(_KEYS, (schemas,)):
        keys = found.setdefault((schema, table), _Keys(primary=[], parts={}))
        if other is None:
            keys.primary.append(column)
        elif where in schemas:
            keys.parts.setdefault(constraint, []).append((column, (where, other), reference))
    return found


def _view(name: str, relation: _Relation, *, is_plain: bool) -> View:
    """Return a view; its tables are named with their database only where names are not plain."""
    definition = relation.definition or ""
    if is_plain:
        definition = without_schema(definition, relation.schema)
    return View(
        name=name,
        schema=relation.schema,
        own=other_own_name(relation.name, name, relation.schema),
        sql=definition,
        dialect="mysql",
        columns=tuple(relation.types),
    )
