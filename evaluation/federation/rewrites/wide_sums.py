"""Sums of 64-bit numbers."""

from sqlglot import exp

from workloads.sql.typing.expression_kinds import Kinds, Of, noted

_SIXTY_FOUR_BITS = 19


def wide_sums(tree: exp.Query) -> exp.Query:
    """Sum 64-bit numbers as decimals: DuckDB's sums have 128 bits, Spark's 64.

    Columns know their types. Partial counts have none: their sums count rows.
    """
    of = Kinds(noted)
    for node in list(tree.find_all(exp.Sum)):
        distinct = node.this if isinstance(node.this, exp.Distinct) else None
        values = distinct.expressions if distinct is not None else [node.this]
        if len(values) == 1 and _is_wide(values[0], of):
            decimal = exp.cast(values[0].copy(), exp.DataType.build("DECIMAL(20, 0)"))
            if distinct is not None:
                distinct.set("expressions", [decimal])
            else:
                node.set("this", decimal)
    return tree


def _is_wide(value: exp.Expr, of: Of) -> bool:
    """Whether a value has 64 bits, and is made of one that has: no year or length of a text."""
    return _has_64_bits(value, of) and any(
        _has_64_bits(each, of) for each in value.find_all(exp.Column, exp.Cast, exp.Literal)
    )


def _has_64_bits(value: exp.Expr, of: Of) -> bool:
    kind = of(value)
    return kind.family == "whole" and kind.digits >= _SIXTY_FOUR_BITS
