"""By which columns the large results of a plan may be divided among statements."""

from collections.abc import Mapping, Sequence
from contextlib import suppress

from advisor.planned.planned import Planned
from advisor.planned.store_dialects import dialects_of
from advisor.problem.machines import engine_cores
from evaluation.federation.compile import Compiler
from evaluation.federation.dividers import Divider, dividers
from evaluation.federation.store_dialect import StoreDialect
from evaluation.kinds import JDBC
from placement.fetching import is_large
from placement.fragment import Fragment
from placement.plan import RoutedFragment
from placement.stores import Capability, Store
from placement.streaming import Division, SplitColumn, may_be_divided, usual_count
from workloads.catalog import Catalog
from workloads.errors import SqlError

_IN_ORDER = 0.9
"""The correlation of a column with the order of its rows from which a range of it lies together."""


def divisions(given: Planned) -> Mapping[str, Division]:
    """Return the name of each large fragment that may be divided → by which columns.

    A statement of a store's driver is asked for a range of a column. So stores that are scanned
    have none, and a query that can only be read as whole tables has none.
    """
    catalog = given.analysis.catalog
    dialects = dialects_of(given)
    compiler = Compiler(given.analysis.workload, catalog, dialects)
    cores = engine_cores(given.project.evaluate)
    found: dict[str, Division] = {}
    for query, routing in given.plan.routing.items():
        stores = {each.fragment.name: given.problem.store(each.store) for each in routing}
        asked = {
            each.fragment.name: each.fragment
            for each in routing
            if stores[each.fragment.name].kind in JDBC
            and is_large(each.fragment)
            and may_be_divided(each.fragment)
        }
        columns = _dividers(compiler, dialects, catalog, query, routing) if asked else {}
        for name, fragment in asked.items():
            if by := columns.get(name):
                found[name] = Division(
                    columns=tuple(_column(fragment, each, stores[name]) for each in by),
                    usual_count=usual_count(by[0].rows(fragment), cores),
                )
    return found


def _dividers(
    compiler: Compiler,
    dialects: Mapping[str, StoreDialect],
    catalog: Catalog,
    query: str,
    routing: Sequence[RoutedFragment],
) -> Mapping[str, list[Divider]]:
    with suppress(SqlError):
        pieces = compiler.pieces(query, routing)
        return {
            each.routed.fragment.name: dividers(
                each, catalog, dialects[each.routed.store].primary_keys
            )
            for each in pieces
        }
    return {}


def _column(fragment: Fragment, divider: Divider, store: Store) -> SplitColumn:
    values = min(divider.distinct, divider.high - divider.low + 1)
    return SplitColumn(
        name=divider.name,
        values=max(1, values),
        computed_again=not _finds_ranges(fragment, divider, store),
    )


def _finds_ranges(fragment: Fragment, divider: Divider, store: Store) -> bool:
    """Whether the store finds a range's rows by an index, and reads no more than these.

    That is where they lie together: in the order of the primary key, or in their own. What is
    joined is taken to be read whole: its other tables are.
    """
    if fragment.kind is not Capability.SCAN or store.strength.index_rows_per_s is None:
        return False
    table, name = divider.table, divider.column.name.lower()
    if store.strength.clustered:
        return divider.by_key
    known = divider.column.statistics
    lie_together = abs((known and known.correlation) or 0.0) >= _IN_ORDER
    indexes = (table.primary_key, *(each.columns for each in table.indexes if not each.obstacle))
    return lie_together and any(_first(each) == name for each in indexes)


def _first(columns: tuple[str, ...]) -> str | None:
    return columns[0].lower() if columns else None
