"""Subqueries as joins, where that keeps the answer."""

from collections.abc import Callable

from sqlglot import exp
from sqlglot.helper import name_sequence
from sqlglot.optimizer.scope import find_in_scope, traverse_scope
from sqlglot.optimizer.unnest_subqueries import decorrelate
from sqlglot.optimizer.unnest_subqueries import unnest as unnest_subquery

from workloads.footprint import UNNESTED
from workloads.sql.canonical.light_copies import CUTS, derived_tables_aside
from workloads.sql.trees.predicates import conjuncts

_WRAPPERS = (exp.Subquery, exp.Paren)
_HOLDERS = (exp.From, exp.Join, exp.CTE, exp.Lateral)
_MONOTONE = (exp.And, exp.Or, exp.Paren)
_ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Neg, exp.Cast, *_WRAPPERS)
_COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between)


def unnest(tree: exp.Query) -> exp.Query:
    """Turn correlated and IN subqueries into joins: as written, PostgreSQL takes q1 287 s.

    Left alone are the subqueries of which sqlglot's own rule would change the answer: NOT IN, where
    NULL is not false; an uncorrelated EXISTS; a scalar subquery that may be empty where that
    matters; a correlated IN. So is a subquery that is correlated by more than equalities: stores
    run it as a semi-join, and decorrelating it needs arrays, which few have (q16, q94). The columns
    of the derived tables this makes get names of their own, so that they cannot be mistaken for
    output columns in ORDER BY.
    """
    if not any(_is_operand(select) for select in tree.find_all(exp.Select)):
        return tree
    next_alias = name_sequence(UNNESTED)
    is_whole = tree.find(*CUTS) is None
    for scope in traverse_scope(tree):
        select, parent = scope.expression, scope.expression.parent_select
        if parent is None or not scope.is_subquery or not _may_be_joined(select, parent):
            continue
        outer = scope.external_columns
        if outer:
            if isinstance(select, exp.Select) and _is_decorrelated(select, parent, outer):
                with derived_tables_aside(select, parent, is_whole=is_whole):
                    _decorrelate(select, parent, outer, next_alias)
        elif _is_unnested(select):
            if select.args.get("limit") is None:
                select.set("order", None)
            with derived_tables_aside(select, parent, is_whole=is_whole):
                unnest_subquery(select, parent, next_alias)  # type: ignore[no-untyped-call]
    _rename_outputs(tree)
    return tree


def _is_operand(select: exp.Select) -> bool:
    """Whether a query stands in an expression: neither outermost nor a relation or a CTE."""
    user = _user(select)
    while isinstance(user, exp.SetOperation):
        user = _user(user)
    return user is not None and not isinstance(user, _HOLDERS)


def _may_be_joined(select: exp.Expr, parent: exp.Select) -> bool:
    """Whether a join may be added to `parent` for `select`, by where the subquery stands.

    An aggregation without groups has a row even where nothing comes in, a join has none then.
    """
    clause = _clause(select, parent)
    if clause not in ("where", "having", "expressions", "joins") or parent.args.get("laterals"):
        return False
    if clause in ("where", "joins"):
        return True
    if parent.args.get("group") is None:
        return clause == "expressions" and not any(
            find_in_scope(projection, exp.AggFunc) for projection in parent.selects
        )
    # Whether an unknown function aggregates cannot be told.
    return _is_grouped(parent) and not any(
        find_in_scope(node, exp.Anonymous)
        for node in (*parent.selects, parent.args.get("having"))
        if node is not None
    )


def _clause(select: exp.Expr, parent: exp.Select) -> str:
    """Return the clause of `parent` in which `select` stands."""
    node: exp.Expr = select
    while node.parent is not None and node.parent is not parent:
        node = node.parent
    return node.arg_key or ""


def _is_grouped(select: exp.Select) -> bool:
    group = select.args.get("group")
    return group is not None and not (
        group.args.get("all") or group.find(exp.Rollup, exp.Cube, exp.GroupingSets)
    )


def _is_decorrelated(select: exp.Select, parent: exp.Select, outer: list[exp.Column]) -> bool:
    """Whether a correlated subquery is an EXISTS or an aggregate that equalities correlate."""
    user = _user(select)
    if isinstance(user, (exp.In, exp.Any, exp.All)):
        return False
    if isinstance(user, exp.Exists) and _is_compared(user):
        return False
    if not isinstance(user, exp.Exists) and not _is_value(select, parent):
        return False
    if not {column.table for column in outer} <= _aliases(parent):
        # A join in `parent` may not refer to a query around it: DuckDB knows no such LEFT JOIN.
        return False
    return _correlated_by_equality(select, outer)


def _is_compared(exists: exp.Exists) -> bool:
    """Whether EXISTS is an operand of more than AND and OR: the join's test binds weaker there."""
    above = exists.parent
    return isinstance(above, (exp.Binary, exp.In, exp.Between)) and not isinstance(
        above, exp.Connector
    )


def _aliases(select: exp.Select) -> set[str]:
    """Return the aliases of a FROM clause."""
    from_ = select.args.get("from_")
    relations = [from_.this] if from_ is not None else []
    relations += [join.this for join in select.args.get("joins") or ()]
    return {relation.alias_or_name for relation in relations}


