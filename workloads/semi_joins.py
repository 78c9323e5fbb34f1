"""Semi-joins that a block inherits from those above it.

A block that joins a derived table or CTE with a source drops the rows that find no partner there.
Where a filter may be pushed down to a source of the block below, that source's rows need a key of
the upper one: a predicate that moves along a join (Levy, Mumick, Sagiv: Query Optimization by
Predicate Move-Around, VLDB 1994).
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from workloads.footprint import Block, ColumnRef, Footprint, Join, OutputColumn, Source

SourceColumn = tuple[Source, str]
"""A column as (source, column name)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SemiJoin:
    """Only rows whose `column` is among the values of `key` are of use to the query.

    `column` is of a source of the block that inherits it, `key` of one of a block above. `beside`
    are the columns whose values these are compared or united with on the way, both among them: it
    holds only if all are of types whose values compare alike.
    """

    column: ColumnRef
    key: SourceColumn
    beside: frozenset[SourceColumn] = frozenset()


def inherited_semi_joins(footprint: Footprint) -> Mapping[str, tuple[SemiJoin, ...]]:
    """Return the semi-joins that the sources of each block inherit, by the block's name.

    What is read by several readers inherits nothing: each might need other rows.
    """
    found: dict[str, dict[SemiJoin, None]] = {}
    descent = _Descent(footprint)
    for block in footprint.blocks:
        for below, semi_join in _inherited_from(block, descent):
            found.setdefault(below, {})[semi_join] = None
    return {name: tuple(semi_joins) for name, semi_joins in found.items()}


def with_sources_above(footprint: Footprint) -> Mapping[str, Block]:
    """Return the blocks that inherit semi-joins, joined with the sources above, by their names.

    Sources above have their own filters in them, and no alias that the block knows.
    """
    blocks = {block.name: block for block in footprint.blocks}
    found = {}
    for name, semi_joins in inherited_semi_joins(footprint).items():
        known = _aliases(blocks[name])
        above = {
            each.key[0].alias: each.key[0]
            for each in reversed(semi_joins)
            if each.key[0].alias not in known
        }
        joined = (each for each in semi_joins if above.get(each.key[0].alias) == each.key[0])
        found[name] = _joined(blocks[name], tuple(joined), blocks) if above else blocks[name]
    return found


def _joined(block: Block, semi_joins: Sequence[SemiJoin], blocks: Mapping[str, Block]) -> Block:
    """Return a block with the sources of semi-joins as its own, by joins."""
    above = tuple(dict.fromkeys(each.key[0] for each in semi_joins))
    filters = (
        condition
        for source in above
        for condition in blocks[source.block].filters
        if not condition.outer and {alias for alias, _ in condition.columns} == {source.alias}
    )
    joins = (Join(left=each.column, right=(each.key[0].alias, each.key[1])) for each in semi_joins)
    return replace(
        block,
        sources=(*block.sources, *above),
        filters=(*block.filters, *filters),
        joins=(*block.joins, *joins),
    )


def _aliases(block: Block) -> frozenset[str]:
    """Return the aliases that a block calls relations by, those of enclosing blocks among them."""
    return frozenset(
        {
            *(source.alias for source in block.sources),
            *block.inputs,
            *(alias for join in block.joins for alias, _ in (join.left, join.right)),
            *(alias for condition in block.filters for alias, _ in condition.columns),
        }
    )


def _inherited_from(block: Block, descent: "_Descent") -> Iterator[tuple[str, SemiJoin]]:
    """Yield blocks below and what they inherit from the joins of one block."""
    sources = {source.alias: source for source in block.sources if not source.needs}
    equal = _equalities(block, sources)
    for ref in [ref for ref in equal if ref[0] in block.inputs]:
        reached = tuple(descent.of(block, ref))
        partners = _partners(ref, equal, sources) if reached else ()
        keys = [(sources[alias], name) for alias, name in partners]
        for below, column, beside in reached:
            for key in keys:
                yield below, SemiJoin(column=column, key=key, beside=beside.union(keys))


