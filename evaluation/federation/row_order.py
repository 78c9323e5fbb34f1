"""The order of a whole query's rows, which no store keeps when it is read as a derived table."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

HIDDEN = "ordered_by_"
"""How outputs are called that rows are ordered by and that the query has not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderedBy:
    """An output that rows are ordered by; the first output's `place` is 0."""

    place: int
    descending: bool
    nulls_first: bool


def row_order(tree: exp.Query) -> tuple[exp.Query, tuple[OrderedBy, ...]]:
    """Return `tree` with hidden outputs behind its own where it is ordered by what is no output.

    With them the rows can be ordered again, as the query orders them. There is no order where the
    query has none, or one that its outputs cannot tell.
    """
    order = tree.args.get("order")
    if order is None:
        return tree, ()
    outputs = list(tree.selects)
    hidden: list[exp.Expr] = []
    found = []
    for each in order.expressions:
        place = _place(each.this, outputs)
        if place is None:
            if not _may_be_output(tree, each.this):
                return tree, ()
            place = len(outputs) + len(hidden)
            hidden.append(each.this)
        found.append(
            OrderedBy(
                place=place,
                descending=bool(each.args.get("desc")),
                nulls_first=bool(each.args.get("nulls_first")),
            )
        )
    if isinstance(tree, exp.Select):
        for number, key in enumerate(hidden):
            named = exp.alias_(key.copy(), f"{HIDDEN}{number}", quoted=True)
            tree.select(named, copy=False)
    return tree, tuple(found)


def _place(key: exp.Expr, outputs: Sequence[exp.Expr]) -> int | None:
    """Return which output a key of ORDER BY names, by its number, its alias or its text."""
    if isinstance(key, exp.Literal):
        number = int(key.this) - 1 if key.is_int else -1
        return number if 0 <= number < len(outputs) else None
    for place, output in enumerate(outputs):
        # An alias comes before a column of that name.
        if isinstance(key, exp.Column) and not key.table and key.name == output.alias_or_name:
            return place
    bare = key.unnest()
    return next((n for n, output in enumerate(outputs) if output.unalias().unnest() == bare), None)


def _may_be_output(tree: exp.Query, key: exp.Expr) -> bool:
    """Whether a key can be selected beside the outputs, and compares as its values do."""
    if not isinstance(tree, exp.Select) or tree.args.get("distinct"):
        return False
    names = {output.alias_or_name for output in tree.selects if isinstance(output, exp.Alias)}
    bare = [each for each in key.find_all(exp.Column) if not each.table]
    if any(each.name in names for each in bare) or isinstance(key, exp.Literal | exp.Var):
        # An alias within an expression means nothing among the outputs.
        return False
    return key.find(exp.Collate) is None
