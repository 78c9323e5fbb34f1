"""Columns that no store of a project has a type for: left out, so that tables can be placed."""

from collections.abc import Collection
from dataclasses import replace

from advisor.project.project import Project
from evaluation.kinds import BACKENDS
from workloads.catalog import Catalog, Table


def with_held_columns(project: Project, catalog: Catalog) -> Catalog:
    """Return the catalog without the columns that none of the project's stores could hold.

    Bytes are such where there are only PostgreSQL and MySQL. Tables that are not loaded from here
    stay as they are, and so do those that have no other columns.
    """
    kinds = {store.kind for store in project.stores}
    if not kinds:
        return catalog
    tables = {name: _held(table, kinds) for name, table in catalog.tables.items()}
    return replace(catalog, tables=tables)


def _held(table: Table, kinds: Collection[str]) -> Table:
    if table.parquet is None:
        return table
    known = [BACKENDS[kind].holding.types for kind in kinds]
    odd = {
        column.name: column.type
        for column in table.columns
        if all(types is not None and types.equal(column) is None for types in known)
    }
    if not odd or len(odd) == len(table.columns):
        return table
    return replace(
        table,
        columns=tuple(column for column in table.columns if column.name not in odd),
        primary_key=() if odd.keys() & set(table.primary_key) else table.primary_key,
        left_out={**table.left_out, **odd},
    )
