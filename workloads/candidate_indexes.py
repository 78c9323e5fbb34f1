"""Candidate indexes: those that the conditions and joins of a workload could be answered by.

As in Chaudhuri and Narasayya, "An Efficient, Cost-Driven Index Selection Tool for Microsoft SQL
Server" (VLDB 1997): columns of equalities, ranges and joins, alone and together, and the prefixes
of what others have are left out. Which of them pay is not decided here.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from workloads.catalog import Catalog, Column, Table
from workloads.copied_indexes import copied_indexes
from workloads.footprint import Block, Footprint, Source
from workloads.indexes import Index, NamedIndex, with_types

FEWEST_ROWS = 10_000
"""Rows of a table below which reading it as a whole takes no time worth saving."""
MOST_COLUMNS = 3
MOST_OF_A_TABLE = 24
WIDEST_BYTES = 100.0
"""Mean bytes of values beyond which an index would hold only their beginning, or a hash."""

Columns = tuple[str, ...]


def candidate_indexes(
    catalog: Catalog, footprints: Iterable[Footprint]
) -> Mapping[str, tuple[NamedIndex, ...]]:
    """Return table → its candidates, those of most executions first.

    Names of columns are the catalog's. None begins an index that copies get, or is the beginning of
    their primary key, and a table has at most `MOST_OF_A_TABLE`.
    """
    weights: dict[str, dict[Columns, float]] = defaultdict(lambda: defaultdict(float))
    tables = {name.lower(): table for name, table in catalog.tables.items()}
    for each in footprints:
        asked = {
            (table.name, columns)
            for block in each.blocks
            for source in block.sources
            if (table := tables.get(source.table.lower())) is not None
            for columns in _asked(block, source, table)
        }
        for name, columns in asked:
            weights[name][columns] += each.executions
    found = {
        name: _heaviest(catalog.tables[name], weights[name])
        for name in catalog.tables
        if name in weights
    }
    return {name: indexes for name, indexes in found.items() if indexes}


def with_candidates(catalog: Catalog, candidates: Mapping[str, Sequence[NamedIndex]]) -> Catalog:
    """Return the catalog with the candidates among the indexes, as those that may be chosen."""
    tables = dict(catalog.tables)
    for name, indexes in candidates.items():
        chosen = tuple(Index(columns=each.columns, is_chosen=True) for each in indexes)
        tables[name] = replace(tables[name], indexes=(*tables[name].indexes, *chosen))
    return replace(catalog, tables=tables)


def _asked(block: Block, source: Source, table: Table) -> Iterator[Columns]:
    """Yield the columns by which an index would find rows of a source."""
    if source.needs or table.rows < FEWEST_ROWS:
        return
    columns = {each.name.lower(): each for each in table.columns}
    equal, ranges = list[str](), list[str]()
    for each in block.filters:
        if each.outer or len(each.columns) != 1 or each.columns[0][0] != source.alias:
            continue
        column = columns.get(each.columns[0][1].lower())
        if column is not None and _is_usable(table, column):
            if each.kind in ("eq", "in"):
                equal.append(column.name)
            elif each.kind == "range":
                ranges.append(column.name)
    equal = sorted(set(equal), key=lambda name: (-_distinct(table, name), name))
    ranges = sorted(set(ranges) - set(equal))
    yield from ((name,) for name in (*equal, *ranges))
    if len(equal) > 1:
        yield tuple(equal[:MOST_COLUMNS])
    if equal:
        yield from ((*equal[: MOST_COLUMNS - 1], name) for name in ranges)
    yield from _joined(block, source, table)
    yield from _covering(source, table, (*equal, *ranges))


def _joined(block: Block, source: Source, table: Table) -> Iterator[Columns]:
    """Yield the columns of a source that are joined with those of others."""
    columns = {each.name.lower(): each for each in table.columns}
    for join in block.joins:
        if join.kind != "inner" or join.computed or join.nulls_match:
            continue
        for (alias, name), (other, _) in ((join.left, join.right), (join.right, join.left)):
            column = columns.get(name.lower())
            mine = alias == source.alias and other != alias
            if mine and column is not None and _is_usable(table, column):
                yield (column.name,)
                yield from _covering(source, table, (column.name,))


def _covering(source: Source, table: Table, first: Columns) -> Iterator[Columns]:
    """Yield an index with all columns that a source is asked for, where these are few.

    It begins with one that rows are found by. The primary key is in it anyway where rows lie in
    that order; elsewhere the rows are fetched in any case.
    """
    key = {name.lower() for name in table.primary_key}
    known = {each.name.lower(): each for each in table.columns}
    asked = [known[name] for name in source.columns if name in known and name not in key]
    if len(asked) > MOST_COLUMNS or not all(_is_usable(table, each) for each in asked):
        return
    names = [each.name for each in asked]
    for name in first:
        if len(names) > 1 and name in names:
            yield (name, *(each for each in names if each != name))


def _heaviest(table: Table, weights: Mapping[Columns, float]) -> tuple[NamedIndex, ...]:
    had = [*(each.columns for each in copied_indexes(table)), table.primary_key]
    kept = [columns for columns in weights if not _is_covered(columns, had)]
    kept.sort(key=lambda columns: (-weights[columns], len(columns), columns))
    return tuple(NamedIndex(table.name, columns) for columns in kept[:MOST_OF_A_TABLE])


def _is_covered(columns: Columns, had: Collection[Columns]) -> bool:
    """Tell whether an index begins with these columns, in this order."""
    lower = tuple(name.lower() for name in columns)
    return any(tuple(n.lower() for n in each[: len(lower)]) == lower for each in had)


def _is_usable(table: Table, column: Column) -> bool:
    """Tell whether an index over a column finds values in it, in copies too."""
    if column.read_as or column.width_bytes > WIDEST_BYTES:
        return False
    types = {each.name: each.type for each in table.columns}
    (judged,) = with_types((Index(columns=(column.name,)),), types)
    return not judged.obstacle


def _distinct(table: Table, name: str) -> int:
    known = table.column(name).statistics
    return 0 if known is None else known.distinct
