"""Arrays that are joined to a text."""

from sqlglot import exp

from workloads.sql.meaning.replacing import inner_first, put


def joined_arrays(tree: exp.Query) -> exp.Query:
    """Give an empty text for an array of NULLs, where DuckDB gives NULL."""
    for joined in inner_first(tree, exp.ArrayToString):
        known = exp.Is(this=joined.this.copy(), expression=exp.Null())
        empty = exp.Literal.string("")
        found = exp.func("COALESCE", joined.copy(), empty)
        put(joined, exp.case().when(known, exp.Null()).else_(found))
    return tree
