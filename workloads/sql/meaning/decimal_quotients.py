"""Quotients and averages of exact numbers."""

from sqlglot import exp
from sqlglot.expressions import Expr

from workloads.sql.meaning.exact_divisions import divided, kept_places, summed, whole_digits
from workloads.sql.meaning.met_decimals import selects_of
from workloads.sql.meaning.number_kinds import places
from workloads.sql.meaning.replacing import inner_first, put

_MOST = 27
_CLEAN, _CLEANEST = 9, 12
"""Places to which a DOUBLE is rounded, so that no traces of its bits are left."""
_NARROW = 10
"""Digits before the point of which DuckDB makes a DECIMAL(38, 9) of a DOUBLE with halves kept."""
_SPARE = 3
"""So many places more than are shown hide whether the last one was rounded or cut off."""
_SHOWN = "shown"
_TEXTS = (exp.Concat, exp.ConcatWs)


def decimal_quotients(tree: exp.Query) -> exp.Query:
    """Give quotients and averages of exact numbers the places that they have.

    They are computed with a multiple of nine, and handed out with four more than the dividend has:
    ``1 / 3`` is 0.3333, and ``1 / 3 * 3`` is 1.0000. Where few places are shown DuckDB's DOUBLE has
    the digits, which other systems compute as well.
    """
    shown: list[tuple[Expr, int | None]] = [*_combined(tree)]
    taken = {id(node) for node, _ in shown}
    others = [node for node in _shown(tree) if node.find(exp.Div, exp.Avg)]
    shown += [(node, places(node)) for node in others if id(node) not in taken]
    for node, count in shown:
        if count is not None:
            cast = exp.cast(node.copy(), f"DECIMAL(38, {min(count, _MOST)})")
            cast.meta[_SHOWN] = count
            put(node, cast)
    for node in inner_first(tree, exp.Div, exp.Avg):
        if places(node) is not None:
            _keep(node)
    return tree


def _keep(node: Expr) -> None:
    """Give a quotient or an average the places with which it is computed."""
    outer = node
    while isinstance(outer.parent, (exp.Window, exp.Filter)) and outer.arg_key == "this":
        outer = outer.parent
    over, by = summed(node, outer) if isinstance(node, exp.Avg) else (node.this, node.expression)
    kept = kept_places(places(over) or 0, places(by) or 0)
    wanted = _wanted(node)
    is_long = wanted + _SPARE > min(kept, _CLEAN) or (wanted == 0 and _is_wide(over))
    found = divided(over, by, wanted) if is_long else None
    if found is None:
        rounded = _CLEAN if kept == _CLEAN else _CLEANEST
        found = exp.cast(outer.copy(), f"DECIMAL(38, {rounded})")
    put(outer, found).type = found.args["to"]


def _is_wide(dividend: Expr) -> bool:
    """Whether a row's number may be so long that half of it is less than a half as a DECIMAL.

    Of sums and averages that is let be: no store could compute them any more.
    """
    return not dividend.find(exp.AggFunc, exp.Div) and whole_digits(dividend) > _NARROW


def _wanted(node: Expr) -> int:
    """Return the places that are shown of what a quotient is part of."""
    above = node.parent
    while above is not None and not isinstance(above, exp.Query):
        if _SHOWN in above.meta:
            return int(above.meta[_SHOWN])
        above = above.parent
    return places(node) or 0


def _combined(tree: exp.Query) -> list[tuple[Expr, int]]:
    """Return the columns of set operations with quotients in one of their sides.

    DuckDB combines DECIMAL(38, 4) and DECIMAL(38, 2) to the latter.
    """
    found = []
    for combined in tree.find_all(exp.SetOperation):
        if isinstance(combined.parent, exp.SetOperation):
            continue
        sides = [each.selects for each in selects_of(combined)]
        for column in zip(*sides, strict=False):
            values = [each.unalias() for each in column]
            counts = [places(each) for each in values]
            known = [each for each in counts if each is not None]
            divides = any(each.find(exp.Div, exp.Avg) for each in values)
            if divides and len(known) == len(counts):
                found += [(each, max(known)) for each in values]
    return found


def _shown(tree: exp.Query) -> list[Expr]:
    """Return the expressions that leave a SELECT or become text."""
    found = [each.unalias() for select in tree.find_all(exp.Select) for each in select.selects]
    for text in tree.find_all(*_TEXTS):
        found += [each for each in text.expressions if isinstance(each, Expr)]
    for window in tree.find_all(exp.Window):
        # Its arguments are kept in a table, with the places that they show.
        found += [each.this for each in window.this.find_all(exp.Sum, exp.Avg)]
    for joined in tree.find_all(exp.GroupConcat):
        found += _joined(joined.this)
    for cast in tree.find_all(exp.Cast):
        if cast.is_type(*exp.DataType.TEXT_TYPES):
            found.append(cast.this)
    return found[::-1]


def _joined(node: Expr) -> list[Expr]:
    """Return what GROUP_CONCAT joins, and what it is ordered by where that is the same."""
    value = node.this if isinstance(node, exp.Order) else node
    if isinstance(value, exp.Distinct):
        value = value.expressions[0]
    keys = [each.this for each in node.expressions] if isinstance(node, exp.Order) else []
    return [value, *(each for each in keys if each == value)]
