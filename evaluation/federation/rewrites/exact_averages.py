"""Averages of whole numbers and decimals, whose sums are exact."""

from sqlglot import exp

from workloads.sql.blocks.combined_aggregates import quotient
from workloads.sql.typing.expression_kinds import Kinds, noted
from workloads.sql.typing.value_kinds import EXACT


def exact_averages(tree: exp.Query) -> exp.Query:
    """Divide the exact sum by the count, as DuckDB does; doubles that cancel leave a rest.

    The average of 0.1, 0.2 and -0.3 is 0 for DuckDB, and 1e-17 where doubles are added. Columns
    know their types.
    """
    of = Kinds(noted)
    for average in list(tree.find_all(exp.Avg)):
        distinct = average.this if isinstance(average.this, exp.Distinct) else None
        values = distinct.expressions if distinct is not None else [average.this]
        kind = of(values[0]) if len(values) == 1 else None
        if kind is not None and kind.family in EXACT and not average.find(exp.Query):
            whole = _with_clauses(average)
            total = exp.Sum(this=average.this.copy())
            number = exp.Count(this=average.this.copy(), big_int=True)
            divided = quotient(
                _of_same_rows(whole, average, total), _of_same_rows(whole, average, number), kind
            )
            whole.replace(divided)
    return tree


def _with_clauses(aggregate: exp.Expr) -> exp.Expr:
    """Return the aggregate with its FILTER and OVER."""
    while isinstance(aggregate.parent, (exp.Filter, exp.Window)) and aggregate.arg_key == "this":
        aggregate = aggregate.parent
    return aggregate


def _of_same_rows(whole: exp.Expr, aggregate: exp.Expr, other: exp.Expr) -> exp.Expr:
    """Return `other` with the clauses of `aggregate`, which `whole` is."""
    if whole is aggregate:
        return other
    found = whole.copy()
    inner = found.this
    while not isinstance(inner, exp.Avg):
        inner = inner.this
    inner.replace(other)
    return found
