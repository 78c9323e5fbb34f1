"""Statements that were not understood and that a server of their dialect may run."""

from workloads.catalog import Catalog
from workloads.errors import NotSentError, SqlError, UnknownTableError, UnresolvedNameError
from workloads.pass_through import PassThrough
from workloads.sql.filled_values import sent_with_values
from workloads.sql.parsing.door import error_at
from workloads.sql.passing_through import passed_through
from workloads.workload import Query


def only_of_its_server(
    query: Query, catalog: Catalog, dialect: str, error: SqlError, writes: frozenset[str]
) -> PassThrough | None:
    """Return a query that `error` keeps from being understood as its server gets it, with values.

    None where no server could run it either.

    Raises:
        SqlError: No server gets its text, which may do more than was seen of it.
    """
    if isinstance(error, UnknownTableError):
        return None
    try:
        return passed_through(
            sent_with_values(query, dialect),
            catalog,
            dialect,
            error.reason,
            writes,
            is_unresolved=isinstance(error, UnresolvedNameError),
        )
    except NotSentError as refused:
        raise error_at(query, 0, f"{error.reason}; and {refused.reason}") from error
