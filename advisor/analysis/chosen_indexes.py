"""The indexes of copies, as `[place].indexes` asks for them."""

from collections.abc import Mapping
from dataclasses import replace

from advisor.analysis.analysis import Analysis
from advisor.project.project import Project
from workloads.candidate_indexes import candidate_indexes, with_candidates
from workloads.catalog import Catalog, Table
from workloads.indexes import NOT_WANTED, Index, NamedIndex


def with_asked_indexes(project: Project, analysis: Analysis) -> Analysis:
    """Return the analysis with the indexes that no copy is to get known as such, or candidates."""
    if project.place.indexes == "none":
        tables = {name: _unwanted(table) for name, table in analysis.catalog.tables.items()}
        return replace(analysis, catalog=replace(analysis.catalog, tables=tables))
    if project.place.indexes == "advise":
        return replace(
            analysis, candidates=candidate_indexes(analysis.catalog, analysis.footprints)
        )
    return analysis


def offering(analysis: Analysis) -> Catalog:
    """Return the catalog with the indexes that only some stores have: chosen ones, and their own.

    Copies are made without the indexes of a live table that they are not to get. Its own store
    reads by them.
    """
    tables = dict(analysis.catalog.tables)
    for name, table in tables.items():
        own = _own_indexes(table)
        if own:
            tables[name] = replace(table, indexes=(*table.indexes, *own))
    return with_candidates(replace(analysis.catalog, tables=tables), analysis.candidates)


def own_indexes(analysis: Analysis) -> Mapping[str, frozenset[NamedIndex]]:
    """Return store → the indexes of its live tables that copies do not get, as asked for."""
    found: dict[str, set[NamedIndex]] = {}
    for table in analysis.catalog.tables.values():
        for each in _own_indexes(table):
            if table.origin is not None:
                named = NamedIndex(table.name, each.columns)
                found.setdefault(table.origin.store, set()).add(named)
    return {store: frozenset(indexes) for store, indexes in found.items()}


def _unwanted(table: Table) -> Table:
    indexes = (
        each if each.obstacle else replace(each, obstacle=NOT_WANTED) for each in table.indexes
    )
    return replace(table, indexes=tuple(indexes))


def _own_indexes(table: Table) -> tuple[Index, ...]:
    if table.origin is None:
        return ()
    unwanted = (each for each in table.indexes if each.obstacle == NOT_WANTED)
    return tuple(replace(each, obstacle="", is_chosen=True) for each in unwanted)
