"""The columns by which sources are reduced and looked up: facts of the query.

The model asks here which sources may reduce others. A fragment has the columns of those that do
(`Reduction.matches`), which is what its SQL is written from.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property

from placement.fragment import Fragment, LookUp, Match, NamedColumn, Operator
from placement.fragments.key_types import compare_alike, is_key
from workloads.catalog import Table
from workloads.estimation.selectivity import null_test
from workloads.footprint import Block, ColumnRef, Footprint, Join, Source
from workloads.semi_joins import SemiJoin, inherited_semi_joins

_MIRRORED: Mapping[Operator, Operator] = {"IN": "IN", ">": "<", ">=": "<=", "<": ">", "<=": ">="}


class Matches:
    """The matches of the sources of one query; `table_of` returns the table of a source."""

    def __init__(self, footprint: Footprint, table_of: Callable[[Source], Table]) -> None:
        self._footprint = footprint
        self._table_of = table_of
        self._beside: dict[str, tuple[Match, ...]] = {}

    def decided(self, fragment: Fragment) -> Fragment:
        """Return a fragment with the columns of its reducers and look-ups.

        Raises:
            CatalogError: There is no table of one of its sources.
        """
        reduction = fragment.reduction
        found = (*self._reducing(fragment), *self._looking_up(reduction.look_ups))
        if not found:
            return fragment
        return replace(fragment, reduction=replace(reduction, matches=found))

    def beside(self, block: str) -> tuple[Match, ...]:
        """Return the matches of a block's sources with sources and derived tables of the block.

        Sources that are joined by keys may be joined by text as well, which is not sent. The types
        of derived tables are known when their values are.
        """
        if block not in self._beside:
            self._beside[block] = tuple(_beside(self._footprint.block(block), self._table_of))
        return self._beside[block]

    def above(self, block: str) -> tuple[Match, ...]:
        """Return the matches of a block's sources with sources of blocks above it."""
        found = (self._match_above(block, each) for each in self._inherited.get(block, ()))
        return tuple(each for each in found if each is not None)

    @cached_property
    def _sources(self) -> Mapping[str, Source]:
        return {source.name: source for source in self._footprint.sources()}

    @cached_property
    def _inherited(self) -> Mapping[str, tuple[SemiJoin, ...]]:
        return inherited_semi_joins(self._footprint)

    def _match_above(self, block: str, semi_join: SemiJoin) -> Match | None:
        alias, column = semi_join.column
        source, key = semi_join.key
        types = [self._table_of(one).type_of(name) for one, name in semi_join.beside]
        if not compare_alike(types):
            return None
        return Match(
            column=(f"{block}.{alias}", column), key=(source.name, key), is_day="DATE" in types
        )

    def _reducing(self, fragment: Fragment) -> Iterator[Match]:
        """Yield the matches of a fragment's sources, and of its reducers, with its reducers."""
        reducers, block = frozenset(fragment.reduction.reducers), fragment.coverage.block
        if not reducers:
            return
        own = frozenset(fragment.sources)
        for each in self.beside(block):
            if each.key[0] in reducers and each.column[0] in own | reducers:
                yield each
        for each in self.above(block):
            if each.key[0] in reducers and each.column[0] in own:
                yield each

    def _looking_up(self, look_ups: tuple[LookUp, ...]) -> Iterator[Match]:
        """Yield the columns of keys that look-ups compare, each with one of the filtered source."""
        for each in look_ups:
            key = self._table_of(self._sources[each.source]).primary_key
            columns = key if each.whole_key else key[:1]
            found = [next(self._equal(each, column), None) for column in columns]
            if None not in found:
                yield from (match for match in found if match is not None)

    def _equal(self, look_up: LookUp, column: str) -> Iterator[Match]:
        """Yield the equalities of a column of the source that is looked up with the other's."""
        block = self._footprint.block(self._sources[look_up.source].block)
        for join in block.joins:
            for mine, theirs in _ends(join) if join.kind == "inner" else ():
                found = Match(column=_named(block.name, mine), key=_named(block.name, theirs))
                is_of = (found.column[0], found.key[0]) == (look_up.source, look_up.by)
                if is_of and mine[1].lower() == column.lower():
                    yield found


def _beside(block: Block, table_of: Callable[[Source], Table]) -> Iterator[Match]:
    tables = {source.alias: table_of(source) for source in block.sources if not source.needs}
    derived = block.inputs.keys() - block.recursive
    for mine, operator, theirs in _compared(block):
        if mine[0] not in tables or mine[0] == theirs[0]:
            continue
        column, key = _named(block.name, mine), _named(block.name, theirs)
        if theirs[0] in derived and is_key(tables[mine[0]], mine[1]):
            yield Match(
                column=column,
                key=key,
                operator=operator,
                values_of=block.inputs[theirs[0]],
                is_day=tables[mine[0]].type_of(mine[1]) == "DATE",
            )
        elif theirs[0] in tables and operator == "IN":
            types = [tables[alias].type_of(name) for alias, name in (mine, theirs)]
            if compare_alike(types):
                yield Match(column=column, key=key, is_day="DATE" in types)


def _compared(block: Block) -> Iterator[tuple[ColumnRef, Operator, ColumnRef]]:
    """Yield what must hold for a row to stay: a column, how it is compared, another; both ways."""
    tested = {
        each.columns[0][0]
        for each in block.filters
        if not each.outer and null_test(each) == "not_null"
    }
    for join in block.joins:
        if join.kind == "inner" or (join.kind == "left" and join.right[0] in tested):
            yield from ((mine, "IN", theirs) for mine, theirs in _ends(join))
    for condition in block.filters:
        for left, operator, right in () if condition.outer else condition.ordered:
            yield left, operator, right
            yield right, _MIRRORED[operator], left


def _ends(join: Join) -> tuple[tuple[ColumnRef, ColumnRef], ...]:
    """Return the columns that a join equates, either way; none where it computes something."""
    if join.computed or join.nulls_match:
        return ()
    return (join.left, join.right), (join.right, join.left)


def _named(block: str, column: ColumnRef) -> NamedColumn:
    alias, name = column
    return f"{block}.{alias}", name
