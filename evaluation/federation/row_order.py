"""The order of a whole query's rows, which no store keeps when it is read as a derived table."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

HIDDEN = "ordered_by_"
"""The names of outputs that rows are ordered by and that the query has not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderedBy:
    """An output that rows are ordered by; the first output's `place` is 0."""

    place: int
    descending: bool
    nulls_first: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RowOrder:
    """The order of a query's rows, by its outputs and by `hidden` ones behind these."""

    by: tuple[OrderedBy, ...] = ()
    hidden: tuple[exp.Expr, ...] = ()


def row_order(tree: exp.Query) -> RowOrder:
    """Return how the rows of `tree` are ordered; by nothing where its outputs cannot tell."""
    order = tree.args.get("order")
    outputs = list(tree.selects)
    hidden: list[exp.Expr] = []
    found = []
    for each in order.expressions if order is not None else ():
        place = _place(each.this, outputs)
        if place is None:
            if not _may_be_output(tree, each.this):
                return RowOrder()
            place = len(outputs) + len(hidden)
            hidden.append(each.this)
        found.append(
            OrderedBy(
                place=place,
                descending=bool(each.args.get("desc")),
                nulls_first=bool(each.args.get("nulls_first")),
            )
        )
    return RowOrder(by=tuple(found), hidden=tuple(hidden))


def with_hidden_outputs(tree: exp.Query) -> exp.Query:
    """Give `tree` the outputs that its rows are ordered by and that it has not, behind its own."""
    for number, key in enumerate(row_order(tree).hidden):
        named = exp.alias_(key.copy(), f"{HIDDEN}{number}", quoted=True)
        tree = _select(tree).select(named, copy=False)
    return tree


def _select(tree: exp.Query) -> exp.Select:
    if not isinstance(tree, exp.Select):
        raise TypeError("only a SELECT has outputs that are hidden")
    return tree


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


def rows_again(
    view: str, columns: Sequence[str], names: Sequence[str], order: Sequence[OrderedBy]
) -> exp.Select:
    """Return a query for the rows of a `view` of `columns`, in their `order`.

    The first of the columns are called `names`, and the hidden ones behind these are left out.
    """
    read = [exp.column(each, quoted=True) for each in columns]
    outputs = (exp.alias_(*each, quoted=True) for each in zip(read, names, strict=False))
    keys = (
        exp.Ordered(
            this=read[each.place].copy(), desc=each.descending, nulls_first=each.nulls_first
        )
        for each in order
    )
    rows = exp.select(*outputs).from_(view)
    # Without a key sqlglot would write the words ORDER BY alone.
    return rows.order_by(*keys) if order else rows
