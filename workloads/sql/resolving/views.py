"""Views: each replaced by its query, before names are resolved."""

from collections.abc import Iterable
from dataclasses import dataclass

from sqlglot import exp

from workloads.catalog import Catalog, View
from workloads.errors import SqlError
from workloads.sql.parsing.door import error_at
from workloads.sql.parsing.parse import parse, start_of
from workloads.workload import Query

MOST_READ = 500
"""So many views may a statement read, those counted that views read: two that each read the one
before twice are six, and 25 of them would be 67 million."""

_CARRIED = ("joins", "laterals", "pivots", "sample")

DUAL = View(name="dual", sql="SELECT 'X' AS dummy", dialect="")
"""The table of one row that some systems select constants from."""


def cte_of(table: exp.Table) -> exp.CTE | None:
    """Return the CTE that `table` names, if one is visible there."""
    return None if table.db or not table.name else visible_cte(table, table.name)


def visible_cte(table: exp.Table, name: str) -> exp.CTE | None:
    """Return the CTE that `name` without a schema would mean in the place of `table`."""
    wanted = name.lower()
    inside: exp.Expr = table
    above = table.parent
    while above is not None:
        if isinstance(above, exp.With):
            # Inside a CTE: those before it are visible, itself and later ones in RECURSIVE.
            ctes = above.expressions
            if not above.args.get("recursive"):
                ctes = ctes[: [id(cte) for cte in ctes].index(id(inside))]
        else:
            with_ = above.args.get("with_")
            ctes = with_.expressions if with_ is not None and with_ is not inside else []
        for cte in ctes:
            if cte.alias.lower() == wanted:
                return cte  # type: ignore[no-any-return]
        inside, above = above, above.parent
    return None


def view_of(table: exp.Table, catalog: Catalog) -> View | None:
    """Return the view that `table` names; a CTE or a table of that name goes first."""
    name = table.name.lower()
    if not name or cte_of(table) is not None or _named(catalog.tables, name) is not None:
        return None
    view = _named(catalog.views, name)
    if view is not None:
        return catalog.views[view]
    return DUAL if name == DUAL.name else None


def expanded(tree: exp.Query, query: Query, catalog: Catalog) -> exp.Query:
    """Replace every view that `tree` reads, directly or through others, by its query.

    Raises:
        SqlError: A view reads itself, its text is no query, or there are more than `MOST_READ`. The
            place is where the query names the view.
    """
    reading = _Reading(query, catalog)
    for table in list(tree.find_all(exp.Table)):
        view = view_of(table, catalog)
        if view is not None:
            _keep_apart(tree, _expand(table, view, reading, ()))
    return tree


@dataclass(slots=True)
class _Reading:
    """A statement whose views are being replaced, and how many were."""

    query: Query
    catalog: Catalog
    views: int = 0


def _expand(
    table: exp.Table, view: View, reading: _Reading, outer: tuple[str, ...]
) -> exp.Subquery:
    """Put the query of `view` in the place of `table`; `outer` are the views that it is in."""
    query, catalog = reading.query, reading.catalog
    path = (*outer, view.name)
    start = start_of(table)
    if view.name in outer:
        raise error_at(query, start, f"view '{view.name}' reads itself ({' → '.join(path)})")
    reading.views += 1
    if reading.views > MOST_READ:
        reason = (
            f"it reads more than {MOST_READ} views, as views read others, view '{path[0]}' among"
            " them: let it read tables, or views of fewer"
        )
        raise error_at(query, start, reason)
    body = _body(view, query, start)
    for node in body.walk():
        if "start" in node.meta:
            node.meta.update(start=start, view=view.name)
    inner = [(each, view_of(each, catalog)) for each in body.find_all(exp.Table)]
    derived = exp.Subquery(
        this=body, alias=_alias(table, view), **{key: table.args.get(key) for key in _CARRIED}
    )
    table.replace(derived)
    for each, nested in inner:
        if nested is not None:
            _expand(each, nested, reading, path)
    return derived


def _body(view: View, query: Query, start: int) -> exp.Query:
    try:
        return parse(Query(name=view.name, sql=view.sql, origin=view.name), view.dialect)
    except SqlError as error:
        reason = f"view '{view.name}' cannot be read: {error.reason}"
        raise error_at(query, start, reason) from error


def _alias(table: exp.Table, view: View) -> exp.TableAlias:
    alias = table.args.get("alias")
    named: list[exp.Expr] = list(alias.args.get("columns") or ()) if alias else []
    names = [exp.to_identifier(name, quoted=True) for name in view.columns]
    columns = [*named, *names[len(named) :]] if names else named
    return exp.TableAlias(this=exp.to_identifier(table.alias_or_name), columns=columns)


def _keep_apart(tree: exp.Query, derived: exp.Subquery) -> None:
    """Rename the CTEs around `derived` that would capture the names of tables within it."""
    free = {each.name.lower() for each in derived.find_all(exp.Table) if not each.db}
    captured = {
        id(cte): cte
        for each in derived.find_all(exp.Table)
        if (cte := cte_of(each)) is not None and not _is_below(cte, derived)
    }
    taken = free | {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
    for cte in captured.values():
        new = next(f"{cte.alias}_{n}" for n in range(2, 10_000) if f"{cte.alias}_{n}" not in taken)
        taken.add(new.lower())
        readers = [
            each
            for each in tree.find_all(exp.Table)
            if cte_of(each) is cte and not _is_below(each, derived)
        ]
        for each in readers:
            if not each.alias:
                each.set("alias", exp.TableAlias(this=each.this.copy()))
            each.this.set("this", new)
        cte.args["alias"].set("this", exp.to_identifier(new))


def _is_below(node: exp.Expr, ancestor: exp.Expr) -> bool:
    above: exp.Expr | None = node
    while above is not None and above is not ancestor:
        above = above.parent
    return above is not None


def _named(names: Iterable[str], wanted: str) -> str | None:
    if wanted in names:
        return wanted
    return next((name for name in names if name.lower() == wanted), None)
