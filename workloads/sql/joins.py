"""Joins in one plain form: no parentheses, no commas, merged columns compared as merged."""

from collections.abc import Sequence

from sqlglot import exp
from sqlglot.helper import name_sequence

from workloads.sql.predicates import conjuncts, is_bound

_MERGES = "merges"
_KEEPS_RIGHT = ("RIGHT", "FULL")


def flat_joins(tree: exp.Query) -> exp.Query:
    """Drop the parentheses around joins that come first, or that are inner among inner ones.

    It runs before names are resolved, since sqlglot loses USING in them, and remembers which
    joins are USING or NATURAL.
    """
    for select in list(tree.find_all(exp.Select)):
        _flatten(select)
        _merges_first(select)
        for join in select.args.get("joins") or ():
            if join.args.get("using") or join.method == "NATURAL":
                join.meta[_MERGES] = True
    return tree


def merges_after_comma(tree: exp.Query) -> exp.Join | None:
    """Return a USING or NATURAL JOIN behind a comma, if `flat_joins` left one.

    Resolution would merge its columns with those of the tables before the comma.
    """
    for select in tree.find_all(exp.Select):
        for group in _between_commas(select)[1:]:
            found = next((join for join in group if _merges(join)), None)
            if found is not None:
                return found
    return None


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
        if any(join.meta.get(_MERGES) for join in joins):
            _compare_merged(joins)
        for join in joins:
            first, grouped = _parts(join.this)
            if grouped:
                selects.append(_derive(select, join, first, grouped, next_alias()))
            _make_explicit(join)
    return tree


def _group_after_commas(select: exp.Select) -> None:
    """Put what a comma separates in parentheses where a join in it keeps rows of its right side.

    A comma binds weaker than JOIN: ``a, b RIGHT JOIN c`` pairs each row of `a` with ``b RIGHT JOIN
    c``, but ``a CROSS JOIN b RIGHT JOIN c`` keeps the rows of `c` beside all others.
    """
    for first, *others in _between_commas(select)[1:]:
        keeps_right = any(
            join.side in _KEEPS_RIGHT or join.method == "POSITIONAL" for join in others
        )
        if not keeps_right:
            continue
        if isinstance(first.this, exp.Lateral) and isinstance(first.this.this, exp.Subquery):
            # What such a join keeps rows beside may not refer to what is before the comma.
            inner, alias = first.this.this.this, first.this.args.get("alias")
            first.set("this", exp.Subquery(this=inner, alias=alias))
        if isinstance(first.this, (exp.Table, exp.Subquery, exp.Unnest, exp.Values)):
            for join in others:
                first.this.append("joins", join.pop())


def _between_commas(select: exp.Select) -> list[list[exp.Join]]:
    """Return the joins of a FROM clause, those behind each comma apart: it is the first of them."""
    groups: list[list[exp.Join]] = [[]]
    for join in select.args.get("joins") or ():
        if not (join.kind or join.side or join.method or join.args.get("on") or _merges(join)):
            groups.append([])
        groups[-1].append(join)
    return groups


def _merges(join: exp.Join) -> bool:
    return bool(join.args.get("using")) or join.method == "NATURAL"


def _merges_first(select: exp.Select) -> None:
    """Move what merges columns behind a comma to the front, where that changes no column's place.

    Only there are its columns merged with no others: ``a, b NATURAL JOIN c`` has none of `a`.
    """
    groups = _between_commas(select)
    merging = [number for number, group in enumerate(groups) if any(map(_merges, group))]
    relations = [join.this for group in groups for join in group]
    if (
        merging in ([], [0])
        or len(merging) > 1
        or select.is_star
        or not all(isinstance(each, (exp.Table, exp.Subquery)) for each in relations)
    ):
        return
    first, *others = groups.pop(merging[0])
    from_ = select.args["from_"]
    moved = exp.Join(this=from_.this)
    from_.set("this", first.this)
    select.set("joins", [*others, moved, *(join for group in groups for join in group)])


def _compare_merged(joins: Sequence[exp.Join]) -> None:
    """Compare with the merged column what is joined to it after a RIGHT or FULL JOIN USING.

    sqlglot compares with the first table's column, which is NULL in rows of the second alone.
    """
    merged: dict[str, list[str]] = {}
    keeps_right = False
    for join in joins:
        if not join.meta.get(_MERGES):
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
        keeps_right = keeps_right or join.side in _KEEPS_RIGHT


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


def _flatten(select: exp.Select) -> None:
    from_ = select.args.get("from_")
    if from_ is None:
        return
    first, before = _parts(from_.this)
    if first is not from_.this or before:
        first.set("joins", None)
        from_.set("this", first)
    joins = [*before, *(select.args.get("joins") or ())]
    flat = [each for join in joins for each in _flat(join)]
    if before or len(flat) != len(joins):
        select.set("joins", flat)


def _parts(relation: exp.Expr) -> tuple[exp.Expr, list[exp.Join]]:
    """Return the first relation of a join in parentheses and the joins that follow it."""
    own = list(relation.args.get("joins") or ())
    inside = relation.this
    is_group = (
        isinstance(relation, exp.Subquery)
        and not relation.alias
        and isinstance(inside, (exp.Table, exp.Subquery))
    )
    if not is_group:
        return relation, own
    first, joins = _parts(inside)
    return first, [*joins, *own]


def _flat(join: exp.Join) -> list[exp.Join]:
    first, joins = _parts(join.this)
    if first is join.this and not joins:
        return [join]
    if joins and not all(_is_inner(each) for each in (join, *joins)):
        return [join]
    condition = join.args.get("on")
    first.set("joins", None)
    join.set("this", first)
    if not joins:
        return _flat(join)
    join.set("on", None)
    join.set("kind", "CROSS")
    *between, last = [flat for each in joins for flat in _flat(each)]
    if condition is not None:
        last.set("on", exp.and_(last.args.get("on"), condition, copy=False))
        last.set("kind", None)
    return [*_flat(join), *between, last]


def _is_inner(join: exp.Join) -> bool:
    merges = join.args.get("using") or join.method
    return not join.side and join.kind in ("", "INNER", "CROSS") and not merges


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
        exp.alias_(exp.column(name, table=table), f"{table}__{name}") for table, name in needed
    ]
    inner = exp.select(*(projections or [exp.alias_(exp.Literal.number(1), "one")]))
    first.set("joins", None)
    inner = inner.from_(first, copy=False)
    inner.set("joins", list(joins))
    join.set("this", exp.alias_(exp.Subquery(this=inner), alias, table=True))
    for column in outside:
        column.replace(exp.column(f"{column.table}__{column.name}", table=alias))
    return inner


def _is_below(node: exp.Expr, ancestor: exp.Expr) -> bool:
    above: exp.Expr | None = node
    while above is not None and above is not ancestor:
        above = above.parent
    return above is ancestor
