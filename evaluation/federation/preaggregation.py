"""Aggregates of a block cut in two: partial ones in a store, and in the engine those of these.

Eager aggregation (Yan, Larson: Eager Aggregation and Lazy Aggregation, VLDB 1995).
"""

from collections.abc import Collection, Sequence

from sqlglot import exp

from evaluation.federation.result_types import cast_results
from workloads.sql.blocks.aggregation import partials_of, splittable_aggregates
from workloads.sql.blocks.combined_aggregates import combined
from workloads.sql.typing.expression_kinds import PARTIAL, Kinds, noted
from workloads.sql.typing.value_kinds import type_of_kind


def take_aggregates(block: exp.Query, view: str, inputs: Collection[str] = ()) -> list[exp.Expr]:
    """Replace a block's aggregates by those of a view's partial ones; return the latter, named.

    Minima and maxima of what `inputs`, derived tables, return stay. A block that counts equal rows
    once has no aggregates.

    The view's columns note their types, as averages of the sums are written by these. Those of
    counts need none.
    """
    names: dict[exp.Expr, str] = {}
    of = Kinds(noted)

    def column(partial: exp.Expr) -> exp.Column:
        name = names.setdefault(partial, f"partial_{len(names)}")
        found = exp.column(name, table=view)
        found.meta[PARTIAL] = True
        type_ = None if partial.find(exp.Count) else type_of_kind(of(partial))
        if type_ is not None:
            found.type = exp.DataType.build(type_, dialect="duckdb")
        return found

    for aggregate in splittable_aggregates(block, inputs):
        partials = [column(partial) for partial in partials_of(aggregate, of)]
        whole = combined(aggregate, partials, of)
        whole.type = aggregate.type
        aggregate.replace(whole)
    return [exp.alias_(partial.copy(), name) for partial, name in names.items()]


def grouped(piece: exp.Select, columns: Sequence[exp.Column], partials: Sequence[exp.Expr]) -> None:
    """Make `piece` return a row for each group by `columns`, which it returns, with `partials`.

    Where there are no columns no row has to come of no rows: the block may group by what it joins.
    """
    for partial in partials:
        piece.select(partial, copy=False)
    if columns:
        piece.group_by(*columns, copy=False)
    else:
        some = exp.GT(this=exp.Count(this=exp.Star()), expression=exp.Literal.number(0))
        piece.having(some, copy=False)


def cast_partials(tree: exp.Query, types: Sequence[str], dialect: str) -> exp.Query:
    """Cast the partial aggregates of `tree` to `types`; columns keep their own."""
    bare = [isinstance(each.unalias(), exp.Column) for each in tree.selects]
    computed = tuple("" if is_bare else type_ for is_bare, type_ in zip(bare, types, strict=True))
    return cast_results(tree, computed, dialect)
