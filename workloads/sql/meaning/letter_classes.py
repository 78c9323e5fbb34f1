"""Classes of letters in regular expressions."""

from sqlglot import exp

from workloads.sql.meaning.replacing import inner_first

_CLASSES = {
    "[:alpha:]": r"\p{L}",
    "[:upper:]": r"\p{Lu}",
    "[:lower:]": r"\p{Ll}",
    "[:alnum:]": r"\p{L}\p{N}",
}


def letter_classes(tree: exp.Query) -> exp.Query:
    """Count é among the letters, where DuckDB's ``[[:alpha:]]`` knows those of ASCII alone."""
    for like in inner_first(tree, exp.RegexpLike, exp.RegexpILike):
        pattern = like.expression
        if isinstance(pattern, exp.Literal):
            text = pattern.name
            for named, letters in _CLASSES.items():
                text = text.replace(named, letters)
            pattern.replace(exp.Literal.string(text))
    return tree
