"""Output columns that a store can tell apart."""

from sqlglot import exp


def unique_outputs(tree: exp.Query) -> exp.Query:
    """Number the repeated names among the columns of `tree`, in whatever case they are written.

    A fragment is read as a derived table, in which PostgreSQL, MariaDB and Spark allow a name once.
    """
    seen: set[str] = set()
    for position, projection in enumerate(list(tree.selects)):
        name = projection.alias_or_name
        if name.lower() in seen and isinstance(tree, exp.Select):
            name = f"{name}_{position}"
            projection.replace(exp.alias_(projection.unalias().copy(), name))
        seen.add(name.lower())
    return tree
