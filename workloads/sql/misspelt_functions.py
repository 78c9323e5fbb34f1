"""Functions that a statement calls and that nobody is known to have: they may be misspelt.

DuckDB refuses them as it does what only their own server has. So a slip would be found when the
statement is run, and not before.
"""

from difflib import get_close_matches

from sqlglot import exp

from workloads.catalog import Catalog
from workloads.pass_through import UnknownFunction
from workloads.sql.known_functions import known_functions
from workloads.workload import Query

_NEAR = 0.7


def unknown_functions(
    query: Query, tree: exp.Expr | None, dialect: str, catalog: Catalog
) -> tuple[UnknownFunction, ...]:
    """Return the functions that neither the server nor the catalog has, each once.

    Nothing is said of a statement that a server ran, and of functions with their schema: these are
    the users' own.
    """
    if tree is None or query.latency_s is not None:
        return ()
    known = known_functions(dialect)
    called = {
        each.name.lower(): None
        for each in tree.find_all(exp.Anonymous)
        if not isinstance(each.parent, exp.Dot)
    }
    return tuple(
        UnknownFunction(name=name, near=next(iter(_nearest(name, known | catalog.functions)), ""))
        for name in called
        if known and name not in known and name not in catalog.functions
    )


def _nearest(name: str, known: frozenset[str]) -> list[str]:
    """Return the known name that is nearest: of equally near ones the first by letter."""
    return get_close_matches(name, sorted(known), n=1, cutoff=_NEAR)
