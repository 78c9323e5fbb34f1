"""Columns that are read: of tables, and of a block's result by other blocks."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from workloads.catalog import Column, Table
from workloads.footprint import Block, ColumnRef, Footprint, Source


def needed_columns(source: Source, table: Table) -> list[Column]:
    """Return the columns that are needed of a source, which reads `table`."""
    needed = {name.lower() for name in source.columns}
    return [each for each in table.columns if each.name.lower() in needed]


def read_columns(footprint: Footprint) -> Mapping[str, frozenset[str]]:
    """Return block → the columns of its result, in lower case, whose values matter above it.

    Those are the ones whose statistics estimates need, directly or through other blocks.
    """
    blocks = {block.name: block for block in footprint.blocks}
    read: dict[str, set[str]] = defaultdict(set)
    todo = [(block.name, ref) for block in footprint.blocks for ref in _tested(block)]
    while todo:
        name, (alias, column) = todo.pop()
        child = blocks[name].inputs.get(alias)
        found = [(child, column.lower())] if child is not None else []
        while found:
            below, wanted = found.pop()
            if wanted in read[below]:
                continue
            read[below].add(wanted)
            found += _operand_columns(blocks, blocks[below], wanted)
            todo += [(below, ref) for ref in _handed_on(blocks[below], wanted)]
    return {name: frozenset(columns) for name, columns in read.items()}


def _tested(block: Block) -> Iterator[ColumnRef]:
    for join in block.joins:
        yield from (join.left, join.right)
    for condition in block.filters:
        yield from condition.columns
    yield from block.output.group_by or ()
    if block.output.distinct:
        yield from (column.origin for column in block.output.columns if column.origin)


def _handed_on(block: Block, wanted: str) -> Iterator[ColumnRef]:
    if block.kind == "select":
        for column in block.output.columns:
            if column.name.lower() == wanted and column.origin is not None:
                yield column.origin


def _operand_columns(
    blocks: Mapping[str, Block], block: Block, wanted: str
) -> Iterator[tuple[str, str]]:
    """Yield the columns of a set operation's operands that make its column `wanted`."""
    for column in block.output.columns if block.kind == "set" else ():
        if column.name.lower() == wanted:
            yield from (
                (operand, name.lower()) for operand, name in column.reads if operand in blocks
            )
