"""Values that are texts in some rows."""

from sqlglot import exp

from workloads.sql.meaning.number_kinds import places
from workloads.sql.meaning.replacing import UnlikeError, inner_first, put

_DAYS = (exp.DType.DATE,)


def mixed_texts(tree: exp.Query) -> exp.Query:
    """Make texts of days and numbers where another branch is one: ``COALESCE(n, 'none')``."""
    for node in inner_first(tree, exp.Coalesce, exp.If, exp.Case):
        branches = _branches(node)
        if not any(each.is_type(*exp.DataType.TEXT_TYPES) for each in branches):
            continue
        for each in branches:
            if each.is_type(*exp.DataType.TEXT_TYPES) or isinstance(each, exp.Null):
                continue
            if places(each) is None and not each.is_type(*_DAYS):
                reason = "texts and other values in turn: cast these to CHAR in a form of your own"
                raise UnlikeError(node, reason)
            put(each, exp.cast(each.copy(), "TEXT"))
        node.type = exp.DataType.build("TEXT")
    return tree


def _branches(node: exp.Expr) -> list[exp.Expr]:
    if isinstance(node, exp.Coalesce):
        return [node.this, *node.expressions]
    if isinstance(node, exp.If):
        # The arms of a CASE are such nodes too: it looks at them all.
        if isinstance(node.parent, exp.Case):
            return []
        found = [node.args.get("true"), node.args.get("false")]
    else:
        found = [each.args.get("true") for each in node.args["ifs"]]
        found.append(node.args.get("default"))
    return [each for each in found if isinstance(each, exp.Expr)]
