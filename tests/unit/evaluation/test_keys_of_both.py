"""Keys of blocks above beside values of subqueries: both are sent, and the answer stays."""

from collections.abc import Mapping

import duckdb
import pytest

from evaluation.federation.compile import Compiler
from evaluation.federation.compiled import CompiledQuery
from evaluation.federation.keys import MOST_FETCHED_ROWS
from evaluation.federation.split import split
from evaluation.federation.store_dialect import StoreDialect
from placement.fragments.enumeration import enumerate_fragments
from placement.plan import RoutedFragment
from placement.stores import Capability
from tests.answers import differ
from tests.catalogs import shop
from tests.data_fixtures import statement
from tests.unit.evaluation.keyed_fragments import fetch
from tests.unit.evaluation.test_keys_from_above import database
from tests.unit.placement.problems import changed
from workloads.catalog import Catalog
from workloads.estimation.cardinality import Estimator
from workloads.sql import footprint
from workloads.workload import Workload

MONTH = "SELECT DISTINCT d_month_seq FROM date_dim WHERE d_year = 2001 AND d_moy = 12"
SALES = (
    "SELECT s.k, s.n FROM (SELECT ss_sold_date_sk AS k, ss_item_sk AS i, count(*) AS n"
    " FROM store_sales{} GROUP BY 1, 2) s JOIN {}"
)
DAY_ABOVE = SALES.format("", f"date_dim d ON s.k = d.d_date_sk WHERE d.d_month_seq = ({MONTH})")
BOTH = SALES.format(
    f", date_dim e WHERE ss_sold_date_sk = e.d_date_sk AND e.d_month_seq = ({MONTH})",
    "item ON s.i = i_item_sk WHERE i_manager_id < 9",
)


def compiled(
    sql: str, catalog: Catalog, routing: list[RoutedFragment]
) -> tuple[CompiledQuery, str]:
    """Return a routed query, and what combines its fragments in DuckDB's SQL."""
    workload = Workload(name="w", dialect="duckdb", queries=(statement(sql),))
    dialects = {"duck": StoreDialect(dialect="duckdb", namespace="main")}
    compiler = Compiler(workload, catalog, dialects)
    _, combining = split(compiler.tree("q"), routing)
    assert combining is not None
    return compiler.compile("q", routing), combining.sql("duckdb", identify=True)


def scans(
    sql: str, catalog: Catalog, reducers: Mapping[str, tuple[str, ...]], days: float
) -> list[RoutedFragment]:
    """Return scans with their `reducers`, and subqueries that are values as a whole."""
    found = footprint(statement(sql), catalog, "duckdb")
    values = {
        inner for block in found.blocks for alias, inner in block.inputs.items() if alias[0] == "_"
    }
    chosen = []
    for each in enumerate_fragments(found, Estimator(catalog, found)):
        if each.kind is Capability.SCAN and each.coverage.block not in values:
            rows = days if "date_dim" in each.tables else each.work.rows_out
            by = reducers.get(each.sources[0], ())
            chosen.append(changed(each, reducers=by, rows_out=rows))
        elif each.kind is Capability.BLOCK and each.coverage.block in values:
            chosen.append(each)
    return [RoutedFragment(fragment=each, store="duck", predicted_s=0.0) for each in chosen]


@pytest.mark.parametrize("days", [10.0, MOST_FETCHED_ROWS + 1.0], ids=["view", "own_sql"])
@pytest.mark.parametrize(
    ("sql", "reducers"),
    [
        (DAY_ABOVE, {"b1.store_sales": ("b0.d",), "b0.d": ("b0._u_0",)}),
        (
            BOTH,
            {"b1.store_sales": ("b1.e", "b0.item", "b1._u_0"), "b1.e": ("b1._u_0",)},
        ),
    ],
    ids=["value_above", "value_beside"],
)
def test_keys_from_above_and_values_of_subqueries_reduce_one_fragment(
    tiny: Catalog,
    tiny_database: duckdb.DuckDBPyConnection,
    sql: str,
    reducers: Mapping[str, tuple[str, ...]],
    days: float,
):
    query, combining = compiled(sql, tiny, scans(sql, tiny, reducers, days))
    rows = tiny_database
    fetch(rows, query.fragments)
    answer = rows.execute(sql).fetchall()
    assert differ(rows, sql, combining) is None
    (sales,) = (each for each in query.fragments if each.fragment.tables == {"store_sales"})
    ((fetched,),) = rows.execute(f"SELECT count(*) FROM {sales.view}").fetchall()
    assert 0 < fetched == sum(row[1] for row in answer)


def test_keys_that_a_fragment_above_needs_for_its_own_join_alone_are_asked_for_on_their_own():
    sql = (
        "SELECT v FROM (SELECT o_customer AS k, o_total AS v FROM orders) d, item, customer"
        " WHERE d.k = i_line AND i_line = c_id AND c_name LIKE 'a%'"
    )
    found = footprint(statement(sql), shop(), "duckdb")
    every = enumerate_fragments(found, Estimator(shop(), found))
    (joined,) = (e for e in every if set(e.tables) == {"item", "customer"})
    (orders,) = (e for e in every if e.kind is Capability.SCAN and set(e.tables) == {"orders"})
    fragments = (changed(orders, reducers=("b0.customer",)), changed(joined, rows_out=9.0))
    routing = [RoutedFragment(fragment=e, store="duck", predicted_s=0.0) for e in fragments]
    query, combining = compiled(sql, shop(), routing)
    for seed in range(5):
        rows = database(seed)
        fetch(rows, query.fragments)
        said = differ(rows, sql, combining)
        assert said is None, f"seed {seed}: {said}"
