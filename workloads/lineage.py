"""Lineage: the columns of base tables that a block's column stems from.

A column is followed through derived tables, CTEs (recursive ones too), all operands of set
operations, and aliases of enclosing blocks, as far as one of three `Descent`s goes.
"""

from collections.abc import Iterator
from typing import Literal

from workloads.footprint import Block, ColumnRef, Footprint, OutputColumn

BaseColumn = tuple[str, str]
"""A column as (base table as the catalog spells it, column in lower case)."""

Descent = Literal["unchanged", "carried", "computed"]
"""The ways in which a column may depend on a base column.

- unchanged: it is handed on as it is.
- carried: it is computed from nothing else, so that its values stand for those of the base
  column (`OutputColumn.carries`).
- computed: it is one of several that enter the computation.
"""

ConditionRole = Literal["semi", "anti"]


class Lineage:
    """Follows the columns of one footprint down to base tables."""

    def __init__(self, footprint: Footprint) -> None:
        self._blocks = {block.name: block for block in footprint.blocks}
        self._above: dict[str, list[str]] = {name: [] for name in self._blocks}
        for block in footprint.blocks:
            for child in block.children:
                self._above[child].append(block.name)
        self._tables = {
            block.name: {source.alias: source.table for source in block.sources}
            for block in footprint.blocks
        }
        self._outputs: dict[str, dict[str, OutputColumn]] = {
            block.name: {column.name: column for column in reversed(block.output.columns)}
            for block in footprint.blocks
        }

    def of(self, block: str, ref: ColumnRef, descent: Descent) -> frozenset[BaseColumn]:
        """Return the base columns that a column seen in `block` stems from."""
        return frozenset(self._of(block, ref, descent, set()))

    def of_output(self, block: str, column: str, descent: Descent) -> frozenset[BaseColumn]:
        """Return the base columns that a column of the result of `block` stems from."""
        return frozenset(self._of_output(block, column, descent, set()))

    def home(self, block: str, alias: str) -> Block | None:
        """Return the nearest block, from `block` outwards, in whose FROM clause `alias` is."""
        level, seen = [block], {block}
        while level:
            for name in level:
                if alias in self._tables[name] or alias in self._blocks[name].inputs:
                    return self._blocks[name]
            above = (outer for name in level for outer in self._above[name])
            level = [name for name in dict.fromkeys(above) if name not in seen]
            seen.update(level)
        return None

    def condition(self, block: str, home: str) -> ConditionRole | None:
        """Return the role of the innermost condition that `block` is part of inside `home`.

        None where it is part of none: of a derived table that is correlated, or of a value.
        """
        while block != home:
            role = self._blocks[block].role
            if role in ("semi", "anti"):
                return role
            block = self._above[block][0]
        return None

    def _of(
        self, block: str, ref: ColumnRef, descent: Descent, seen: set[tuple[str, str]]
    ) -> Iterator[BaseColumn]:
        alias, column = ref
        home = self.home(block, alias)
        if home is None:
            return
        table = self._tables[home.name].get(alias)
        if table is not None:
            yield table, column
            return
        child = home.recursive.get(alias) or home.inputs[alias]
        yield from self._of_output(child, column, descent, seen)

    def _of_output(
        self, block: str, column: str, descent: Descent, seen: set[tuple[str, str]]
    ) -> Iterator[BaseColumn]:
        found = self._outputs[block].get(column)
        if found is None or (block, column) in seen:
            return
        seen.add((block, column))
        if self._blocks[block].kind == "set":
            for operand, name in found.reads:
                yield from self._of_output(operand, name, descent, seen)
        else:
            for ref in _followed(found, descent):
                yield from self._of(block, ref, descent, seen)


def _followed(column: OutputColumn, descent: Descent) -> tuple[ColumnRef, ...]:
    """Return the columns to which `descent` follows a column of a SELECT."""
    if descent == "computed":
        return column.reads
    ref = column.origin if descent == "unchanged" else column.carries
    return () if ref is None else (ref,)
