"""Operators on bits."""

from collections.abc import Mapping

from sqlglot import exp

from workloads.sql.meaning.replacing import inner_first, put
from workloads.sql.meaning.templates import computed

_OPERATORS = (
    exp.BitwiseAnd,
    exp.BitwiseOr,
    exp.BitwiseXor,
    exp.BitwiseLeftShift,
    exp.BitwiseRightShift,
)
_SHIFTED = (
    "CASE WHEN b >= 64 THEN 0 ELSE (a & (CAST(18446744073709551615 AS UBIGINT) >> b)) << b END"
)
_AGGREGATES: Mapping[type[exp.Expr], str] = {
    exp.BitwiseAndAgg: str(2**64 - 1),
    exp.BitwiseOrAgg: "0",
    exp.BitwiseXorAgg: "0",
}


def unsigned_bits(tree: exp.Query) -> exp.Query:
    """Compute with 64 bits without a sign: ``-1 | 0`` is 18446744073709551615.

    Aggregates over nothing have all bits (BIT_AND) or none, and a negative number that is cast
    to UNSIGNED keeps its bits.
    """
    for node in inner_first(
        tree, *_OPERATORS, exp.BitwiseNot, exp.BitwiseCount, exp.Cast, *_AGGREGATES
    ):
        if isinstance(node, exp.Cast):
            if node.to.is_type(exp.DType.UBIGINT) and node.this.is_type(
                *exp.DataType.INTEGER_TYPES
            ):
                put(node, _unsigned(node.this))
            continue
        node.set("this", _unsigned(node.this))
        if isinstance(node, _OPERATORS):
            node.set("expression", _unsigned(node.expression))
        if isinstance(node, exp.BitwiseLeftShift):
            put(node, computed(_SHIFTED, node.this, node.expression))
        elif type(node) in _AGGREGATES:
            nothing = exp.cast(
                exp.Literal.number(_AGGREGATES[type(node)]), "UBIGINT", dialect="duckdb"
            )
            put(node, exp.func("COALESCE", node.copy(), nothing))
    return tree


def _unsigned(node: exp.Expr) -> exp.Expr:
    """Return CAST(CASE WHEN n < 0 THEN n + 2^64 ELSE n END AS UBIGINT)."""
    if isinstance(node, exp.Literal):
        return exp.cast(node.copy(), "UBIGINT", dialect="duckdb")
    wide = exp.cast(node.copy(), "HUGEINT", dialect="duckdb")
    zero, size = exp.Literal.number(0), exp.Literal.number(str(2**64))
    negative = exp.LT(this=wide, expression=zero)
    shifted = exp.Add(this=wide.copy(), expression=exp.cast(size, "HUGEINT", dialect="duckdb"))
    return exp.cast(
        exp.case().when(negative, shifted).else_(wide.copy()), "UBIGINT", dialect="duckdb"
    )
