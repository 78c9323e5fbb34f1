"""Statements with the values that their log has for their parameters, if they are understood so."""

from collections.abc import Callable, Sequence

from workloads.catalog import Catalog
from workloads.errors import SqlError
from workloads.sql.binding import Binder
from workloads.sql.footprints import footprint
from workloads.sql.parsing.as_checked import as_checked
from workloads.sql.parsing.given_values import with_values
from workloads.workload import Query


def understood_with_values(
    query: Query,
    catalog: Catalog,
    dialect: str,
    binder: Binder,
    reads: Callable[[Query], Sequence[Query]],
) -> Query:
    """Return a statement with the values that its log has, if it is understood with them.

    `reads` gives the queries that it consists of, or that are within it.
    """
    filled = with_values(query)
    if filled is query:
        return query
    try:
        for each in reads(filled):
            binder.check(each, catalog, footprint(each, catalog, dialect).tables)
    except SqlError:
        return query
    return filled


def sent_with_values(query: Query, dialect: str) -> Query:
    """Return a query with the values that its log has, if it may be sent with them."""
    filled = with_values(query)
    try:
        as_checked(filled, dialect)
    except SqlError:
        return query
    return filled
