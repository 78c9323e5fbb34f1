"""The keys and indexes of a defined table, and the statistics that keys imply."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from workloads.catalog import Column, ColumnStatistics, ForeignKey, Table
from workloads.definition import ColumnDefinition, Keys
from workloads.indexes import Index, distinct_indexes, with_types


def identity(keys: Keys, columns: Iterable[ColumnDefinition]) -> tuple[str, ...]:
    """Return the primary key; without one the first unique key that cannot be NULL."""
    if keys.primary:
        return keys.primary
    filled = {column.name.lower() for column in columns if column.not_null}
    unique = (key for key in keys.unique if {name.lower() for name in key} <= filled)
    return next(unique, ())


def spelled(columns: tuple[str, ...], names: Mapping[str, str]) -> tuple[str, ...]:
    """Return `columns` as the table spells them; none if one is not there."""
    if not all(name.lower() in names for name in columns):
        return ()
    return tuple(names[name.lower()] for name in columns)


def indexes(
    keys: Keys, primary_key: tuple[str, ...], columns: Sequence[Column]
) -> tuple[Index, ...]:
    """Return the indexes beside the primary key, those of unique keys among them.

    One over a column that the table no longer has is gone with it.
    """
    names = {column.name.lower(): column.name for column in columns}
    unique = (Index(columns=key, unique=True) for key in (keys.primary, *keys.unique) if key)
    found = [
        replace(each, columns=spelled(each.columns, names))
        for each in (*unique, *keys.indexes)
        if not each.columns or spelled(each.columns, names)
    ]
    types = {column.name: column.type for column in columns}
    return with_types(distinct_indexes(found, primary_key), types)


def with_keys(table: Table, tables: Mapping[str, Table]) -> Table:
    """Return `table` with foreign keys to known tables, and with what keys tell of its columns."""
    known = {name.lower(): other for name, other in tables.items()}
    foreign = []
    for key in table.foreign_keys:
        other = known.get(key.table.lower())
        references = key.references or (other.primary_key if other is not None else ())
        if other is not None and len(references) == len(key.columns):
            foreign.append(replace(key, table=other.name, references=references))
    most = _most_distinct(table, foreign, tables)
    return replace(
        table,
        foreign_keys=tuple(foreign),
        columns=tuple(
            replace(c, statistics=ColumnStatistics(distinct=most[c.name], null_share=0.0))
            if c.name in most and c.statistics is None
            else c
            for c in table.columns
        ),
    )


def _most_distinct(
    table: Table, foreign: list[ForeignKey], tables: Mapping[str, Table]
) -> Mapping[str, int]:
    """Return column → distinct values: of a key all rows, of a reference those referred to."""
    most = {
        key.columns[0]: max(1, min(table.rows, tables[key.table].rows))
        for key in foreign
        if len(key.columns) == 1
    }
    if len(table.primary_key) == 1 and table.primary_key[0] not in most:
        most[table.primary_key[0]] = max(1, table.rows)
    return most