def _decorrelate(
    select: exp.Select,
    parent: exp.Select,
    outer: list[exp.Column],
    next_alias: Callable[[], str],
) -> None:
    """Join `select` to `parent`. sqlglot leaves what has an OR anywhere: ORs are put aside (q41).

    A condition without columns of the outer query is the subquery's own whatever it has in it.
    """
    refers = {id(column) for column in outer}
    aside: dict[str, exp.Expr] = {}
    for part in conjuncts(select.args["where"].this):
        columns = part.find_all(exp.Column)
        if part.find(exp.Or) and not any(id(column) in refers for column in columns):
            name = f"_aside_{len(aside)}"
            aside[name] = part
            part.replace(exp.var(name))
    decorrelate(select, parent, outer, next_alias)  # type: ignore[no-untyped-call]
    # The join has a copy of the subquery.
    for mark in list(parent.find_all(exp.Var)) if aside else ():
        if mark.name in aside:
            mark.replace(exp.paren(aside[mark.name], copy=False))


def _is_value(select: exp.Select, parent: exp.Select) -> bool:
    """Whether a row of the outer query has at most one value: an aggregate's, or a projection's."""
    projected = any(select.parent is each.unalias() for each in parent.selects)
    return projected or bool(find_in_scope(select.selects[0], exp.AggFunc))


def _correlated_by_equality(select: exp.Select, outer: list[exp.Column]) -> bool:
    """Whether each conjunct with a column of the outer query equates it with one of `select`."""
    where = select.args.get("where")
    refers = {id(column) for column in outer}
    for conjunct in conjuncts(where.this if where else None):
        columns = list(conjunct.find_all(exp.Column))
        inside = [column for column in columns if id(column) in refers]
        if inside and not (isinstance(conjunct, exp.EQ) and len(inside) < len(columns)):
            return False
    return where is not None


def _is_unnested(select: exp.Expr) -> bool:
    user = _user(select)
    if isinstance(user, exp.Any):
        comparison = user.parent
        return isinstance(comparison, exp.EQ) and _is_filter(comparison) and _lists_values(select)
    if isinstance(user, exp.In):
        return _is_filter(user) and _lists_values(select)
    if isinstance(user, (exp.Exists, exp.All)):
        return False
    return _has_one_row(select) or _drops_rows_for_null(select)


def _lists_values(select: exp.Expr) -> bool:
    """Whether the values of a subquery can be grouped: they are read from columns of its rows."""
    if not isinstance(select, exp.Select):
        return True
    value = select.selects[0]
    windowed = select.args.get("qualify") is not None or find_in_scope(value, exp.Window)
    distinct = select.args.get("distinct")
    chosen = distinct is not None and distinct.args.get("on") is not None
    return not windowed and not chosen and value.find(exp.Column) is not None


def _user(select: exp.Expr) -> exp.Expr | None:
    """Return the expression that the subquery is an operand of."""
    user = select.parent
    while isinstance(user, _WRAPPERS):
        user = user.parent
    return user


def _is_filter(condition: exp.Expr) -> bool:
    """Whether NULL means the same as false for a condition: only AND and OR are above it."""
    above = condition.parent
    while isinstance(above, _MONOTONE):
        above = above.parent
    return isinstance(above, (exp.Where, exp.Join))


def _has_one_row(select: exp.Expr) -> bool:
    if not isinstance(select, exp.Select):
        return False
    cut = ("group", "having", "qualify", "limit", "offset")
    return not any(select.args.get(clause) for clause in cut) and any(
        find_in_scope(projection, exp.AggFunc) and not find_in_scope(projection, exp.Window)
        for projection in select.selects
    )


def _drops_rows_for_null(select: exp.Expr) -> bool:
    """Whether a subquery is compared in a conjunct of WHERE or HAVING: no value, no row."""
    node: exp.Expr | None = select.parent
    while isinstance(node, _ARITHMETIC):
        node = node.parent
    if not isinstance(node, _COMPARISONS):
        return False
    node = node.parent
    while isinstance(node, (exp.And, exp.Paren)):
        node = node.parent
    return isinstance(node, (exp.Where, exp.Having))


def _rename_outputs(tree: exp.Query) -> None:
    """Prefix the output columns of the derived tables made here by their aliases."""
    names: dict[tuple[str, str], str] = {}
    for subquery in list(tree.find_all(exp.Subquery)):
        alias, select = subquery.alias, subquery.this
        made_here = alias.startswith(UNNESTED) and isinstance(subquery.parent, (exp.Join, exp.From))
        if not made_here or not isinstance(select, exp.Select):
            continue
        for projection in list(select.selects):
            old = projection.alias_or_name
            if old.startswith("_"):
                continue
            new = names[alias, old] = f"{alias}_{old}"
            inner = projection.this if isinstance(projection, exp.Alias) else projection.copy()
            projection.replace(exp.alias_(inner, new, copy=False))
    if names:
        for column in tree.find_all(exp.Column):
            renamed = names.get((column.table, column.name))
            if renamed is not None:
                column.set("this", exp.to_identifier(renamed))
