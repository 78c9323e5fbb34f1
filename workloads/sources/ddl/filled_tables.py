"""Tables that a query fills: CREATE TABLE … AS, and materialised views."""

from dataclasses import replace

from workloads.catalog import Catalog, Column, View
from workloads.definition import TypeDefinition
from workloads.errors import SqlError
from workloads.estimation.cardinality import Estimator
from workloads.sources.ddl.draft import Draft
from workloads.sources.ddl.duck_types import DuckTypes
from workloads.sources.ddl.type_widths import mean_width_bytes
from workloads.sql.footprints import footprint
from workloads.sql.resolving.schemas import with_unique_names, with_unique_views
from workloads.sql.result_columns import result_columns
from workloads.workload import Query


def filled_columns(draft: Draft, types: DuckTypes, known: Catalog) -> list[Column]:
    """Return the columns of the query that fills a table, as they are named there.

    Raises:
        SqlError: The query is not understood.
    """
    known = with_unique_views(known)
    found = []
    for column in result_columns(_query(draft, known), known, draft.dialect):
        type_ = types.name(column.type)
        width = column.width_bytes or mean_width_bytes(TypeDefinition(type=type_), type_)
        found.append(replace(column, type=type_, width_bytes=width))
    named = draft.query_columns
    return [replace(c, name=n) for c, n in zip(found, named, strict=False)] + found[len(named) :]


def filled_rows(draft: Draft, known: Catalog) -> int | None:
    """Return the rows that the query of a table has, as estimated; None where it is not known."""
    known = with_unique_views(known)
    try:
        found = footprint(_query(draft, known), known, draft.dialect)
    except SqlError:
        return None
    root = next((block.name for block in found.blocks if block.role == "root"), None)
    return None if root is None else round(Estimator(known, found).rows_of_block(root))


def as_view(draft: Draft) -> View:
    """Return a materialised view whose columns are not understood: what reads it may do."""
    return View(
        name=draft.name.name,
        schema=draft.name.schema,
        sql=draft.query or "",
        dialect=draft.dialect,
        columns=draft.query_columns,
    )


def _query(draft: Draft, known: Catalog) -> Query:
    query = replace(draft.place, sql=draft.query or "", schema=draft.name.schema)
    return with_unique_names(query, known, draft.dialect)
