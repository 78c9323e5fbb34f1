"""A query in the form in which it is split into fragments: equal results, plainer shape.

Each rewrite is a function of the tree; `RULES` is the whole pipeline after name resolution.
"""

from collections.abc import Callable

from sqlglot import exp
from sqlglot.helper import name_sequence
from sqlglot.optimizer.scope import traverse_scope
from sqlglot.optimizer.unnest_subqueries import decorrelate
from sqlglot.optimizer.unnest_subqueries import unnest as unnest_subquery

from workloads.catalog import Catalog
from workloads.sql.parse import parse, qualified
from workloads.workload import Query


def canonical(query: Query, catalog: Catalog, dialect: str) -> exp.Query:
    """Parse, qualify and rewrite `query`; the result is in sqlglot's own tree, any dialect.

    Raises:
        SqlError: As `parse` and `qualified`.
    """
    tree = qualified(parse(query, dialect), query, catalog, dialect)
    for rule in RULES:
        tree = rule(tree)
    return tree


def drop_unread_ctes(tree: exp.Query) -> exp.Query:
    """Drop CTEs that nothing reads: their tables are not part of the query's footprint."""
    while True:
        read = {table.name for table in tree.find_all(exp.Table) if not table.db}
        unread = [cte for cte in tree.find_all(exp.CTE) if cte.alias not in read]
        if not unread:
            return tree
        for cte in unread:
            with_ = cte.parent
            cte.pop()
            if isinstance(with_, exp.With) and not with_.expressions:
                with_.pop()


def explicit_joins(tree: exp.Query) -> exp.Query:
    """Write comma joins as CROSS JOIN, so that a later LEFT JOIN may refer to all before it."""
    for join in tree.find_all(exp.Join):
        bare = not (join.kind or join.side or join.method or join.args.get("on"))
        if bare and not isinstance(join.this, (exp.Lateral, exp.Unnest)):
            join.set("kind", "CROSS")
    return tree


def factor_disjunctions(tree: exp.Query) -> exp.Query:
    """Hoist the conjuncts that all arms of an OR share: joins and filters hide in there."""
    for disjunction in list(tree.find_all(exp.Or)):
        if isinstance(disjunction.parent, exp.Or):
            continue
        arms = [list(_conjuncts(arm)) for arm in disjunction.flatten()]
        texts = [{conjunct.sql() for conjunct in arm} for arm in arms]
        shared = set.intersection(*texts)
        if not shared:
            continue
        hoisted = [conjunct for conjunct in arms[0] if conjunct.sql() in shared]
        rests = [[c for c in arm if c.sql() not in shared] for arm in arms]
        parts: list[exp.Expr] = [c.copy() for c in hoisted]
        if all(rests):
            parts.append(exp.paren(exp.or_(*(exp.and_(*rest, copy=True) for rest in rests))))
        target: exp.Expr = disjunction
        while isinstance(target.parent, exp.Paren):
            target = target.parent
        target.replace(exp.paren(exp.and_(*parts)) if len(parts) > 1 else parts[0])
    return tree


def unnest(tree: exp.Query) -> exp.Query:
    """Turn correlated and IN subqueries into joins: as written, PostgreSQL takes q1 287 s.

    A subquery that is correlated by more than equalities stays as it is: stores run it as a semi
    join, and decorrelating it needs arrays, which few have (q16, q94). The columns of the derived
    tables this makes get names of their own, so that they cannot be mistaken for output columns
    in ORDER BY.
    """
    next_alias = name_sequence("_u_")
    for scope in traverse_scope(tree):
        select, parent = scope.expression, scope.expression.parent_select
        if not parent:
            continue
        if scope.external_columns:
            if _correlated_by_equality(select, scope.external_columns):
                decorrelate(select, parent, scope.external_columns, next_alias)  # type: ignore[no-untyped-call]
        elif scope.is_subquery:
            unnest_subquery(select, parent, next_alias)  # type: ignore[no-untyped-call]
    for subquery in list(tree.find_all(exp.Subquery)):
        made_here = subquery.alias.startswith("_u_")
        if made_here and isinstance(subquery.parent, (exp.Join, exp.From)):
            _rename_outputs(tree, subquery)
    return tree


