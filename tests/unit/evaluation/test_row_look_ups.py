"""Row look-ups written out give the answer of the query without them."""

from dataclasses import replace

import pytest

from evaluation.federation.compile import Compiler, StoreDialect
from evaluation.federation.row_look_ups import with_row_look_ups
from evaluation.federation.spell_names import spell_names
from evaluation.oracle import Oracle, difference
from placement.fragments import enumerate_fragments
from placement.look_ups import LookUp
from placement.plan import RoutedFragment
from tests.catalogs import shop
from tests.data_fixtures import statement
from workloads.catalog import Catalog
from workloads.estimation.cardinality import Estimator
from workloads.sql import footprint
from workloads.sql.canonical import canonical
from workloads.workload import Workload

ITEMS_OF_RETURNS = LookUp(
    source="b0.i",
    by="b0.r",
    share=0.001,
    spared_bytes=1.0,
    spared_rows=1.0,
    whole_key=True,
)
"""Items by others of the same order and line, as returns would name them."""
SUBQUERY = (
    'CROSS JOIN LATERAL (SELECT "i"."i_order", "i"."i_line", "i"."i_price" FROM "shop"."item" '
    'AS "i" WHERE "i"."i_order" = "r"."i_order" AND "i"."i_line" = "r"."i_line" OFFSET 0) AS "i"'
)


@pytest.fixture
def rows_are_looked_up(monkeypatch: pytest.MonkeyPatch):
    """Look up rows wherever a whole key is compared, however small the tables, in every dialect."""
    monkeypatch.setattr("placement.row_look_ups.FEWEST_ROWS", 0)
    monkeypatch.setattr("placement.look_ups.MOST_SHARE", 1e9)
    monkeypatch.setattr("placement.look_ups.DEARER", 0.0)
    monkeypatch.setattr("evaluation.federation.compile.LOOKING_UP", "duckdb")


@pytest.mark.usefixtures("rows_are_looked_up")
def test_every_tpcds_query_with_row_look_ups_gives_its_answer(
    tiny: Catalog, queries: Workload, tiny_oracle: Oracle
):
    compiler = Compiler(queries, tiny, {"duck": StoreDialect(dialect="duckdb", namespace="main")})
    wrong, looked_up = {}, 0
    for query in queries.queries:
        found = footprint(query, tiny, queries.dialect)
        whole = enumerate_fragments(found, Estimator(tiny, found))[0]
        rows_alone = tuple(each for each in whole.look_ups if each.whole_key)
        whole = replace(whole, look_ups=rows_alone)
        routed = RoutedFragment(fragment=whole, store="duck", predicted_s=0.0)
        (fragment,) = compiler.compile(query.name, [routed]).fragments
        # DuckDB loops over no index, and does not need to: the rows are those of a join.
        sql = fragment.sql.replace(" OFFSET 0)", ")")
        looked_up += sql != fragment.sql
        assert bool(rows_alone) == (sql != fragment.sql), query.name
        rows = tiny_oracle._connection.execute(sql).fetchall()
        said = difference(tiny_oracle.answer(query), rows)
        if said is not None:
            wrong[query.name] = said
    assert wrong == {}
    assert looked_up > 5


def written(sql: str) -> str:
    tree = canonical(statement(sql), shop(), "duckdb")
    tree = spell_names(tree, shop(), "shop")
    return with_row_look_ups(tree, [ITEMS_OF_RETURNS], shop()).sql("postgres", identify=True)


@pytest.mark.parametrize(
    "source",
    [
        "item r JOIN item i ON i.i_order = r.i_order AND i.i_line = r.i_line",
        "item i, item r WHERE r.i_line = i.i_line AND r.i_order = i.i_order",
        (
            "orders o, item i, item r "
            "WHERE (r.i_line = i.i_line AND o_id = r.i_order) AND r.i_order = i.i_order"
        ),
    ],
)
def test_the_table_is_read_for_each_row_that_leads_to_it(source: str):
    text = written(f"SELECT i.i_price, r.i_price FROM {source}")
    flipped = text.replace('"r"."i_line" = "i"."i_line"', '"i"."i_line" = "r"."i_line"').replace(
        '"r"."i_order" = "i"."i_order"', '"i"."i_order" = "r"."i_order"'
    )
    assert SUBQUERY in flipped
    assert flipped.index('AS "r"') < flipped.index("LATERAL")


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("item i, item r WHERE r.i_line = i.i_line", id="a part of the key"),
        pytest.param(
            "item r LEFT JOIN item i ON i.i_order = r.i_order AND i.i_line = r.i_line",
            id="an outer join",
        ),
        pytest.param(
            "item i, item r LEFT JOIN orders ON o_id = r.i_order "
            "WHERE r.i_line = i.i_line AND r.i_order = i.i_order",
            id="an outer join beside it",
        ),
        pytest.param("item x, item r WHERE x.i_line = r.i_line", id="not there"),
    ],
)
def test_what_is_not_found_by_its_whole_key_stays(source: str):
    assert "LATERAL" not in written(f"SELECT r.i_price FROM {source}")


BLOCK = (
    "(SELECT r.i_price FROM item r, item i WHERE {} i.i_order = r.i_order AND i.i_line = r.i_line)"
)


@pytest.mark.parametrize(("wanted", "written_out"), [(1, 0), (2, 2)], ids=["one", "both"])
def test_blocks_with_the_same_aliases_are_looked_up_if_all_of_them_are(
    wanted: int, written_out: int
):
    sql = f"{BLOCK.format('r.i_price = 7 AND')} UNION ALL {BLOCK.format('')}"
    tree = spell_names(canonical(statement(sql), shop(), "duckdb"), shop(), "shop")
    with_row_look_ups(tree, [ITEMS_OF_RETURNS] * wanted, shop())
    assert tree.sql("postgres").count("LATERAL") == written_out
