"""Floor and ceiling of whole numbers."""

from sqlglot import exp

from workloads.sql.typing.expression_kinds import Kinds, noted


def whole_floors(tree: exp.Query) -> exp.Query:
    """Cast what is whole, or NULL, to DOUBLE, as which DuckDB has its floor: Spark's is a BIGINT.

    So with CEIL. Columns know their types.
    """
    of = Kinds(noted)
    found = list(tree.find_all(exp.Floor, exp.Ceil))
    whole = [each for each in found if of(each.this).family in ("whole", "huge", "null")]
    # The innermost first: what is made of it holds a copy.
    for node in reversed(whole):
        node.replace(exp.cast(node.this.copy(), exp.DType.DOUBLE))
    return tree
