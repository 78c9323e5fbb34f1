"""Truth values, which are numbers."""

from sqlglot import exp

from workloads.sql.meaning.replacing import inner_first, put

_NUMERIC = (
    exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.Neg, exp.Avg, exp.Min, exp.Max,
    exp.Sum, exp.Concat, exp.ConcatWs, exp.Abs, exp.Round,
)  # fmt: skip
_COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ)
_LISTS = (exp.In, exp.Between)
_TRUTHS = (
    exp.Predicate, exp.Connector, exp.Not, exp.Boolean, exp.Column, exp.Xor, exp.Coalesce, exp.If,
    exp.Case, exp.Nullif,
)  # fmt: skip


def truth_numbers(tree: exp.Query) -> exp.Query:
    """Compute with 1 for TRUE and 0 for FALSE: ``(n > 1) + 1``, ``CAST(TRUE AS CHAR)`` is '1'."""
    for node in inner_first(tree, *_TRUTHS):
        if not _is_truth(node):
            continue
        outer: exp.Expr = node
        while isinstance(outer.parent, exp.Paren):
            outer = outer.parent
        above = outer.parent
        is_text = isinstance(above, exp.Cast) and above.is_type(*exp.DataType.TEXT_TYPES)
        if is_text or isinstance(above, _NUMERIC) or _is_compared(outer):
            number = put(outer, exp.cast(outer.copy(), "INT"))
            number.type = exp.DataType.build("INT")
    return tree


def _is_compared(node: exp.Expr) -> bool:
    """Whether it is compared with a number or a text: TRUE is 1, and no other number."""
    above = node.parent
    if isinstance(above, _LISTS):
        return above.this is node and not above.args.get("query")
    if not isinstance(above, _COMPARISONS):
        return False
    other = above.expression if above.this is node else above.this
    return not _is_truth(other.unnest()) and not isinstance(other, exp.Null)


def _is_truth(node: exp.Expr) -> bool:
    if isinstance(node, (exp.All, exp.Any)):
        return False
    return isinstance(node, (exp.Connector, exp.Not)) or node.is_type(exp.DType.BOOLEAN)
