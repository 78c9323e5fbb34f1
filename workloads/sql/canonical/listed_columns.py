"""Tables whose columns are called otherwise in one place: ``orders AS o(id, customer)``."""

from sqlglot import exp

from workloads.catalog import Catalog
from workloads.sql.resolving.views import cte_of
from workloads.sql.trees.tree import QueryTree

_LISTED = "listed"


def order_by_places(tree: exp.Query) -> exp.Query:
    """Write the outputs that a query with a list of columns is ordered by as their places.

    Resolution gives ``(SELECT a AS x FROM t ORDER BY x) q(y)`` the names of the list before it
    looks at ORDER BY.
    """
    for holder in tree.find_all(exp.CTE, exp.Subquery):
        alias, inner = holder.args.get("alias"), holder.this
        if not isinstance(alias, exp.TableAlias) or not alias.columns:
            continue
        order = inner.args.get("order") if isinstance(inner, exp.Query) else None
        names = [name.lower() for name in inner.named_selects] if order is not None else []
        for term in order.find_all(exp.Ordered) if order is not None else ():
            key = term.this
            is_bare = isinstance(key, exp.Column) and not key.table
            if is_bare and key.name.lower() in names:
                term.set("this", exp.Literal.number(names.index(key.name.lower()) + 1))
    return tree


def wrap_listed_columns(tree: exp.Query, catalog: Catalog) -> exp.Query:
    """Make a derived table of each table with a list of columns, before names are resolved.

    sqlglot knows the names that a derived table gives wherever they are read, those that a table
    is given only in its own SELECT.
    """
    for table in list(tree.find_all(exp.Table)):
        alias = table.args.get("alias")
        if alias is None or not alias.args.get("columns"):
            continue
        if cte_of(table) is not None:
            _wrap_joined_cte(table, alias)
            continue
        known = catalog.tables.get(catalog.spelled(table.name))
        if known is None or table.args.get("joins"):
            continue
        names = [column.name for column in known.columns]
        given = [column.name for column in alias.args["columns"]]
        inner = exp.select(
            *(
                exp.alias_(exp.column(name, quoted=True), exp.to_identifier(new, quoted=True))
                for name, new in zip(names, [*given, *names[len(given) :]], strict=False)
            )
        ).from_(exp.Table(**{**table.args, "alias": None}), copy=True)
        derived = exp.Subquery(this=inner, alias=exp.TableAlias(this=alias.this.copy()))
        derived.meta[_LISTED] = True
        table.replace(derived)
    return tree


def _wrap_joined_cte(table: exp.Table, alias: exp.Expr) -> None:
    """Make a derived table of a CTE in a semi or anti join, whose condition knows no list."""
    join = table.parent
    if isinstance(join, exp.Join) and join.kind in ("SEMI", "ANTI"):
        read = exp.select("*").from_(exp.to_table(table.name))
        table.replace(exp.Subquery(this=read, alias=alias.copy()))


def unwrap_listed_columns(tree: exp.Query) -> exp.Query:
    """Put the tables back that `wrap_listed_columns` wrapped, their columns called as they are."""
    wrapped = {
        id(each): (each, names)
        for each in tree.find_all(exp.Subquery)
        if each.meta.get(_LISTED) and (names := _names(each)) is not None
    }
    if not wrapped:
        return tree
    blocks = QueryTree(tree)
    for column in list(tree.find_all(exp.Column)):
        home = blocks.home(column)
        relation = home.relations.get(column.table) if home is not None else None
        if relation is not None and id(relation) in wrapped:
            column.set("this", exp.to_identifier(wrapped[id(relation)][1][column.name]))
    for derived, _ in wrapped.values():
        table = derived.this.args["from_"].this
        table.set("alias", exp.TableAlias(this=derived.args["alias"].this.copy()))
        derived.replace(table)
    return tree


def _names(derived: exp.Subquery) -> dict[str, str] | None:
    """Return the name of each column in the table itself; None where that cannot be told."""
    select = derived.this
    columns = {each.alias_or_name: each.unalias() for each in select.selects}
    if not all(isinstance(each, exp.Column) for each in columns.values()):
        return None
    return {name: each.name for name, each in columns.items()}
