"""Output columns that a store can tell apart."""

from collections.abc import Sequence
from zlib import crc32

from sqlglot import exp

LONGEST_NAME = 60
"""PostgreSQL keeps 63 bytes of a name, MariaDB 64 characters."""


def unique_outputs(tree: exp.Query) -> exp.Query:
    """Number the repeated names among the columns of `tree`, in whatever case they are written.

    A fragment is read as a derived table, in which PostgreSQL, MariaDB and Spark allow a name once.
    Longer names than they keep are cut, and ORDER BY has their places then.
    """
    first = _first_operand(tree)
    if first is not None:
        names = [each.alias_or_name for each in first.selects]
        if any(short_name(name) != name for name in names):
            order_by_places(tree)
        _rename(first, unique_names(names))
    return tree


def numbered_outputs(tree: exp.Query) -> exp.Query:
    """Number the repeated names among the columns of `tree`, so that each can be read."""
    first = _first_operand(tree)
    if first is not None:
        _rename(first, numbered_names([each.alias_or_name for each in first.selects]))
    return tree


def unique_inner_outputs(tree: exp.Query) -> exp.Query:
    """Number the repeated names among the columns of each derived table and CTE of `tree`.

    DuckDB numbers them itself, so that a name is that of the first such column. MariaDB refuses
    them, and what reads one is ambiguous for PostgreSQL and Spark.
    """
    for node in tree.find_all(exp.Subquery, exp.CTE):
        if isinstance(node, exp.CTE) or isinstance(node.parent, (exp.From, exp.Join)):
            numbered_outputs(node.this)
    return tree


def order_by_places(tree: exp.Query) -> bool:
    """Write the outputs that ORDER BY names as their places; return whether that is possible."""
    order = tree.args.get("order")
    outputs = tree.named_selects
    found: list[tuple[exp.Expr, int]] = []
    for ordered in order.expressions if order is not None else ():
        term = ordered.this
        if isinstance(term, exp.Column) and not term.table and term.name in outputs:
            found.append((ordered, outputs.index(term.name) + 1))
        elif any(not column.table for column in term.find_all(exp.Column)):
            return False
    for ordered, place in found:
        ordered.set("this", exp.Literal.number(place))
    return True


def unique_names(names: Sequence[str]) -> list[str]:
    """Return names of columns as `unique_outputs` makes them."""
    return numbered_names([short_name(name) for name in names])


def numbered_names(names: Sequence[str]) -> list[str]:
    """Return names with a number behind each that was there before, in whatever case."""
    given = {name.lower() for name in names}
    seen: set[str] = set()
    found: list[str] = []
    for position, first in enumerate(names):
        name, number = first, position
        while name.lower() in seen or (name != first and name.lower() in given):
            name = short_name(f"{first}_{number}")
            number += len(names)
        seen.add(name.lower())
        found.append(name)
    return found


def _first_operand(tree: exp.Expr) -> exp.Select | None:
    """Return the SELECT that the columns have their names of; None where it is not one alone."""
    first = tree
    while isinstance(first, (exp.SetOperation, exp.Subquery)):
        if first.args.get("by_name"):
            return None
        first = first.this
    return first if isinstance(first, exp.Select) else None


def _rename(select: exp.Select, names: Sequence[str]) -> None:
    for output, name in zip(list(select.selects), names, strict=True):
        if name != output.alias_or_name and not output.is_star:
            value = output.unalias().copy()
            output.replace(exp.alias_(value, exp.to_identifier(name, quoted=True)))


def short_name(name: str) -> str:
    """Return `name`, or what no other long name is cut to."""
    if len(name.encode()) <= LONGEST_NAME:
        return name
    start = name.encode()[: LONGEST_NAME - 9].decode(errors="ignore")
    return f"{start}_{crc32(name.encode()):08x}"
