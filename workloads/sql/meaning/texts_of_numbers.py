"""Texts of numbers."""

from collections.abc import Iterator

from sqlglot import exp

from workloads.sql.meaning.number_kinds import FLOATING, is_unscaled, places
from workloads.sql.meaning.replacing import UnlikeError, inner_first

_JOINED = (exp.DPipe, exp.Concat, exp.ConcatWs)
_OTHERWISE = "is written otherwise: round it, and cast it to a DECIMAL with a scale first"


def texts_of_doubles(tree: exp.Query) -> exp.Query:
    """Refuse the text of a number in floating point: 1 to the others, 1.0 to DuckDB."""
    for node, value in _texts(tree):
        exact = places(value) is not None or is_unscaled(value)
        if value.is_type(*FLOATING) and not exact:
            raise UnlikeError(node, f"the text of a number in floating point {_OTHERWISE}")
    return tree


def texts_of_unscaled(tree: exp.Query) -> exp.Query:
    """Refuse the text of a NUMERIC without a scale: ``avg(n)::text`` is 10.5000000000000000."""
    for node, value in _texts(tree):
        # A sum of whole numbers has no places, and a part of a day none that are not there.
        if is_unscaled(value) and not isinstance(value.unnest(), (exp.Extract, exp.Sum)):
            raise UnlikeError(node, f"the text of a NUMERIC without a scale {_OTHERWISE}")
    return tree


def _texts(tree: exp.Query) -> Iterator[tuple[exp.Expr, exp.Expr]]:
    """Yield what makes a text, with each value that it makes it of."""
    for node in inner_first(tree, exp.Cast, *_JOINED):
        if isinstance(node, exp.Cast):
            if node.is_type(*exp.DataType.TEXT_TYPES):
                yield node, node.this
        elif isinstance(node, exp.DPipe):
            yield node, node.left
            yield node, node.right
        else:
            for each in node.expressions:
                yield node, each
