"""Text to syntax tree, with errors that point at the place."""

import re

import sqlglot
from sqlglot import exp
from sqlglot.errors import OptimizeError, ParseError, TokenError
from sqlglot.optimizer.qualify import qualify

from workloads.catalog import Catalog
from workloads.errors import SqlError, UnknownTableError
from workloads.workload import Query

_POSITION = re.compile(r"\.?\s*Line: (\d+), Col: (\d+)")


def parse(query: Query, dialect: str) -> exp.Query:
    """Parse one statement that reads.

    Raises:
        SqlError: The text does not parse, is several statements, or is not a query. Line and
            column count from 1 in the file that the query came from.
    """
    try:
        trees = [tree for tree in sqlglot.parse(query.sql, dialect=dialect) if tree is not None]
    except ParseError as error:
        first = error.errors[0] if error.errors else {}
        reason = str(first.get("description") or error).rstrip(".")
        near = str(first.get("highlight") or "").strip()
        if near:
            reason += f", near '{near}'"
        raise _error(query, reason, first.get("line"), first.get("col")) from error
    except TokenError as error:
        raise _error(query, str(error).splitlines()[0].rstrip("."), None, None) from error
    if len(trees) != 1:
        raise _error(query, f"{len(trees)} statements where one was expected", None, None)
    tree = trees[0]
    if isinstance(tree, exp.Subquery):
        tree = tree.unnest()
    if not isinstance(tree, exp.Query):
        raise _error(query, f"{tree.key.upper()} is not a query", None, None)
    return tree


def qualified(tree: exp.Query, query: Query, catalog: Catalog, dialect: str) -> exp.Query:
    """Resolve every column to the alias it comes from, and expand stars and USING.

    Names match in any case, quoted or not, as in DuckDB: the data are its, whatever the dialect.

    Raises:
        UnknownTableError: A table is neither in the catalog nor a CTE.
        SqlError: A column cannot be resolved.
    """
    _refuse_unknown_tables(tree, query, catalog)
    try:
        done = qualify(
            tree,
            schema=dict(catalog.schema()),
            dialect=f"{dialect}, normalization_strategy=case_insensitive",
            quote_identifiers=False,
        )
    except OptimizeError as error:
        said = _POSITION.search(str(error))
        reason = _POSITION.sub("", str(error)).rstrip(". ")
        line, column = (int(said[1]), int(said[2])) if said else (None, None)
        raise _error(query, reason, line, column) from error
    if not isinstance(done, exp.Query):
        raise TypeError(f"qualify made a {done.key} of a query")
    return done


def _refuse_unknown_tables(tree: exp.Query, query: Query, catalog: Catalog) -> None:
    known = {name.lower() for name in catalog.tables}
    ctes = {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
    for table in tree.find_all(exp.Table):
        name = table.name
        if not name or name.lower() in ctes or name.lower() in known:
            continue
        near = catalog.nearest(name)
        hint = f"; did you mean '{near}'?" if near else ""
        meta = table.this.meta if isinstance(table.this, exp.Identifier) else {}
        line, column = meta.get("line"), meta.get("col")
        if line is None:
            raise UnknownTableError(f"unknown table '{name}'{hint}", origin=query.origin)
        raise UnknownTableError(
            f"unknown table '{name}'{hint}",
            origin=query.origin,
            line=query.line + int(line) - 1,
            column=max(1, int(column or 1) - len(name) + 1),
        )


def _error(query: Query, reason: str, line: int | None, column: int | None) -> SqlError:
    if line is None:
        return SqlError(reason, origin=query.origin, line=query.line, column=1)
    return SqlError(
        reason, origin=query.origin, line=query.line + int(line) - 1, column=int(column or 1)
    )
