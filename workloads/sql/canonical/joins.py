"""Joins in one plain form: no parentheses, no commas, merged columns compared as merged."""

from collections.abc import Collection, Sequence

from sqlglot import exp
from sqlglot.helper import name_sequence

from workloads.sql.canonical.flat_joins import KEEPS_RIGHT, MERGES, between_commas, parts
from workloads.sql.trees.column_names import source_column
from workloads.sql.trees.predicates import conjuncts, is_bound

_LATERAL = "lateral"


def plain_joins(tree: exp.Query) -> exp.Query:
    """Write all joins as a list without parentheses, commas, APPLY and what sqlglot gets wrong.

    What is still in parentheses becomes a derived table.
    """
    next_alias = name_sequence("_join_")
    selects = list(tree.find_all(exp.Select))
    while selects:
        select = selects.pop(0)
        _group_after_commas(select)
        joins = select.args.get("joins") or ()
        if any(join.meta.get(MERGES) for join in joins):
            _merge_what_is_joined(joins)
            _compare_merged(joins)
        for join in joins:
            first, grouped = parts(join.this)
            if grouped:
                selects.append(_derive(select, join, first, grouped, next_alias()))
            _make_explicit(join)
    return tree


def _group_after_commas(select: exp.Select) -> None:
    """Put what a comma separates in parentheses where a join in it keeps rows of its right side.

    A comma binds weaker than JOIN: ``a, b RIGHT JOIN c`` pairs each row of `a` with ``b RIGHT JOIN
    c``, but ``a CROSS JOIN b RIGHT JOIN c`` keeps the rows of `c` beside all others.
    """
    for first, *others in between_commas(select)[1:]:
        keeps_right = any(
            join.side in KEEPS_RIGHT or join.method == "POSITIONAL" for join in others
        )
        if keeps_right:
            relation = _in_parentheses(first.this)
            first.set("this", relation)
            for join in others:
                relation.append("joins", join.pop())


def _in_parentheses(relation: exp.Expr) -> exp.Expr:
    """Return a relation that joins can be put behind; one that may read others remembers it."""
    inside = relation
    if isinstance(relation, exp.Lateral):
        inside = relation.this
        inside.set("alias", relation.args.get("alias"))
    is_function = isinstance(relation, exp.Table) and not isinstance(relation.this, exp.Identifier)
    inside.meta[_LATERAL] = inside is not relation or is_function or isinstance(inside, exp.Unnest)
    return inside


def _merge_what_is_joined(joins: Sequence[exp.Join]) -> None:
    """Take the columns of tables that are joined later out of merged columns in conditions.

    sqlglot merges those of all tables, wherever the column is read.
    """
    for number, join in enumerate(joins):
        later = {each.this.alias_or_name for each in joins[number + 1 :]}
        condition = join.args.get("on")
        for merged in list(condition.find_all(exp.Coalesce)) if condition is not None else ():
            _keep_values(merged, later)


def _keep_values(merged: exp.Coalesce, left_out: Collection[str]) -> None:
    """Leave the columns of some tables out of a merged column."""
    values = [merged.this, *merged.expressions]
    kept = [each for each in values if not _is_of(each, left_out)]
    if kept and len(kept) < len(values):
        first, *others = kept
        merged.replace(exp.Coalesce(this=first, expressions=others) if others else first)


def _is_of(value: exp.Expr, tables: Collection[str]) -> bool:
    return isinstance(value, exp.Column) and value.table in tables


def _compare_merged(joins: Sequence[exp.Join]) -> None:
    """Compare with the merged column what is joined to it after a RIGHT or FULL JOIN USING.

    sqlglot compares with the first table's column, which is NULL in rows of the second alone.
    """
    merged: dict[str, list[str]] = {}
    keeps_right = False
    for join in joins:
        if not join.meta.get(MERGES):
            continue
        for pair in conjuncts(join.args.get("on")):
            left, right = pair.this, pair.args["expression"]
            # In a NATURAL JOIN sqlglot may have merged them already.
            compared = [column.table for column in left.find_all(exp.Column)]
            tables = merged.setdefault(right.name, compared)
            if isinstance(left, exp.Coalesce) and not keeps_right:
                left.replace(left.this)
            if keeps_right and len(tables) > 1 and isinstance(left, exp.Column):
                columns = [exp.column(right.name, table=table) for table in tables]
                left.replace(exp.Coalesce(this=columns[0], expressions=columns[1:]))
            tables.append(right.table)
        keeps_right = keeps_right or join.side in KEEPS_RIGHT


def _make_explicit(join: exp.Join) -> None:
    """Write a comma as CROSS JOIN, so that a later LEFT JOIN may refer to all before it.

    CROSS APPLY and OUTER APPLY become CROSS and LEFT JOIN LATERAL. NATURAL is left by resolution
    where no column is in common.
    """
    lateral = join.this if isinstance(join.this, exp.Lateral) else None
    if lateral is not None and lateral.args.get("cross_apply") is not None:
        if not lateral.args["cross_apply"]:
            join.set("side", "LEFT")
            join.set("on", exp.true())
        lateral.set("cross_apply", None)
    if join.method == "NATURAL":
        join.set("method", None)
    bare = not (join.kind or join.side or join.method or join.args.get("on"))
    is_function = isinstance(join.this, exp.Unnest) or (
        lateral is not None and not isinstance(lateral.this, exp.Subquery)
    )
    if bare and not is_function:
        join.set("kind", "CROSS")


def _derive(
    select: exp.Select, join: exp.Join, first: exp.Expr, joins: Sequence[exp.Join], alias: str
) -> exp.Select:
    """Make a derived table of a join in parentheses, with the columns that are read outside."""
    aliases = {first.alias_or_name, *(each.this.alias_or_name for each in joins)}
    outside = [
        column
        for column in select.find_all(exp.Column)
        if column.table in aliases
        and not is_bound(column, select)
        and not _is_below(column, join.this)
    ]
    needed = sorted({(column.table, column.name) for column in outside})
    projections = [
        exp.alias_(exp.column(name, table=table), source_column(table, name))
        for table, name in needed
    ]
    inner = exp.select(*(projections or [exp.alias_(exp.Literal.number(1), "one")]))
    first.set("joins", None)
    inner = inner.from_(first, copy=False)
    inner.set("joins", list(joins))
    derived = exp.alias_(exp.Subquery(this=inner), alias, table=True)
    join.set("this", _lateral(derived) if first.meta.get(_LATERAL) else derived)
    for column in outside:
        column.replace(exp.column(source_column(column.table, column.name), table=alias))
    return inner


def _lateral(derived: exp.Expr) -> exp.Lateral:
    alias = derived.args["alias"]
    derived.set("alias", None)
    return exp.Lateral(this=derived, alias=alias)


def _is_below(node: exp.Expr, ancestor: exp.Expr) -> bool:
    above: exp.Expr | None = node
    while above is not None and above is not ancestor:
        above = above.parent
    return above is ancestor
