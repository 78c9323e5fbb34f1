"""Rows of a join of several relations.

Relations are joined one after the other. An equality keeps one of max(distinct) pairs, since the
smaller set of values is contained in the larger (Selinger et al., SIGMOD 1979, table 1). Several
equalities to a key are one: a foreign key of any width keeps the filtered fraction of the table
that it refers to. Where neither side is a key they are independent of each other. Columns that
are equal by earlier joins count once.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from workloads.estimation.relation import Relation
from workloads.footprint import ColumnRef, Join


@dataclass(slots=True, eq=False)
class _Equal:
    """Columns that earlier joins have made equal, and what is known of their common values."""

    columns: set[ColumnRef]
    distinct: float | None
    low: float | None
    high: float | None


def joined_rows(relations: Sequence[Relation], joins: Sequence[Join]) -> float:
    """Return the rows of the join of `relations` by those of `joins` that lie between them."""
    inner = [relation for relation in relations if relation.kind == "inner"]
    first = max(inner or relations, key=lambda relation: relation.rows)
    state = _Joined(first, joins)
    remaining = [relation for relation in relations if relation is not first]
    while remaining:
        following = max(remaining, key=state.urgency)
        remaining.remove(following)
        state.add(following)
    return state.rows


class _Joined:
    """A join under way."""

    def __init__(self, first: Relation, joins: Sequence[Join]) -> None:
        self.rows = first.filtered_rows
        self._relations = {first.alias: first}
        self._matching = {first.alias: first.matching_share}
        self._reached = {first.alias: first.rows}
        self._equal: dict[ColumnRef, _Equal] = {}
        self._ends: dict[str, list[tuple[str, ColumnRef]]] = {}
        for join in joins:
            self._ends.setdefault(join.left[0], []).append((join.left[1], join.right))
            self._ends.setdefault(join.right[0], []).append((join.right[1], join.left))

    def urgency(self, relation: Relation) -> tuple[bool, bool, bool, float]:
        """Order of joining: inner joins, connected ones, large ones first."""
        ready = relation.after <= self._relations.keys()
        connected = any(ref[0] in self._relations for _, ref in self._ends.get(relation.alias, ()))
        return (ready, relation.kind == "inner", connected, relation.rows)

    def add(self, relation: Relation) -> None:
        """Join one more relation."""
        self._reached[relation.alias] = relation.rows
        pairs = self._pairs(relation)
        matches = self._matches(relation, pairs)
        for equal, name in pairs:
            self._merge(equal, relation, name)
        self._relations[relation.alias] = relation
        self._matching[relation.alias] = relation.matching_share
        inner = self.rows * matches
        match relation.kind:
            case "inner":
                self.rows = inner
            case "left":
                self.rows = max(self.rows, inner * self._matching_share(relation))
            case "full":
                self.rows = max(self.rows, inner) + max(0.0, relation.filtered_rows - inner)
            case "semi":
                self.rows *= min(1.0, matches)
            case "anti":
                self.rows *= 1 - min(1.0, matches)

    def _matching_share(self, added: Relation) -> float:
        """Return the share of the rows so far that the condition of a left join lets match."""
        return math.prod(self._matching.pop(alias, 1.0) for alias in added.after)

    def _pairs(self, relation: Relation) -> list[tuple[_Equal, str]]:
        """Return each equality as (columns joined so far, column of `relation`), once."""
        pairs: dict[tuple[int, str], tuple[_Equal, str]] = {}
        for name, ref in self._ends.get(relation.alias, ()):
            if ref[0] in self._relations:
                equal = self._equal.get(ref) or self._new_equal(ref)
                pairs[id(equal), name] = (equal, name)
        return list(pairs.values())

    def _new_equal(self, ref: ColumnRef) -> _Equal:
        column = self._relations[ref[0]].columns.get(ref[1].lower())
        known = column.statistics if column else None
        equal = _Equal(
            columns={ref},
            distinct=max(1.0, min(known.distinct, self._reached[ref[0]])) if known else None,
            low=known.minimum if known else None,
            high=known.maximum if known else None,
        )
        self._equal[ref] = equal
        return equal

    def _matches(self, relation: Relation, pairs: Sequence[tuple[_Equal, str]]) -> float:
        """Return how many rows of `relation` a row of the join so far meets."""
        if not pairs:
            return relation.filtered_rows
        here, there = _overlaps(relation, pairs)
        if not here:
            return 0.0
        self._reached[relation.alias] = relation.rows * here
        lefts, rights = self._distinct(relation, pairs)
        names = frozenset(name.lower() for _, name in pairs)
        equals = [equal for equal, _ in pairs]
        refers = relation.derived or relation.is_key(names) or self._has_key(equals)
        left = self._left_distinct(equals, lefts, refers=refers) * there
        right = relation.together(names, rights, refers=refers) * here
        met = relation.rows * here * relation.share_within(here) / max(left, right, 1.0)
        met *= math.prod(_filled(relation, name) for name in names)
        return met * self._left_kept(equals, there)

    def _left_kept(self, equals: Sequence[_Equal], there: float) -> float:
        """Share of the join so far whose columns are not null and refer to `relation` at all."""
        fresh = [next(iter(equal.columns)) for equal in equals if len(equal.columns) == 1]
        kept = there * math.prod(_filled(self._relations[alias], name) for alias, name in fresh)
        for alias in {alias for alias, _ in fresh} if there < 1 else ():
            other = self._relations[alias]
            self._reached[alias] *= there
            share = other.combine(other.shares)
            kept *= other.share_within(there) / share if share > 0 else 1.0
        return kept

    def _distinct(
        self, relation: Relation, pairs: Sequence[tuple[_Equal, str]]
    ) -> tuple[list[float], list[float]]:
        """Distinct values of both ends of each pair; an unknown end is contained in the other."""
        lefts, rights = [], []
        for equal, name in pairs:
            column = relation.columns.get(name.lower())
            left = equal.distinct
            right = float(column.statistics.distinct) if column and column.statistics else None
            if left is None and right is None:
                around = [self._relations[alias].rows for alias, _ in equal.columns]
                keyed = relation.is_key(frozenset(name.lower() for _, name in pairs))
                left = relation.rows if keyed else max(relation.rows, *around)
            lefts.append(max(1.0, left or right or 1.0))
            rights.append(max(1.0, right or left or 1.0))
        return lefts, rights

    def _left_distinct(
        self, equals: Sequence[_Equal], distinct: Sequence[float], *, refers: bool
    ) -> float:
        """Distinct values of several columns together."""
        alias, inside = self._mainly(equals)
        names = _names(alias, [equals[index] for index in inside])
        within = [distinct[index] for index in inside]
        others = (d for index, d in enumerate(distinct) if index not in inside)
        together = self._relations[alias].together(names, within, refers=refers)
        return together * math.prod(others)

    def _has_key(self, equals: Sequence[_Equal]) -> bool:
        """Whether a relation joined so far has a key in these columns, or was made for the join."""
        alias, inside = self._mainly(equals)
        names = _names(alias, [equals[index] for index in inside])
        relation = self._relations[alias]
        return relation.derived or relation.is_key(names)

    def _mainly(self, equals: Sequence[_Equal]) -> tuple[str, list[int]]:
        """Return the relation that has most of these columns, and which of them."""
        inside: dict[str, list[int]] = {}
        for index, equal in enumerate(equals):
            for alias in {alias for alias, _ in equal.columns}:
                inside.setdefault(alias, []).append(index)
        alias = max(inside, key=lambda name: (len(inside[name]), -self._relations[name].rows))
        return alias, inside[alias]

    def _merge(self, equal: _Equal, relation: Relation, name: str) -> None:
        """Note that the column `name` of `relation` equals the columns of `equal`."""
        ref = (relation.alias, name)
        column = relation.columns.get(name.lower())
        known = column.statistics if column else None
        other = self._equal.get(ref)
        if known is not None:
            equal.distinct = min(equal.distinct or math.inf, max(1.0, known.distinct))
            equal.low = _either(max, equal.low, known.minimum)
            equal.high = _either(min, equal.high, known.maximum)
        if other is not None and other is not equal:
            equal.columns |= other.columns
        equal.columns.add(ref)
        for member in equal.columns:
            self._equal[member] = equal


def _names(alias: str, equals: Sequence[_Equal]) -> frozenset[str]:
    """Return the names, in lower case, of the columns of one relation."""
    return frozenset(
        name.lower() for equal in equals for other, name in equal.columns if other == alias
    )


def _overlaps(relation: Relation, pairs: Sequence[tuple[_Equal, str]]) -> tuple[float, float]:
    """Parts (0..1) of the ranges of `relation` and of the join so far that both have values in."""
    here = there = 1.0
    for equal, name in pairs:
        column = relation.columns.get(name.lower())
        known = column.statistics if column else None
        if known is None or known.minimum is None or known.maximum is None:
            continue
        if equal.low is None or equal.high is None:
            continue
        both = min(known.maximum, equal.high) - max(known.minimum, equal.low) + 1
        if both <= 0:
            return 0.0, 0.0
        here *= min(1.0, both / (known.maximum - known.minimum + 1))
        there *= min(1.0, both / (equal.high - equal.low + 1))
    return here, there


def _filled(relation: Relation, name: str) -> float:
    column = relation.columns.get(name.lower())
    return 1 - column.statistics.null_share if column and column.statistics else 1.0


def _either(
    choose: Callable[[float, float], float], left: float | None, right: float | None
) -> float | None:
    if left is None or right is None:
        return left if right is None else right
    return choose(left, right)
