"""Texts that are cast to a length."""

from sqlglot import exp

from workloads.sql.meaning.replacing import UnlikeError, inner_first, put, whole_number

_PADDED = (exp.DType.CHAR, exp.DType.NCHAR, exp.DType.BPCHAR)


def cut_texts(tree: exp.Query) -> exp.Query:
    """Cut a text that is cast to a length: ``CAST('abc' AS CHAR(2))`` is 'ab'."""
    for cast in inner_first(tree, exp.Cast):
        length = _length(cast)
        if length is not None:
            text = exp.cast(cast.this.copy(), "TEXT")
            put(cast, exp.Left(this=text, expression=exp.Literal.number(length)))
    return tree


def unpadded_texts(tree: exp.Query) -> exp.Query:
    """Refuse what is filled with blanks that are sometimes none: ``'a'::char(3)``."""
    for cast in inner_first(tree, exp.Cast):
        if cast.to.this in _PADDED and isinstance(cast, exp.Cast):
            raise UnlikeError(cast, "a CHAR has blanks at its end: cast to VARCHAR or TEXT")
    return tree


def _length(cast: exp.Expr) -> int | None:
    if not isinstance(cast, exp.Cast) or not cast.to.is_type(*exp.DataType.TEXT_TYPES):
        return None
    arguments = cast.to.expressions
    return whole_number(arguments[0].this) if len(arguments) == 1 else None
