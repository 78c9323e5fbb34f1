"""Statistics implied by the keys of a defined table: its identity, repeats of values."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from workloads.catalog import ColumnStatistics, ForeignKey, Table
from workloads.definition import ColumnDefinition, Keys


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
