"""Columns by which the queries of a workload could use an index, and those that it could cover."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from workloads.catalog import Catalog
from workloads.footprint import Block, Footprint
from workloads.indexes import NamedIndex

Columns = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The columns of a query by table: `found_by` are filtered or joined, `read` are all."""

    found_by: Columns
    read: Columns


def asked(catalog: Catalog, footprints: Iterable[Footprint]) -> Mapping[str, Asked]:
    """Return query → what it asks of which columns, by the catalog's names."""
    tables = {name.lower(): table for name, table in catalog.tables.items()}
    found = {}
    for footprint in footprints:
        read: dict[str, set[str]] = {}
        found_by: dict[str, set[str]] = {}
        for block in footprint.blocks:
            wanted = set(_found_by(block))
            for source in block.sources:
                table = tables[source.table.lower()]
                names = {each.name.lower(): each.name for each in table.columns}
                mine = {name.lower() for alias, name in wanted if alias == source.alias}
                own = {names[name] for name in names if name in mine}
                found_by.setdefault(table.name, set()).update(own)
                reads = {names[name] for name in source.columns if name in names}
                read.setdefault(table.name, set()).update(reads | own)
        found[footprint.query] = Asked(found_by=_sorted(found_by), read=_sorted(read))
    return found


def covered(index: NamedIndex, keys: Mapping[str, Collection[str]]) -> bool:
    """Tell whether the primary key of its table begins with the columns of an index."""
    key = tuple(keys.get(index.table, ()))
    return key[: len(index.columns)] == index.columns


def _found_by(block: Block) -> Iterator[tuple[str, str]]:
    for each in block.filters:
        yield from each.columns
    for join in block.joins:
        yield from (join.left, join.right)


def _sorted(found: Mapping[str, Iterable[str]]) -> Columns:
    return {table: tuple(sorted(columns)) for table, columns in sorted(found.items())}
