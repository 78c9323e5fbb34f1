"""Numbers and days that are read as text."""

from sqlglot import exp

from workloads.sql.meaning.number_kinds import places
from workloads.sql.meaning.replacing import inner_first

_OF_TEXT = (
    exp.Pad, exp.Left, exp.Right, exp.Substring, exp.Upper, exp.Lower, exp.Trim, exp.Repeat,
    exp.Reverse, exp.SubstringIndex, exp.Replace, exp.Like, exp.RegexpLike, exp.Length,
    exp.StrPosition, exp.MD5,
)  # fmt: skip


def textual_arguments(tree: exp.Query) -> exp.Query:
    """Cast what a function of text is given as a number or a day: ``LPAD(id, 5, '0')``."""
    for node in inner_first(tree, *_OF_TEXT):
        value = node.this
        is_day = value.is_type(exp.DType.DATE)
        is_truth = value.is_type(exp.DType.BOOLEAN)
        if (is_day or places(value) is not None) and not is_truth:
            node.set("this", exp.cast(value.copy(), "TEXT"))
    return tree
