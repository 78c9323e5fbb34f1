"""Outer joins as the joins that they amount to, given the block's other conditions."""

from collections.abc import Mapping
from dataclasses import dataclass

from workloads.estimation.relation import JoinKind
from workloads.estimation.selectivity import null_test
from workloads.footprint import Block, Join

_NEVER_TRUE_OF_NULL = frozenset({"eq", "in", "range", "like"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Joining:
    """The join of a relation that is not joined inner, and the relations before it."""

    kind: JoinKind
    after: frozenset[str]


def joinings(block: Block) -> Mapping[str, Joining]:
    """Return alias → how it is joined, for every alias that a non-inner join adds.

    A left join whose nullable side must not be NULL elsewhere is an inner join, one whose
    nullable side must be NULL an anti join (Galindo-Legaria and Rosenthal, "Outerjoin
    Simplification and Reordering for Query Optimization", TODS 1997).
    """
    partners: dict[str, set[str]] = {}
    kinds: dict[str, JoinKind] = {}
    for join in block.joins:
        if join.kind == "inner":
            continue
        added = _added(block, join)
        (partner,) = {join.left[0], join.right[0]} - {added}
        partners.setdefault(added, set()).add(partner)
        # A right join keeps the unmatched rows of what it adds, as a full join does.
        kinds[added] = "full" if join.kind == "right" else join.kind
    return {
        alias: Joining(kind=_simplified(block, alias, kind), after=frozenset(partners[alias]))
        for alias, kind in kinds.items()
    }


def _simplified(block: Block, alias: str, kind: JoinKind) -> JoinKind:
    if kind != "left":
        return kind
    above = [
        condition
        for condition in block.filters
        if not condition.outer and {column[0] for column in condition.columns} == {alias}
    ]
    tests = {null_test(condition) for condition in above}
    refuses_null = any(condition.kind in _NEVER_TRUE_OF_NULL for condition in above)
    joined = any(
        join.kind == "inner" and alias in (join.left[0], join.right[0]) for join in block.joins
    )
    if joined or refuses_null or "not_null" in tests:
        return "inner"
    return "anti" if "null" in tests else "left"


def _added(block: Block, join: Join) -> str:
    """Return the end of `join` that it adds to the relations before it.

    A source that needs the other end is the added one; otherwise a derived table is, as the
    unnesting of subqueries makes them; otherwise the one that comes later in FROM.
    """
    ends = (join.left[0], join.right[0])
    needs = {source.alias: source.needs for source in block.sources}
    for end, other in (ends, ends[::-1]):
        if other in needs.get(end, ()):
            return end
    order = [*needs, *block.inputs]
    return max(ends, key=lambda alias: order.index(alias) if alias in order else -1)
