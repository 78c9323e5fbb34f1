"""Truth values, which are numbers."""

from sqlglot import exp

from workloads.sql.meaning.replacing import inner_first, put

_NUMERIC = (
    exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.Neg, exp.Avg, exp.Min, exp.Max,
    exp.Sum, exp.Concat, exp.ConcatWs, exp.Abs, exp.Round,
)  # fmt: skip
_TRUTHS = (exp.Predicate, exp.Connector, exp.Not, exp.Boolean, exp.Column, exp.Xor)


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
        if is_text or isinstance(above, _NUMERIC):
            number = put(outer, exp.cast(outer.copy(), "INT"))
            number.type = exp.DataType.build("INT")
    return tree


def _is_truth(node: exp.Expr) -> bool:
    return isinstance(node, (exp.Connector, exp.Not)) or node.is_type(exp.DType.BOOLEAN)