def _rename_outputs(tree: exp.Query, subquery: exp.Subquery) -> None:
    """Prefix the output columns of a derived table by its alias."""
    alias, select = subquery.alias, subquery.this
    if not isinstance(select, exp.Select):
        return
    for projection in list(select.selects):
        old = projection.alias_or_name
        if old.startswith("_"):
            continue
        new = f"{alias}_{old}"
        projection.replace(exp.alias_(projection.unalias().copy(), new))
        for column in tree.find_all(exp.Column):
            if column.table == alias and column.name == old:
                column.set("this", exp.to_identifier(new))


def _correlated_by_equality(select: exp.Expr, outer: list[exp.Column]) -> bool:
    where = select.args.get("where")
    if where is None:
        return False
    refers = {id(column) for column in outer}
    for conjunct in _conjuncts(where.this):
        inside = [column for column in conjunct.find_all(exp.Column) if id(column) in refers]
        if inside and not isinstance(conjunct, exp.EQ):
            return False
    return True


def wrap_order_by(tree: exp.Query) -> exp.Query:
    """Compute ORDER BY expressions as hidden columns of an inner query.

    Most stores refuse an expression over an output column there (q36, q70, q86).
    """
    for select in list(tree.find_all(exp.Select)):
        order = select.args.get("order")
        if order is None or select.args.get("distinct"):
            continue
        outputs = {projection.alias_or_name: projection for projection in select.selects}
        terms = order.expressions
        if all(_is_plain(term.this, outputs) for term in terms):
            continue
        _wrap(select, outputs)
    return tree


def _is_plain(term: exp.Expr, outputs: dict[str, exp.Expr]) -> bool:
    if isinstance(term, (exp.Literal, exp.Identifier)):
        return True
    if isinstance(term, exp.Column):
        return True
    return not any(not c.table and c.name in outputs for c in term.find_all(exp.Column))


def _wrap(select: exp.Select, outputs: dict[str, exp.Expr]) -> None:
    """Replace `select` by SELECT outputs FROM (select, hidden order columns) ORDER BY."""
    inner = select.copy()
    order = inner.args["order"].copy()
    inner.set("order", None)
    limit, offset, with_ = (select.args.get(key) for key in ("limit", "offset", "with_"))
    inner.set("limit", None)
    inner.set("offset", None)
    inner.set("with_", None)
    alias = "_ordered"
    for index, ordered in enumerate(order.expressions):
        term = ordered.this
        if isinstance(term, exp.Column) and not term.table and term.name in outputs:
            ordered.set("this", exp.column(term.name, table=alias))
            continue
        for column in list(term.find_all(exp.Column)):
            if not column.table and column.name in outputs:
                replacement = outputs[column.name].unalias().copy()
                if column is term:
                    term = replacement
                else:
                    column.replace(replacement)
        hidden = f"_order_{index}"
        inner.select(exp.alias_(term.copy(), hidden), copy=False)
        ordered.set("this", exp.column(hidden, table=alias))
    outer = exp.select(
        *(exp.alias_(exp.column(name, table=alias), name) for name in outputs)
    ).from_(exp.alias_(exp.Subquery(this=inner), alias, table=True))
    outer.set("order", order)
    outer.set("limit", limit.copy() if limit else None)
    outer.set("offset", offset.copy() if offset else None)
    outer.set("with_", with_.copy() if with_ else None)
    select.set("expressions", outer.expressions)
    for key in list(select.args):
        if key != "expressions":
            select.set(key, None)
    for key, value in outer.args.items():
        select.set(key, value)


def _conjuncts(node: exp.Expr) -> list[exp.Expr]:
    node = node.unnest()
    return [part.unnest() for part in node.flatten()] if isinstance(node, exp.And) else [node]


RULES: tuple[Callable[[exp.Query], exp.Query], ...] = (
    drop_unread_ctes,
    explicit_joins,
    factor_disjunctions,
    unnest,
    wrap_order_by,
)
