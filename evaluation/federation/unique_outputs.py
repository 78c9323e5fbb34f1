"""Output columns that a store can tell apart."""

from zlib import crc32

from sqlglot import exp

LONGEST_NAME = 60
"""PostgreSQL keeps 63 bytes of a name, MariaDB 64 characters."""


def unique_outputs(tree: exp.Query) -> exp.Query:
    """Number the repeated names among the columns of `tree`, in whatever case they are written.

    A fragment is read as a derived table, in which PostgreSQL, MariaDB and Spark allow a name once.
    Longer names than they keep are cut.
    """
    seen: set[str] = set()
    for position, projection in enumerate(list(tree.selects)):
        name = short_name(projection.alias_or_name)
        if name.lower() in seen:
            name = f"{name[: LONGEST_NAME - 4]}_{position}"
        if name != projection.alias_or_name and isinstance(tree, exp.Select):
            value = projection.unalias().copy()
            projection.replace(exp.alias_(value, exp.to_identifier(name, quoted=True)))
        seen.add(name.lower())
    return tree


def short_name(name: str) -> str:
    """Return `name`, or what no other long name is cut to."""
    if len(name.encode()) <= LONGEST_NAME:
        return name
    start = name.encode()[: LONGEST_NAME - 9].decode(errors="ignore")
    return f"{start}_{crc32(name.encode()):08x}"
