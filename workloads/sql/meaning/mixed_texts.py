"""Values that are texts in some rows."""

from collections.abc import Sequence

from sqlglot import exp

from workloads.sql.meaning.leading_numbers import TEXTS
from workloads.sql.meaning.number_kinds import places
from workloads.sql.meaning.replacing import UnlikeError, inner_first, put
from workloads.sql.meaning.whole_days import is_date_text

_DAYS = (exp.DType.DATE,)
_OF_DAYS = (
    exp.Extract, exp.Year, exp.Month, exp.Day, exp.Quarter, exp.DateDiff, exp.TsOrDsToDate,
    exp.TsOrDsToTimestamp, exp.DayOfWeek, exp.DayOfYear, exp.LastDay, exp.Week,
)  # fmt: skip
"""Functions whose values are computed of days."""


def mixed_texts(tree: exp.Query) -> exp.Query:
    """Make texts of days and numbers where another branch is one: ``COALESCE(n, 'none')``."""
    for node in inner_first(tree, exp.Coalesce, exp.If, exp.Case):
        branches = _branches(node)
        # What a rule has made has no type, and is as it is to be.
        if any(each.type is None for each in branches) or not any(map(_is_text, branches)):
            continue
        if _is_day(node, branches):
            continue
        for each in branches:
            if _is_text(each) or isinstance(each, exp.Null):
                continue
            if places(each) is None and not each.is_type(*_DAYS):
                reason = "texts and other values in turn: cast these to CHAR in a form of your own"
                raise UnlikeError(node, reason)
            put(each, exp.cast(each.copy(), "TEXT"))
        node.type = exp.DataType.build("TEXT")
    return tree


def _is_text(node: exp.Expr) -> bool:
    return isinstance(node, TEXTS) or bool(node.is_type(*exp.DataType.TEXT_TYPES))


def _is_day(node: exp.Expr, branches: Sequence[exp.Expr]) -> bool:
    """Read written days where all else are days, and a day is made of them."""
    texts = [each for each in branches if _is_text(each)]
    others = [each for each in branches if not _is_text(each)]
    written = all(isinstance(each, exp.Literal) and is_date_text(each) for each in texts)
    if not written or not all(each.is_type(*_DAYS) for each in others):
        return False
    above = node.parent
    while isinstance(above, exp.Paren):
        above = above.parent
    if not isinstance(above, _OF_DAYS):
        return False
    for each in texts:
        each.replace(exp.cast(each.copy(), "DATE"))
    node.type = exp.DataType.build("DATE")
    return True


def _branches(node: exp.Expr) -> list[exp.Expr]:
    if isinstance(node, exp.Coalesce):
        return [each.unnest() for each in (node.this, *node.expressions)]
    if isinstance(node, exp.If):
        # The arms of a CASE are such nodes too: it looks at them all.
        if isinstance(node.parent, exp.Case):
            return []
        found = [node.args.get("true"), node.args.get("false")]
    else:
        found = [each.args.get("true") for each in node.args["ifs"]]
        found.append(node.args.get("default"))
    return [each.unnest() for each in found if isinstance(each, exp.Expr)]
