"""Names of the columns of several sources, where they stand beside one another."""


def source_column(alias: str, name: str) -> str:
    """Return the name of a source's column, which no column of another source has.

    Where the two cannot be told apart in it, as they have underscores themselves, the length of the
    alias is added.
    """
    found = f"{alias}__{name}"
    is_clear = found.count("__") == 1 and "___" not in found
    return found if is_clear else f"{found}_{len(alias)}"
