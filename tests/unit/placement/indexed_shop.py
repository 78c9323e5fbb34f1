"""A large shop with indexes, and the whole queries over it."""

from dataclasses import replace

from placement.costs import DEFAULT_COSTS
from placement.fragment import Fragment
from placement.fragments.enumeration import enumerate_fragments
from placement.stores import Capability, Strength
from tests.catalogs import shop
from tests.data_fixtures import statement
from tests.unit.placement.problems import store
from workloads.catalog import Catalog, Table
from workloads.estimation.cardinality import Estimator
from workloads.indexes import Index
from workloads.sql import footprint

ROWS = 1_000_000
INDEXED = {
    "orders": (Index(columns=("o_customer",)), Index(columns=("o_day", "o_total"))),
    "item": (Index(columns=("i_line",)),),
}


def large() -> Catalog:
    """Return the shop with a million orders and items, and their indexes."""
    tables = dict(shop().tables)
    for name, indexes in INDEXED.items():
        tables[name] = replace(tables[name], rows=ROWS, indexes=indexes)
    return replace(shop(), tables=tables)


def with_table(catalog: Catalog, table: Table) -> Catalog:
    return replace(catalog, tables={**catalog.tables, table.name: table})


def fragments(sql: str, catalog: Catalog) -> tuple[Fragment, ...]:
    found = footprint(statement(sql), catalog, "duckdb")
    return enumerate_fragments(found, Estimator(catalog, found))


def whole(sql: str, catalog: Catalog | None = None) -> Fragment:
    """Return the fragment that runs the whole query."""
    first, *_ = fragments(sql, catalog or large())
    assert first.kind is Capability.QUERY
    return first


def seconds(fragment: Fragment, strength: Strength) -> float:
    """Return the seconds of reading and joining what a fragment reads."""
    where = replace(store("a"), strength=strength)
    cost = DEFAULT_COSTS.fragment(fragment, where, 1)
    return cost.scan_s + cost.join_s
