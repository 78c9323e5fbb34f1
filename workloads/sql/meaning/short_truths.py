"""Truth values that are joined to a text."""

from sqlglot import exp

from workloads.sql.meaning.replacing import inner_first, put


def short_truths(tree: exp.Query) -> exp.Query:
    """Join t and f by CONCAT, where DuckDB joins true and false."""
    for joined in inner_first(tree, exp.Concat, exp.ConcatWs):
        for each in list(joined.expressions):
            if each.is_type(exp.DType.BOOLEAN):
                untrue = exp.Not(this=exp.paren(each.copy()))
                texts = exp.case().when(each.copy(), exp.Literal.string("t"))
                put(each, texts.when(untrue, exp.Literal.string("f")))
    return tree
