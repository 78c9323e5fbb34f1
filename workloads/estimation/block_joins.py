"""Rows and distinct values of the joins of one block's sources and inputs."""

import functools
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from workloads.catalog import Column
from workloads.estimation.block_filters import (
    MIN_ROWS,
    distinct_after_filters,
    matching_share,
    share_of,
    shares,
)
from workloads.estimation.distinct_values import groups
from workloads.estimation.join_size import joined_rows
from workloads.estimation.joins_between import JoinsBetween
from workloads.estimation.outer_joins import Joining, joinings
from workloads.estimation.relation import Relation
from workloads.estimation.sampling import Sampling
from workloads.estimation.selectivity import Combine, share
from workloads.estimation.synopsis import aliases_of
from workloads.footprint import Block, ColumnRef, Filter

MOST_ROWS = 1e100
"""No join is estimated larger, so that sums and products of estimates stay finite."""


class BlockJoins:
    """Joins in one block: formulas over statistics, corrected by samples of its sources.

    `relations` are its sources and inputs before their filters. A join with derived tables is
    estimated by formulas, times what samples say of its sources over what formulas say of them.
    """

    def __init__(
        self,
        block: Block,
        relations: Iterable[Relation],
        combine: Combine,
        sampling: Sampling | None,
    ) -> None:
        self._block = block
        self._between = JoinsBetween(block.joins)
        self._combine = combine
        self._sampling = sampling
        self._sources = frozenset(source.alias for source in block.sources)
        self._rows: dict[frozenset[str], float] = {}
        kinds = joinings(block)
        preserving = (each.after for each in kinds.values() if each.kind == "left")
        preserved = frozenset[str]().union(*preserving) - kinds.keys()
        self.relations = {
            relation.alias: replace(
                relation,
                combine=combine,
                combined=functools.partial(self._combined, relation.alias),
                shares=shares(block, relation, combine, preserved=relation.alias in preserved),
                matching_share=(
                    matching_share(block, relation, combine) if relation.alias in preserved else 1.0
                ),
            )
            for relation in (_joined(each, kinds) for each in relations)
        }

    def rows(self, aliases: frozenset[str]) -> float:
        """Return the rows of the join of `aliases` after their filters."""
        if aliases not in self._rows:
            every = math.prod(self.relations[alias].rows for alias in aliases)
            self._rows[aliases] = min(every, MOST_ROWS, self._estimated(aliases))
        return self._rows[aliases]

    def column(self, ref: ColumnRef) -> Column | None:
        """Return what is known of a column before filters; None for one of no relation here."""
        relation = self.relations.get(ref[0])
        return relation.columns.get(ref[1].lower()) if relation else None

    def rows_alone(self, alias: str) -> float:
        """Return the rows of a source that an outer join may fill with NULL, fetched alone.

        Its part of ON goes with it; a filter of WHERE must see the NULLs.
        """
        relation = self.relations[alias]
        own = [f for f in self._block.filters if f.outer and aliases_of(f) == {alias}]
        if not own:
            return relation.rows
        sampled = self._sampling.rows_alone(alias, own) if self._sampling else None
        if sampled is not None:
            return sampled
        return relation.rows * self._combine(share_of(f, relation, self._combine) for f in own)

    def groups(self, columns: Sequence[ColumnRef], rows: float) -> float:
        """Return the groups by `columns` of the `rows` rows of the block's joins."""
        columns = list(dict.fromkeys(columns))
        inside = [ref for ref in columns if ref[0] in self._sources]
        beside = [ref for ref in columns if ref[0] not in self._sources]
        sampled = self._sampled_groups(inside)
        if sampled is None:
            inside, beside, sampled = [], columns, 1.0
        complete = self._sources == self.relations.keys()
        if complete and not beside and self._sampling and self._sampling.is_tree(self._sources):
            return max(MIN_ROWS, min(sampled, rows))
        together = sampled * self._formula_groups(beside)
        # One column of one table: its distinct values are known, and nothing multiplies its rows.
        alone = len(columns) == len(self.relations) == 1
        return min(together, rows) if alone else groups(together, rows)

    def groups_within(
        self, aliases: frozenset[str], columns: Sequence[ColumnRef], rows: float
    ) -> float:
        """Return the groups by `columns` of the `rows` rows of the join of some sources."""
        if not columns:
            return MIN_ROWS
        sampled = self._sampling_groups(aliases, [columns])
        if sampled is not None:
            return min(sampled[0], rows)
        matched = math.prod(
            max(MIN_ROWS, self._matched_rows(alias, aliases))
            for alias in dict.fromkeys(ref[0] for ref in columns)
            if alias in self.relations
        )
        return groups(min(matched, self._formula_groups(columns, aliases)), rows)

    def distinct(self, ref: ColumnRef, within: Collection[str] | None = None) -> float:
        """Return a column's distinct values after the filters of its block, joins included.

        Where only some relations are joined, those are `within`. Of what a table function hands
        out nothing is known: it counts as one value.
        """
        within = self.relations if within is None else within
        equal = {ref}
        for join in self._block.joins:
            if join.kind == "inner" and ref in (join.left, join.right):
                equal |= {join.left, join.right}
        known = (
            distinct_after_filters(self._block, self.relations[alias], name)
            for alias, name in equal
            if alias in within
        )
        return min(known, default=MIN_ROWS)

    def domain(self, columns: Sequence[ColumnRef]) -> float:
        """Return how many combinations of values of `columns` filters leave, joins apart."""
        return math.prod(
            self._groups_alone([ref for ref in dict.fromkeys(columns) if ref[0] == alias])
            for alias in dict.fromkeys(ref[0] for ref in columns)
        )

    def distincts(self, refs: Sequence[ColumnRef]) -> list[float]:
        """Return the distinct values of each of several columns after filters and joins."""
        sampled: dict[ColumnRef, float] = {}
        for part in self._components(self._sources) if self._sampling else ():
            inside = [ref for ref in refs if ref[0] in part]
            found = self._sampling_groups(part, [[ref] for ref in inside])
            sampled |= dict(zip(inside, found or (), strict=False))
        return [min(sampled.get(ref, math.inf), self.distinct(ref)) for ref in refs]

    def _combined(self, alias: str, names: frozenset[str]) -> float | None:
        """Return the distinct values of columns of one source together, without its filters."""
        if self._sampling is None or alias not in self._sources:
            return None
        return self._sampling.combinations(alias, names)

    def _sampling_groups(
        self, part: frozenset[str], sets: Sequence[Sequence[ColumnRef]]
    ) -> tuple[float, ...] | None:
        return self._sampling.groups(part, sets) if self._sampling and sets else None

    def _sampled_groups(self, columns: Sequence[ColumnRef]) -> float | None:
        """Return the distinct values of `columns` of sources; None if samples cannot.

        Where samples cannot join the sources, those of each source count independently.
        """
        if self._sampling is None or not columns:
            return None
        together = 1.0
        for part in self._components(self._sources):
            refs = [ref for ref in columns if ref[0] in part]
            if not refs:
                continue
            found = self._sampling_groups(part, [refs])
            if found is not None:
                together *= max(MIN_ROWS, found[0])
                continue
            together *= self.domain(refs)
        return together

    def _groups_alone(
        self, columns: Sequence[ColumnRef], within: Collection[str] | None = None
    ) -> float:
        """Return the distinct values of columns of one relation after its filters.

        Formulas take those that its joins leave, unless the relations joined are `within`.
        """
        ((alias, _), *_) = columns
        found = None
        if alias in self._sources:
            found = self._sampling_groups(frozenset({alias}), [columns])
        return self._formula_groups(columns, within) if found is None else max(MIN_ROWS, found[0])

    def _matched_rows(self, alias: str, within: frozenset[str]) -> float:
        """Return the rows of one relation that have a partner in each of those it is joined with.

        A join of few values with many rows each has many pairs of few rows.
        """
        rows = self.relations[alias].filtered_rows
        for join in self._block.joins:
            if join.kind != "inner" or join.computed:
                continue
            for own, other in ((join.left, join.right), (join.right, join.left)):
                if own[0] == alias and other[0] in within - {alias}:
                    there = self._groups_alone([other], {other[0]})
                    rows *= min(1.0, there / self._groups_alone([own], {alias}))
        return rows

    def _formula_groups(
        self, columns: Sequence[ColumnRef], within: Collection[str] | None = None
    ) -> float:
        """Return the product of distinct values: of one relation never more than its rows."""
        by_alias: dict[str, float] = {}
        for ref in columns:
            if ref[0] in self.relations:
                by_alias[ref[0]] = by_alias.get(ref[0], 1.0) * self.distinct(ref, within)
        return math.prod(
            min(distinct, max(MIN_ROWS, self.relations[alias].filtered_rows))
            for alias, distinct in by_alias.items()
        )

    def _estimated(self, aliases: frozenset[str]) -> float:
        rows = self._by_formulas(aliases)
        if self._sampling is None:
            return rows
        for part in self._components(aliases & self._sources):
            expected = rows if part == aliases else self._by_formulas(part)
            sampled = self._sampling.rows(part, expected)
            if sampled is not None:
                foreign = self._sampling.foreign(part)
                sampled *= self._combine(share(f, self.column, self._combine) for f in foreign)
            if sampled is not None and expected > 0:
                rows *= sampled / expected
            elif sampled is not None and part == aliases:
                rows = sampled
        return rows

    def _components(self, aliases: frozenset[str]) -> Iterator[frozenset[str]]:
        """Yield the sets of `aliases` that joins connect."""
        left = set(aliases)
        joins = self._between.of(aliases)
        while left:
            part, grown = {left.pop()}, True
            while grown:
                grown = False
                for join in joins:
                    ends = {join.left[0], join.right[0]}
                    if ends & part and ends - part and ends <= aliases:
                        part |= ends
                        grown = True
            left -= part
            yield frozenset(part)

    def _by_formulas(self, aliases: frozenset[str]) -> float:
        chosen = [relation for alias, relation in self.relations.items() if alias in aliases]
        rows = joined_rows(chosen, self._between.of(aliases)) if chosen else MIN_ROWS
        return min(MOST_ROWS, rows * self._residual(aliases))

    def _residual(self, aliases: frozenset[str]) -> float:
        """Share that the filters over several of `aliases` keep."""
        spanning = [
            condition
            for condition in self._block.filters
            if len(found := aliases_of(condition)) > 1 and found <= aliases
        ]
        return self._combine(self._beyond_implied(condition) for condition in spanning)

    def _beyond_implied(self, condition: Filter) -> float:
        """Share that a condition keeps of what those that it implies of each relation keep."""
        kept = share(condition, self.column, self._combine)
        for alias in sorted(aliases_of(condition)):
            implied = condition.restriction(alias)
            if implied is not None and any(
                implied.alternatives == f.alternatives for f in self._block.filters
            ):
                kept /= max(kept, share(implied, self.column, self._combine)) or 1.0
        return min(1.0, kept)


def _joined(relation: Relation, kinds: Mapping[str, Joining]) -> Relation:
    """Return a relation with how it is joined."""
    found = kinds.get(relation.alias)
    return relation if found is None else replace(relation, kind=found.kind, after=found.after)
