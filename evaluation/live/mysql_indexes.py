"""Indexes of MySQL's and MariaDB's tables, from ``information_schema``."""

from collections.abc import Mapping, Sequence
from itertools import groupby

from evaluation.stores.mysql.sessions import Execute
from workloads.indexes import Index, distinct_indexes, index, with_types

# The part of an index that is an expression has no column.
_INDEXES = """
SELECT table_schema, table_name, index_name, lower(index_type), non_unique = 0, column_name
FROM information_schema.statistics placement_advisor
WHERE table_schema IN %s AND index_name <> 'PRIMARY'
ORDER BY table_schema, table_name, index_name, seq_in_index
"""

Place = tuple[str, str]
"""A table's schema and its name there."""


def indexes(
    execute: Execute,
    schemas: Sequence[str],
    primary: Mapping[Place, Sequence[str]],
    types: Mapping[Place, Mapping[str, str]],
) -> Mapping[Place, tuple[Index, ...]]:
    """Return the indexes of each table beside its primary key; `types` are those of its columns."""
    found: dict[Place, list[Index]] = {}
    rows = execute(_INDEXES, (schemas,))
    for (schema, table, name, method, unique), parts in groupby(rows, lambda row: row[:5]):
        columns = [part[5] for part in parts]
        found.setdefault((schema, table), []).append(
            index(
                (column for column in columns if column is not None),
                name=str(name),
                unique=bool(unique),
                method=str(method),
                has_expression=None in columns,
            )
        )
    return {
        place: with_types(distinct_indexes(each, tuple(primary.get(place, ()))), types[place])
        for place, each in found.items()
        if place in types
    }
