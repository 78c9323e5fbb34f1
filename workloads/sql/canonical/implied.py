"""Implied conditions and set operations, written out for each part so that they can move.

A filter that leaves with one source drops rows in their store, and a set's operand without
duplicates hands out fewer: results are the same.
"""

from collections.abc import Sequence

from sqlglot import exp

from workloads.sql.blocks.pushdown import is_plain_relation
from workloads.sql.features.constructs import may_change
from workloads.sql.trees.predicates import conjuncts, marked_implied

_MOST_PARTS = 40


def implied_filters(tree: exp.Query) -> exp.Query:
    """Add to each WHERE what an OR over several relations says of each of them alone.

    ``(a.x = 1 AND b.y = 2) OR (a.x = 3 AND b.y = 4)`` keeps rows of `a` with 1 or 3 in ``x``.
    """
    for where in list(tree.find_all(exp.Where)):
        parts = conjuncts(where.this)
        implied = [
            found
            for part in parts
            if isinstance(part, exp.Or) and not _is_opaque(part)
            for found in _implied(part)
        ]
        new = [each for each in dict.fromkeys(implied) if each not in parts]
        if new:
            where.set("this", exp.and_(where.this, *new, copy=False))
    return tree


def distinct_operands(tree: exp.Query) -> exp.Query:
    """Make the SELECTs of INTERSECT, EXCEPT and UNION distinct: sets have no duplicates."""
    for operation in list(tree.find_all(exp.SetOperation)):
        if not operation.args.get("distinct") or _is_recursive(operation):
            continue
        for operand in (operation.left, operation.right):
            select = operand
            while isinstance(select, exp.Subquery) and is_plain_relation(select):
                select = select.this
            if isinstance(select, exp.Select) and _may_be_distinct(select):
                select.set("distinct", exp.Distinct())
    return tree


def _implied(disjunction: exp.Or) -> list[exp.Expr]:
    """Return a condition for each relation that every arm restricts by itself."""
    arms = [conjuncts(arm) for arm in disjunction.flatten()]
    if sum(map(len, arms)) > _MOST_PARTS:
        return []
    aliases = dict.fromkeys(column.table for column in disjunction.find_all(exp.Column))
    if len(aliases) < 2 or "" in aliases:  # noqa: PLR2004 - one relation's condition moves as it is
        return []
    found = []
    for alias in aliases:
        own = [[part for part in arm if _aliases(part) == {alias}] for arm in arms]
        if all(own):
            found.append(_disjunction(own))
    return found


def _disjunction(arms: Sequence[Sequence[exp.Expr]]) -> exp.Expr:
    written = [exp.and_(*(part.copy() for part in arm), copy=False) for arm in arms]
    different = list(dict.fromkeys(written))
    return marked_implied(exp.paren(exp.or_(*different, copy=False), copy=False))


def _aliases(part: exp.Expr) -> set[str]:
    return {column.table for column in part.find_all(exp.Column)}


def _is_opaque(part: exp.Expr) -> bool:
    """Whether it has a query in it, or a function that may answer otherwise when asked twice."""
    return part.find(exp.Query) is not None or may_change(part)


def _is_recursive(operation: exp.Expr) -> bool:
    above = operation.find_ancestor(exp.With)
    while above is not None:
        if above.args.get("recursive"):
            return True
        above = above.find_ancestor(exp.With)
    return False


def _may_be_distinct(select: exp.Select) -> bool:
    """Whether duplicates may go: none are counted by a LIMIT, and groups have hardly any.

    A bare NULL takes its type from the other operand, in PostgreSQL only where it is not DISTINCT.
    """
    if any(isinstance(each.unalias().unnest(), exp.Null) for each in select.selects):
        return False
    return not any(
        select.args.get(key) for key in ("distinct", "group", "limit", "offset", "order", "qualify")
    )
