"""Quotients and averages of exact numbers."""

from sqlglot import exp
from sqlglot.expressions import Expr

from workloads.sql.meaning.number_kinds import places
from workloads.sql.meaning.replacing import inner_first, put

_GROUP = 9
"""Digits are kept in groups of nine: 1 / 3 is computed with as many places."""
_MOST = 27
_TEXTS = (exp.Concat, exp.ConcatWs, exp.GroupConcat)


def decimal_quotients(tree: exp.Query) -> exp.Query:
    """Give quotients and averages of exact numbers the places that they have.

    They are computed with the next multiple of nine, and handed out with four more than the
    dividend has: ``1 / 3`` is 0.3333, and ``1 / 3 * 3`` is 1.0000.
    """
    shown: list[tuple[Expr, int | None]] = [*_combined(tree)]
    taken = {id(node) for node, _ in shown}
    others = [node for node in _shown(tree) if node.find(exp.Div, exp.Avg)]
    shown += [(node, places(node)) for node in others if id(node) not in taken]
    for node, count in shown:
        if count is not None:
            put(node, exp.cast(node.copy(), f"DECIMAL(38, {min(count, _MOST)})"))
    for node in inner_first(tree, exp.Div, exp.Avg):
        count = places(node)
        if count is None:
            continue
        outer = node
        while isinstance(outer.parent, (exp.Window, exp.Filter)) and outer.arg_key == "this":
            outer = outer.parent
        kept = min(-(-count // _GROUP) * _GROUP, _MOST)
        put(outer, exp.cast(outer.copy(), f"DECIMAL(38, {kept})"))
    return tree


def _combined(tree: exp.Query) -> list[tuple[Expr, int]]:
    """Return the columns of set operations with quotients in one of their sides.

    DuckDB combines DECIMAL(38, 4) and DECIMAL(38, 2) to the latter.
    """
    found = []
    for combined in tree.find_all(exp.SetOperation):
        if isinstance(combined.parent, exp.SetOperation):
            continue
        sides = [each.selects for each in _sides(combined)]
        for column in zip(*sides, strict=False):
            values = [each.unalias() for each in column]
            counts = [places(each) for each in values]
            known = [each for each in counts if each is not None]
            divides = any(each.find(exp.Div, exp.Avg) for each in values)
            if divides and len(known) == len(counts):
                found += [(each, max(known)) for each in values]
    return found


def _sides(query: Expr) -> list[exp.Select]:
    if isinstance(query, exp.Select):
        return [query]
    if isinstance(query, exp.SetOperation):
        return [*_sides(query.this), *_sides(query.expression)]
    return _sides(query.this) if isinstance(query, exp.Subquery) else []


def _shown(tree: exp.Query) -> list[Expr]:
    """Return the expressions that leave a SELECT or become text."""
    found = [each.unalias() for select in tree.find_all(exp.Select) for each in select.selects]
    for text in tree.find_all(*_TEXTS):
        found += [each for each in text.expressions if isinstance(each, Expr)]
    for cast in tree.find_all(exp.Cast):
        if cast.is_type(*exp.DataType.TEXT_TYPES):
            found.append(cast.this)
    return found[::-1]
