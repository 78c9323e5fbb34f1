"""Accesses of one query to base tables, whatever blocks it is written in.

Two texts that differ in aliases, in the order of predicates and inner joins, or in what is a CTE
and what a derived table, ask the same.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from workloads.footprint import (
    UNNESTED,
    Block,
    Filter,
    FilterKind,
    Footprint,
    Join,
    JoinKind,
)
from workloads.lineage import BaseColumn, Lineage

_MIRRORED: Mapping[JoinKind, JoinKind] = {"left": "right", "right": "left"}


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class JoinEdge:
    """A join between columns of base tables: `left` and `right` are ``table.column``.

    The ends are in alphabetical order; 'left' and 'right' say which of them keeps its unmatched
    rows. IN, EXISTS and INTERSECT are 'semi', their negations and EXCEPT 'anti'.
    """

    left: str
    right: str
    kind: JoinKind


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseFilter:
    """A conjunct on columns of base tables (``table.column``, sorted), as `Filter` has it.

    Each of `alternatives` is a conjunction.
    """

    columns: tuple[str, ...]
    kind: FilterKind
    values: tuple[str | float | None, ...] = ()
    alternatives: frozenset[frozenset["BaseFilter"]] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryAccess:
    """The columns that a query needs of each base table, its filters on them and its joins."""

    columns: Mapping[str, tuple[str, ...]]
    filters: frozenset[BaseFilter]
    joins: frozenset[JoinEdge]


def query_access(footprint: Footprint) -> QueryAccess:
    """Return what a query asks of base tables."""
    lineage = Lineage(footprint)
    columns: dict[str, set[str]] = {}
    for source in footprint.sources():
        columns.setdefault(source.table, set()).update(source.columns)
    return QueryAccess(
        columns={table: tuple(sorted(columns[table])) for table in sorted(columns)},
        filters=frozenset(
            found
            for block in footprint.blocks
            for condition in block.filters
            if not condition.is_implied
            for found in _filters(lineage, block, condition)
        ),
        joins=frozenset(_edges(footprint, lineage)),
    )


def _filters(lineage: Lineage, block: Block, condition: Filter) -> Iterator[BaseFilter]:
    """Yield a filter for each base column that one column stands for, else one for all."""
    if condition.merges or any(alias.startswith(UNNESTED) for alias, _ in condition.columns):
        return
    found = [lineage.of(block.name, ref, "unchanged") for ref in condition.columns]
    if not found or not all(found):
        return
    choices = product(*found) if len(found) == 1 else [tuple(set().union(*found))]
    for columns in choices:
        yield BaseFilter(
            columns=tuple(sorted(_spelled(column) for column in columns)),
            kind=condition.kind,
            values=condition.values,
            alternatives=frozenset(
                frozenset(part for each in arm for part in _filters(lineage, block, each))
                for arm in condition.alternatives
            ),
        )


def _edges(footprint: Footprint, lineage: Lineage) -> Iterator[JoinEdge]:
    for block in footprint.blocks:
        merging = (join for condition in block.filters for join in condition.merges)
        for join in (*block.joins, *merging):
            yield from _edges_between(
                lineage.of(block.name, join.left, "carried"),
                lineage.of(block.name, join.right, "carried"),
                _kind(lineage, block, join),
            )
        yield from _compared(footprint, lineage, block)
        yield from _matched(lineage, block)


def _edges_between(
    left: frozenset[BaseColumn], right: frozenset[BaseColumn], kind: JoinKind
) -> Iterator[JoinEdge]:
    for ends in product(map(_spelled, left), map(_spelled, right)):
        first, second = sorted(ends)
        mirrored = ends != (first, second)
        yield JoinEdge(
            left=first, right=second, kind=_MIRRORED.get(kind, kind) if mirrored else kind
        )


def _compared(footprint: Footprint, lineage: Lineage, block: Block) -> Iterator[JoinEdge]:
    """Yield the edges of what the blocks below are compared with: IN, = ANY, = (SELECT …)."""
    for name in block.children:
        child = footprint.block(name)
        kind: JoinKind = child.role if child.role in ("semi", "anti") else "inner"
        for ref, column in zip(child.compared, child.output.columns, strict=False):
            if ref is not None:
                yield from _edges_between(
                    lineage.of(block.name, ref, "carried"),
                    lineage.of_output(name, column.name, "carried"),
                    kind,
                )


def _matched(lineage: Lineage, block: Block) -> Iterator[JoinEdge]:
    """Yield the edges between the operands of INTERSECT and EXCEPT."""
    if block.set_operator not in ("intersect", "except"):
        return
    kind: JoinKind = "semi" if block.set_operator == "intersect" else "anti"
    for column in block.output.columns:
        if len(column.reads) > 1:
            left, right = (lineage.of_output(*ref, "carried") for ref in column.reads)
            yield from _edges_between(left, right, kind)


def _kind(lineage: Lineage, block: Block, join: Join) -> JoinKind:
    """Return what a join of `block` is, once subqueries that became joins count as conditions."""
    for alias, _ in (join.left, join.right):
        home = lineage.home(block.name, alias)
        if home is not None and home is not block:
            return lineage.condition(block.name, home.name) or join.kind
    alias = join.right[0]
    if join.kind != "left" or not alias.startswith(UNNESTED):
        return join.kind
    tests = {test for each in block.filters if (test := _null_test(each, alias)) is not None}
    if tests:
        return "anti" if tests == {"anti"} else "semi"
    tested = any(alias == ref[0] for each in block.filters for ref in each.columns)
    joined = any(
        alias in (each.left[0], each.right[0]) for each in block.joins if each.kind == "inner"
    )
    return "inner" if tested or joined else "left"


def _null_test(condition: Filter, alias: str) -> JoinKind | None:
    """Return 'semi' where a filter asks for a match in `alias`, 'anti' where for none."""
    if condition.kind in ("null", "not_null"):
        if condition.columns[0][0] != alias:
            return None
        return "semi" if condition.kind == "not_null" else "anti"
    for arm in condition.alternatives:
        for part in arm:
            found = _null_test(part, alias)
            if found is not None and condition.kind == "not":
                return "anti" if found == "semi" else "semi"
            if found is not None:
                return found
    return None


def _spelled(column: BaseColumn) -> str:
    table, name = column
    return f"{table}.{name}"