def _equalities(
    block: Block, sources: Mapping[str, Source]
) -> dict[ColumnRef, dict[ColumnRef, None]]:
    """Return the columns of sources and inputs that each column has to equal in any result row."""
    equal: dict[ColumnRef, dict[ColumnRef, None]] = {}
    for join in block.joins:
        if join.kind != "inner" or join.computed or join.nulls_match:
            continue
        for end, other in ((join.left, join.right), (join.right, join.left)):
            if other[0] in sources:
                equal.setdefault(end, {})[other] = None
    return equal


def _partners(
    ref: ColumnRef,
    equal: Mapping[ColumnRef, Mapping[ColumnRef, None]],
    sources: Mapping[str, Source],
) -> tuple[ColumnRef, ...]:
    """Return the columns of sources that a column equals, by way of other sources too."""
    found: dict[ColumnRef, None] = {}
    ahead = [ref]
    while ahead:
        for other in equal.get(ahead.pop(), ()):
            if other not in found and other[0] in sources:
                found[other] = None
                ahead.append(other)
    return tuple(found)


class _Descent:
    """Pushes filters down to the sources below, through what has one reader."""

    def __init__(self, footprint: Footprint) -> None:
        self._blocks = {block.name: block for block in footprint.blocks}
        self._readers = _readers(footprint)
        self._outputs = {block.name: _unambiguous(block) for block in footprint.blocks}

    def of(
        self, block: Block, ref: ColumnRef
    ) -> Iterator[tuple[str, ColumnRef, frozenset[SourceColumn]]]:
        """Yield blocks, columns of their sources, and the columns that they are united with.

        `ref` is a column of an input of `block`.
        """
        child = self._child(block, ref[0])
        beside = None if child is None else self._stems_from(child, ref[1])
        if child is None or beside is None:
            return
        ahead = [(child, ref[1])]
        while ahead:
            name, column = ahead.pop()
            output = self._outputs[name].get(column)
            if output is None or self._readers[name] != 1:
                continue
            below = self._blocks[name]
            for alias, inner in output.pushdown:
                if below.kind == "set":
                    ahead.append((alias, inner))
                elif any(each.alias == alias and not each.needs for each in below.sources):
                    yield name, (alias, inner), beside
                elif (further := self._child(below, alias)) is not None:
                    ahead.append((further, inner))

    def _child(self, block: Block, alias: str) -> str | None:
        return None if alias in block.recursive else block.inputs.get(alias)

    def _stems_from(self, name: str, column: str) -> frozenset[SourceColumn] | None:
        """Return the sources' columns that hold all of a column's values; None if one is made."""
        found: set[SourceColumn] = set()
        ahead, seen = [(name, column)], set()
        while ahead:
            name, column = ahead.pop()
            if (name, column) in seen:
                continue
            seen.add((name, column))
            block, output = self._blocks[name], self._outputs[name].get(column)
            if output is None or output.origin is None:
                return None
            if block.kind == "set":
                ahead += output.reads
                continue
            alias, inner = output.origin
            source = next((each for each in block.sources if each.alias == alias), None)
            child = self._child(block, alias)
            if source is not None:
                found.add((source, inner))
            elif child is not None:
                ahead.append((child, inner))
            else:
                return None
        return frozenset(found)


def _readers(footprint: Footprint) -> Counter[str]:
    """Return how often each block is read."""
    found: Counter[str] = Counter()
    for block in footprint.blocks:
        read = [*block.inputs.values(), *block.recursive.values()]
        found.update(read)
        found.update(set(block.children).difference(read))
    return found


def _unambiguous(block: Block) -> Mapping[str, OutputColumn]:
    """Return a block's columns by name, without those of one name."""
    times = Counter(column.name for column in block.output.columns)
    return {column.name: column for column in block.output.columns if times[column.name] == 1}
