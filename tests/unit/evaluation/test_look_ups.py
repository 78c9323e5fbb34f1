"""Look-ups written out give the answer of the query without them."""

import duckdb
import pytest

from evaluation.federation.compile import Compiler
from evaluation.federation.look_ups import with_look_ups
from evaluation.judging.oracle import Oracle
from evaluation.kinds import KINDS
from placement.fragment import LookUp, Match, Reduction
from placement.fragments.enumeration import enumerate_fragments
from placement.plan import RoutedFragment
from tests.answers import refused_sql
from tests.catalogs import shop
from tests.data_fixtures import ReadQueries, statement
from tests.unit.placement.problems import changed
from workloads.catalog import Catalog
from workloads.estimation.cardinality import Estimator
from workloads.sql import footprint
from workloads.sql.canonical.rules import canonical
from workloads.workload import Workload

ITEMS_OF_ORDERS = LookUp(
    source="b0.item", by="b0.orders", share=0.01, spared_bytes=0.0, spared_rows=0.0
)
ARRAY = (
    "item.i_order = ANY(ARRAY(SELECT orders.o_id FROM orders AS orders "
    "WHERE orders.o_day = CAST('2020-01-01' AS DATE)))"
)


@pytest.fixture
def everything_is_looked_up(monkeypatch: pytest.MonkeyPatch):
    """Look up in every table that is compared by its key, however small, in every dialect."""
    monkeypatch.setattr("placement.fragments.look_ups.FEWEST_ROWS", 0)
    monkeypatch.setattr("placement.fragments.look_ups.MOST_SHARE", 1.0)
    monkeypatch.setattr("placement.fragments.look_ups.MOST_KEPT", 1.0)
    monkeypatch.setattr("evaluation.federation.compile.LOOKING_UP", "duckdb")


@pytest.mark.usefixtures("everything_is_looked_up")
def test_every_tpcds_query_with_look_ups_gives_its_answer(
    tiny: Catalog,
    queries: Workload,
    tiny_oracle: Oracle,
    tiny_database: duckdb.DuckDBPyConnection,
    tiny_queries: ReadQueries,
):
    wrong, with_arrays = {}, 0
    for query in queries.queries:
        found = tiny_queries.footprints[query.name]
        # The first of them is the whole query, whatever their number.
        whole = enumerate_fragments(found, Estimator(tiny, found), limit_per_block=1)[0]
        routed = RoutedFragment(fragment=whole, store="duck", predicted_s=0.0)
        compiled = tiny_queries.compiler.compile(query.name, [routed])
        (fragment,) = compiled.fragments
        with_arrays += "= ANY(ARRAY(SELECT" in fragment.sql
        said = refused_sql(tiny_oracle, query, tiny_database, fragment.sql, len(compiled.names))
        if said is not None:
            wrong[query.name] = said
    assert wrong == {}
    assert with_arrays > 20


def written(sql: str) -> str:
    tree = canonical(statement(sql), shop(), "duckdb")
    match = Match(column=("b0.item", "i_order"), key=("b0.orders", "o_id"))
    decided = Reduction(look_ups=(ITEMS_OF_ORDERS,), matches=(match,))
    return with_look_ups(tree, decided).sql("postgres")


@pytest.mark.parametrize(
    "source",
    [
        "item JOIN orders ON i_order = o_id WHERE o_day = DATE '2020-01-01'",
        "item, orders WHERE o_day = DATE '2020-01-01' AND o_id = i_order",
        (
            "item JOIN orders ON i_order = o_id AND o_day = DATE '2020-01-01' "
            "LEFT JOIN customer ON c_id = o_customer"
        ),
    ],
)
def test_the_key_is_compared_with_the_filtered_tables(source: str):
    assert ARRAY in written(f"SELECT i_price FROM {source}")


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(
            "item LEFT JOIN orders ON i_order = o_id AND o_day = DATE '2020-01-01'",
            id="rows without an order are kept",
        ),
        pytest.param(
            "orders LEFT JOIN item ON i_order = o_id WHERE o_day = DATE '2020-01-01'",
            id="orders without an item are kept",
        ),
        pytest.param(
            "item FULL JOIN orders ON i_order = o_id WHERE o_day = DATE '2020-01-01'",
            id="rows without either are kept",
        ),
        pytest.param("item JOIN orders ON i_order = o_id", id="nothing is filtered"),
        pytest.param(
            "item JOIN orders ON i_line = o_id WHERE o_day = DATE '2020-01-01'",
            id="not the first column of the key",
        ),
        pytest.param(
            "item JOIN orders ON i_order = o_id JOIN customer ON c_id = o_customer "
            "WHERE o_day > c_name",
            id="the filter reads another table",
        ),
    ],
)
def test_no_filter_where_it_would_drop_rows_or_help_nothing(source: str):
    assert "ANY" not in written(f"SELECT i_price FROM {source}")


def test_only_postgresql_is_told(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("placement.fragments.look_ups.FEWEST_ROWS", 0)
    query = statement(
        "SELECT sum(i_price) AS s FROM item JOIN orders ON i_order = o_id WHERE o_total = 3"
    )
    found = footprint(query, shop(), "duckdb")
    whole = changed(
        enumerate_fragments(found, Estimator(shop(), found))[0], look_ups=(ITEMS_OF_ORDERS,)
    )
    compiler = Compiler(
        Workload(name="w", dialect="duckdb", queries=(query,)),
        shop(),
        {
            "pg": KINDS["postgresql"].dialect("n"),
            "maria": KINDS["mysql"].dialect("n"),
        },
    )
    texts = {
        store: compiler.fragment_sql(
            query.name, RoutedFragment(fragment=whole, store=store, predicted_s=0.0)
        )
        for store in ("pg", "maria")
    }
    assert 'ANY(ARRAY(SELECT "orders"."o_id" FROM "n"."orders"' in texts["pg"]
    assert "ANY" not in texts["maria"]
