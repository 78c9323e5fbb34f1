"""Output columns that a store can tell apart."""

from collections.abc import Sequence
from zlib import crc32

from sqlglot import exp

LONGEST_NAME = 60
"""PostgreSQL keeps 63 bytes of a name, MariaDB 64 characters."""


def unique_outputs(tree: exp.Query) -> exp.Query:
    """Number the repeated names among the columns of `tree`, in whatever case they are written.

    A fragment is read as a derived table, in which PostgreSQL, MariaDB and Spark allow a name once.
    Longer names than they keep are cut. A set operation has the names of its first operand.
    """
    first: exp.Expr = tree
    while isinstance(first, (exp.SetOperation, exp.Subquery)):
        if first.args.get("by_name"):
            return tree
        first = first.this
    if isinstance(first, exp.Select):
        outputs = list(first.selects)
        names = unique_names([each.alias_or_name for each in outputs])
        for output, name in zip(outputs, names, strict=True):
            if name != output.alias_or_name:
                value = output.unalias().copy()
                output.replace(exp.alias_(value, exp.to_identifier(name, quoted=True)))
    return tree


def unique_names(names: Sequence[str]) -> list[str]:
    """Return names of columns as `unique_outputs` makes them."""
    taken = {name.lower() for name in names}
    found: list[str] = []
    seen: set[str] = set()
    for position, given in enumerate(names):
        name, number = short_name(given), position
        while name.lower() in seen or (name != given and name.lower() in taken):
            name = short_name(f"{given}_{number}")
            number += len(names)
        seen.add(name.lower())
        found.append(name)
    return found


def short_name(name: str) -> str:
    """Return `name`, or what no other long name is cut to."""
    if len(name.encode()) <= LONGEST_NAME:
        return name
    start = name.encode()[: LONGEST_NAME - 9].decode(errors="ignore")
    return f"{start}_{crc32(name.encode()):08x}"
