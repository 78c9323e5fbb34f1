"""The least and the greatest truth value."""

from sqlglot import exp

from workloads.sql.typing.expression_kinds import Kinds, noted


def boolean_extremes(tree: exp.Query) -> exp.Query:
    """Write MAX and MIN of truth values as BOOL_OR and BOOL_AND: PostgreSQL orders none.

    Nodes know their types; sqlglot knows not all of them.
    """
    of = Kinds(noted)
    for node in list(tree.find_all(exp.Max, exp.Min)):
        is_truth = of(node.this).family == "truth" or node.this.is_type(exp.DType.BOOLEAN)
        if is_truth and not node.expressions:
            kind = exp.LogicalOr if isinstance(node, exp.Max) else exp.LogicalAnd
            node.replace(kind(this=node.this.copy()))
    return tree
