"""Joins before names are resolved: without the parentheses and the places that sqlglot misreads."""

from sqlglot import exp

MERGES = "merges"
"""The mark of a join that is USING or NATURAL."""
KEEPS_RIGHT = ("RIGHT", "FULL")
_LOOKS_IN = ("SEMI", "ANTI")


def flat_joins(tree: exp.Query) -> exp.Query:
    """Drop the parentheses around joins that come first, or that are inner among inner ones.

    It runs before names are resolved, since sqlglot loses USING in them, and remembers which
    joins are USING or NATURAL.
    """
    for select in list(tree.find_all(exp.Select)):
        _flatten(select)
        _merges_first(select)
        _semi_joins_last(select)
        for join in select.args.get("joins") or ():
            if join.args.get("using") or join.method == "NATURAL":
                join.meta[MERGES] = True
    return tree


def misread_merge(tree: exp.Query) -> tuple[exp.Join, str] | None:
    """Return a USING or NATURAL JOIN and what it stands behind, if `flat_joins` left one there.

    Resolution would merge its columns with those of tables before a comma, or with those of a
    table that a SEMI or ANTI JOIN looks into, whose columns nobody sees.
    """
    for select in tree.find_all(exp.Select):
        for number, group in enumerate(between_commas(select)):
            looks_in = False
            for join in group:
                if _merges(join) and (number or looks_in):
                    return join, "a comma" if number else "SEMI or ANTI JOIN"
                looks_in = looks_in or join.kind in _LOOKS_IN
    return None


def between_commas(select: exp.Select) -> list[list[exp.Join]]:
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
    groups = between_commas(select)
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


def _semi_joins_last(select: exp.Select) -> None:
    """Put SEMI and ANTI JOIN behind USING and NATURAL JOIN that keep rows of their left side.

    They choose the same rows there, and their tables are no longer before what merges columns.
    """
    joins = list(select.args.get("joins") or ())
    first = next((n for n, join in enumerate(joins) if join.kind in _LOOKS_IN), len(joins))
    merging = [n for n, join in enumerate(joins) if n > first and _merges(join)]
    if not merging:
        return
    moved = joins[first : merging[-1] + 1]
    if any(join.side in KEEPS_RIGHT for join in moved) or len(between_commas(select)) > 1:
        return
    others = [join for join in moved if join.kind not in _LOOKS_IN]
    looking = [join for join in moved if join.kind in _LOOKS_IN]
    select.set("joins", [*joins[:first], *others, *looking, *joins[merging[-1] + 1 :]])


def _flatten(select: exp.Select) -> None:
    from_ = select.args.get("from_")
    if from_ is None:
        return
    first, before = parts(from_.this)
    if first is not from_.this or before:
        first.set("joins", None)
        from_.set("this", first)
    joins = [*before, *(select.args.get("joins") or ())]
    flat = [each for join in joins for each in _flat(join)]
    if before or len(flat) != len(joins):
        select.set("joins", flat)


def parts(relation: exp.Expr) -> tuple[exp.Expr, list[exp.Join]]:
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
    first, joins = parts(inside)
    return first, [*joins, *own]


def _flat(join: exp.Join) -> list[exp.Join]:
    first, joins = parts(join.this)
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
