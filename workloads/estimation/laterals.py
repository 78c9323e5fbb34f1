"""Lateral derived tables as the joins that they amount to.

A lateral derived table is computed for each row before it, of which it reads columns. Equalities
with these are taken out of it: it is then estimated once for all rows, with its own ends of them
among its columns and its groups, and is joined by them. So correlated subqueries are unnested
(`workloads.sql.canonical.unnest`), whose footprints need nothing of this.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from workloads.footprint import Block, ColumnRef, Footprint, Join, JoinKind, Output, OutputColumn

_KEY = "_lateral_"
"""The prefix of the columns that a lateral derived table hands on for its join."""

Correlations = Mapping[Join, tuple[ColumnRef, ColumnRef]]
"""Joins of a block with what stands beside it, each as (its own end, the other)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decorrelated:
    """A footprint whose lateral derived tables are joined by what correlated them.

    `keys` has the columns of each such block that its rows are joined by: its LIMIT is of the rows
    of one value of them.
    """

    footprint: Footprint
    keys: Mapping[str, tuple[ColumnRef, ...]]


def decorrelated(footprint: Footprint) -> Decorrelated:
    """Return a footprint with its lateral derived tables as joins; for estimates alone."""
    blocks = {block.name: block for block in footprint.blocks}
    keys: dict[str, tuple[ColumnRef, ...]] = {}
    for outer in footprint.blocks:
        for alias, child in outer.inputs.items():
            sets, selects = _parts(blocks, blocks[child])
            correlated = _correlated(selects, _relations(outer) - {alias})
            # The LIMIT of a set operation is of each row beside it, and stays so.
            if not correlated or any(each.output.limit is not None for each in sets):
                continue
            joined = _joins(outer, blocks[child], alias, next(iter(correlated.values())))
            blocks[outer.name] = _with_joins(blocks[outer.name], joined)
            blocks |= {each.name: _with_operands(each, blocks, len(joined)) for each in sets}
            for name, correlations in correlated.items():
                blocks[name] = _alone(blocks[name], correlations)
                keys[name] = tuple(end for end, _ in correlations.values())
    if not keys:
        return Decorrelated(footprint=footprint, keys={})
    return Decorrelated(footprint=replace(footprint, blocks=tuple(blocks.values())), keys=keys)


def _parts(blocks: Mapping[str, Block], block: Block) -> tuple[list[Block], list[Block]]:
    """Return the set operations that a block is made of, outermost first, and their SELECTs."""
    sets, selects, left = [], [], [block]
    while left:
        part = left.pop()
        if part.kind == "set":
            sets.append(part)
            left += [blocks[name] for name in reversed(_operands(part, blocks))]
        else:
            selects.append(part)
    return sets, selects


def _operands(block: Block, blocks: Mapping[str, Block]) -> list[str]:
    return [name for name in block.children if blocks[name].role == "operand"]


def _correlated(selects: Sequence[Block], beside: frozenset[str]) -> dict[str, Correlations]:
    """Return the correlations of each of some operands with the same columns in the same order.

    Nothing where they have no such column in common.
    """
    found = [_correlations(each, beside) for each in selects]
    if len(found) == 1:
        return {selects[0].name: found[0]} if found[0] else {}
    by_other = [{other: join for join, (_, other) in each.items()} for each in found]
    common = [other for other in by_other[0] if all(other in each for each in by_other)]
    if not common:
        return {}
    return {
        block.name: {joins[other]: each[joins[other]] for other in common}
        for block, each, joins in zip(selects, found, by_other, strict=True)
    }


def _correlations(block: Block, beside: frozenset[str]) -> Correlations:
    own = _relations(block)
    found = {}
    for join in block.joins:
        for end, other in ((join.left, join.right), (join.right, join.left)):
            if join.kind == "inner" and end[0] in own and other[0] in beside - own:
                found[join] = (end, other)
    return found


def _relations(block: Block) -> frozenset[str]:
    return frozenset({*(source.alias for source in block.sources), *block.inputs})


def _joins(outer: Block, block: Block, alias: str, correlations: Correlations) -> list[Join]:
    """Return the joins of a derived table with what stands beside it.

    Aggregates without groups have a row even where nothing comes in: they drop no row beside them.
    """
    is_total = block.output.group_by == () and not block.output.having
    kind: JoinKind = "left" if is_total or alias in outer.outer_inputs else "inner"
    return [
        replace(join, left=other, right=(alias, f"{_KEY}{place}"), kind=kind)
        for place, (join, (_, other)) in enumerate(correlations.items())
    ]


def _with_joins(block: Block, joins: Sequence[Join]) -> Block:
    return replace(block, joins=(*block.joins, *joins))


def _alone(block: Block, correlations: Correlations) -> Block:
    """Return a SELECT for all rows beside it at once: it hands on its ends of the joins."""
    columns = (
        OutputColumn(name=f"{_KEY}{place}", origin=end, reads=(end,), carries=end)
        for place, (end, _) in enumerate(correlations.values())
    )
    output = _with_columns(block.output, tuple(columns))
    if output.group_by is not None:
        # First, as ROLLUP leaves out the last ones.
        ends = (end for end, _ in correlations.values())
        output = replace(output, group_by=tuple(dict.fromkeys((*ends, *output.group_by))))
    joins = tuple(join for join in block.joins if join not in correlations)
    return replace(block, joins=joins, output=output)


def _with_operands(block: Block, blocks: Mapping[str, Block], number: int) -> Block:
    """Return a set operation that hands on the keys of its operands."""
    operands = _operands(block, blocks)
    columns = []
    for name in (f"{_KEY}{place}" for place in range(number)):
        reads = tuple((operand, name) for operand in operands)
        columns.append(OutputColumn(name=name, origin=reads[0], reads=reads))
    return replace(block, output=_with_columns(block.output, tuple(columns)))


def _with_columns(output: Output, columns: tuple[OutputColumn, ...]) -> Output:
    return replace(output, columns=(*output.columns, *columns))
