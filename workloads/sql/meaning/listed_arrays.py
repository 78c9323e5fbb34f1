"""Comparisons with the elements of an array."""

import re

from sqlglot import exp

from workloads.sql.meaning.replacing import inner_first, put

_PLAIN = re.compile(r"\{[^\"\\{}]+\}")


def listed_arrays(tree: exp.Query) -> exp.Query:
    """Write ``= ANY (ARRAY[…])`` as IN and ``<> ALL (ARRAY[…])`` as NOT IN.

    DuckDB gives an array one type, to which it takes what is compared with it.
    """
    for node in inner_first(tree, exp.EQ, exp.NEQ):
        among, array = node.expression, None
        if isinstance(node, exp.EQ) and isinstance(among, exp.Any):
            array = among.this.unnest()
        elif isinstance(node, exp.NEQ) and among.name.upper() == "ALL" and among.expressions:
            # So is ALL read before an array.
            array = among.expressions[0]
        array = _read(array, node.this)
        if isinstance(array, exp.Array) and array.expressions:
            listed = exp.In(this=exp.paren(node.this.copy()), expressions=array.expressions)
            put(node, listed if isinstance(node, exp.EQ) else exp.Not(this=exp.paren(listed)))
    return tree


def _read(array: exp.Expr | None, compared: exp.Expr) -> exp.Expr | None:
    """Return an array that is written as text, ``'{7,3}'``, as one of its elements."""
    text = array.this if isinstance(array, exp.Cast) else array
    if not isinstance(text, exp.Literal) or not _PLAIN.fullmatch(text.name):
        return array
    words = [each.strip() for each in text.name[1:-1].split(",")]
    numbers = compared.is_type(*exp.DataType.NUMERIC_TYPES)
    elements = [
        exp.null()
        if word.upper() == "NULL"
        else exp.Literal.number(word)
        if numbers
        else exp.Literal.string(word)
        for word in words
    ]
    return exp.Array(expressions=elements)
