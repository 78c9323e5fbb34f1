"""Indexes of the tables in a DuckDB file."""

from collections.abc import Mapping

import duckdb

from workloads.definition import Alteration
from workloads.indexes import Index, distinct_indexes, with_types
from workloads.sql.ddl.table_definitions import definition
from workloads.workload import Query

_UNIQUE = """
SELECT schema_name, table_name, constraint_column_names FROM duckdb_constraints()
WHERE database_name = current_database() AND constraint_type = 'UNIQUE' ORDER BY constraint_index
"""
_CREATED = """
SELECT schema_name, table_name, sql FROM duckdb_indexes()
WHERE database_name = current_database() AND sql IS NOT NULL ORDER BY index_name
"""

Place = tuple[str, str]
"""A table's schema and its name there."""


def indexes(
    session: duckdb.DuckDBPyConnection,
    primary: Mapping[Place, tuple[str, ...]],
    types: Mapping[Place, Mapping[str, str]],
) -> Mapping[Place, tuple[Index, ...]]:
    """Return the indexes of each table beside its primary key; `types` are those of its columns."""
    found: dict[Place, list[Index]] = {}
    for schema, table, columns in session.execute(_UNIQUE).fetchall():
        each = Index(columns=tuple(columns), unique=True)
        found.setdefault((schema, table), []).append(each)
    for schema, table, sql in session.execute(_CREATED).fetchall():
        made = definition(Query(name=table, sql=sql.rstrip(";"), origin=table), "duckdb")
        if isinstance(made, Alteration):
            found.setdefault((schema, table), []).extend(made.keys.indexes)
    return {
        place: with_types(distinct_indexes(each, primary.get(place, ())), types[place])
        for place, each in found.items()
        if place in types
    }
