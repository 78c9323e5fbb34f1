"""Texts of numbers."""

from collections.abc import Iterator

from sqlglot import exp

from workloads.sql.meaning.number_kinds import is_unscaled
from workloads.sql.meaning.replacing import UnlikeError, inner_first

_OTHERWISE = (
    "the text of a NUMERIC without a scale is written otherwise:"
    " round it, and cast it to a DECIMAL with a scale first"
)
_JOINED = (exp.DPipe, exp.Concat, exp.ConcatWs)


def texts_of_unscaled(tree: exp.Query) -> exp.Query:
    """Refuse the text of a NUMERIC without a scale: ``avg(n)::text`` is 10.5000000000000000."""
    for node, value in texts(tree):
        if is_unscaled(value) and not _has_own_places(value.unnest()):
            raise UnlikeError(node, _OTHERWISE)
    return tree


def texts(tree: exp.Query) -> Iterator[tuple[exp.Expr, exp.Expr]]:
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


def _has_own_places(value: exp.Expr) -> bool:
    """Whether it has the places of what it is made of: a sum of whole numbers has none."""
    if isinstance(value, exp.Cast):
        return bool(value.this.is_type(*exp.DataType.INTEGER_TYPES))
    return isinstance(value, (exp.Extract, exp.Sum))
