"""Row look-ups written out give the answer of the query without them."""

import re
from dataclasses import replace

import duckdb
import pytest
from sqlglot import exp, parse_one

from evaluation.federation.compile import Compiler
from evaluation.federation.row_look_ups import with_row_look_ups
from evaluation.federation.spell_names import spell_names
from evaluation.federation.store_dialect import StoreDialect
from evaluation.judging.oracle import Oracle
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

ITEMS_OF_RETURNS = LookUp(
    source="b0.i",
    by="b0.r",
    share=0.001,
    spared_bytes=1.0,
    spared_rows=1.0,
    whole_key=True,
)
"""Items by others of the same order and line, as returns would name them."""


def by_their_keys(*look_ups: LookUp) -> Reduction:
    """Return look-ups of items with the columns of their key."""
    matches = [
        Match(column=(each.source, name), key=(each.by, name))
        for each in dict.fromkeys(look_ups)
        for name in ("i_order", "i_line")
    ]
    return Reduction(look_ups=look_ups, matches=tuple(matches))


@pytest.fixture
def rows_are_looked_up(monkeypatch: pytest.MonkeyPatch):
    """Look up rows wherever a whole key is compared, however small the tables, in every dialect."""
    monkeypatch.setattr("placement.fragments.row_look_ups.FEWEST_ROWS", 0)
    monkeypatch.setattr("placement.fragments.look_ups.MOST_SHARE", 1e9)
    monkeypatch.setattr("placement.fragments.look_ups.DEARER", 0.0)
    monkeypatch.setattr("evaluation.federation.compile.LOOKING_UP", "duckdb")


@pytest.mark.usefixtures("rows_are_looked_up")
def test_every_tpcds_query_with_row_look_ups_gives_its_answer(
    tiny: Catalog,
    queries: Workload,
    tiny_oracle: Oracle,
    tiny_database: duckdb.DuckDBPyConnection,
    tiny_queries: ReadQueries,
):
    wrong, looked_up = {}, 0
    for query in queries.queries:
        found = tiny_queries.footprints[query.name]
        # The first of them is the whole query, whatever their number.
        whole = enumerate_fragments(found, Estimator(tiny, found), limit_per_block=1)[0]
        rows_alone = tuple(each for each in whole.reduction.look_ups if each.whole_key)
        whole = changed(whole, look_ups=rows_alone)
        routed = RoutedFragment(fragment=whole, store="duck", predicted_s=0.0)
        compiled = tiny_queries.compiler.compile(query.name, [routed])
        (fragment,) = compiled.fragments
        # DuckDB loops over no index, and does not need to: the rows are those of a join.
        sql = fragment.sql.replace(" OFFSET 0)", ")")
        looked_up += sql != fragment.sql
        assert bool(rows_alone) == (sql != fragment.sql), query.name
        said = refused_sql(tiny_oracle, query, tiny_database, sql, len(compiled.names))
        if said is not None:
            wrong[query.name] = said
    assert wrong == {}
    assert looked_up > 5


def rewritten(sql: str, *wanted: LookUp) -> exp.Query:
    tree = canonical(statement(sql), shop(), "duckdb")
    tree = spell_names(tree, shop(), "shop")
    return with_row_look_ups(tree, by_their_keys(*(wanted or [ITEMS_OF_RETURNS])), shop())


def written(sql: str) -> str:
    return rewritten(sql).sql("postgres", identify=True)


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
    tree = rewritten(f"SELECT i.i_price, r.i_price FROM {source}")
    (row,) = tree.find_all(exp.Lateral)
    leading = row.parent_select.args["from_"].this.this
    behind = {each.alias: each.this.sql(identify=True) for each in leading.selects}
    compared = {
        frozenset(behind.get(side.name, side.sql(identify=True)) for side in part.unnest_operands())
        for part in row.find_all(exp.EQ)
    }
    keys = ("i_order", "i_line")
    assert compared == {frozenset((f'"i"."{key}"', f'"r"."{key}"')) for key in keys}
    assert row.find(exp.Offset) is not None


LED_TO = (
    "orders o, item i, item r, orders p, item x WHERE r.i_order = i.i_order AND "
    "r.i_line = i.i_line AND o.o_id = r.i_order AND p.o_id = i.i_order AND i.i_price > r.i_price "
    "AND i.i_price > o.o_id AND r.i_price = 7 AND p.o_id = 3 AND x.i_order = p.o_id"
)
"""Orders `o` lead to the rows that are looked up, orders `p` and items `x` come after them."""


def reads(select: exp.Select) -> list[str]:
    joined = [join.this for join in select.args["joins"]]
    return [each.alias_or_name for each in (select.args["from_"].this, *joined)]


def test_what_leads_to_the_rows_is_joined_before_them_and_the_rest_after_both():
    tree = rewritten(f"SELECT o.o_id, i.i_price, p.o_id AS after FROM {LED_TO}")
    looked_up = tree.args["from_"].this.this
    assert reads(tree) == [" looked up 0", "p", "x"]
    assert reads(looked_up) == [" leading 0", "i"]
    assert reads(looked_up.args["from_"].this.this) == ["o", "r"]
    compared = {each.name for each in looked_up.args["where"].find_all(exp.Column)}
    assert compared == {"i_price", "c0", "c1"}
    assert tree.named_selects == ["o_id", "i_price", "after"]
    assert tree.sql("postgres").count("OFFSET 0") == 3


def test_what_is_restricted_from_outside_is_not_set_apart():
    tree = canonical(statement(f"SELECT i.i_price FROM {LED_TO}"), shop(), "duckdb")
    tree = spell_names(tree, shop(), "shop")
    tree = with_row_look_ups(tree, by_their_keys(ITEMS_OF_RETURNS), shop(), restricted=True)
    assert reads(tree) == ["o", "r", "p", "x", "i"]
    assert tree.sql("postgres").count("OFFSET 0") == 1


@pytest.mark.usefixtures("rows_are_looked_up")
def test_what_keys_are_sent_to_or_is_read_in_ranges_is_not_set_apart(
    tiny: Catalog, queries: Workload
):
    dialects = {"duck": StoreDialect(dialect="duckdb", namespace="main")}
    query = queries.query("q50")
    found = footprint(query, tiny, queries.dialect)
    sources = ("b0.store_returns", "b0.store_sales")
    whole, *_ = (
        each
        for each in enumerate_fragments(found, Estimator(tiny, found))
        if each.sources == sources and any(look_up.whole_key for look_up in each.reduction.look_ups)
    )
    compiler = Compiler(queries, tiny, dialects)
    fragments = {
        "whole": whole,
        "keys are sent to it": changed(whole, reducers=("b0.d2",)),
        "read in ranges": changed(whole, rows_out=1e7),
    }
    offsets = {
        how: compiler.fragment_sql(
            "q50", RoutedFragment(fragment=each, store="duck", predicted_s=0.0)
        ).count("OFFSET 0")
        for how, each in fragments.items()
    }
    assert offsets == {"whole": 3, "keys are sent to it": 1, "read in ranges": 1}


def test_a_subquery_with_a_table_of_the_same_alias_keeps_its_own():
    text = written(
        "SELECT COUNT(*) AS n FROM item r, item i WHERE i.i_order = r.i_order "
        "AND i.i_line = r.i_line AND r.i_order = ALL(SELECT r.o_id FROM orders r WHERE r.o_id = 1)"
    )
    assert '(SELECT "r"."o_id"' in text.replace(' AS "o_id"', "")
    assert "SELECT 1 FROM" in text


COMPARED = "i.i_order = r.i_order AND i.i_line = r.i_line"


def test_a_subquery_reads_what_an_outer_block_has_looked_up():
    tree = rewritten(
        "SELECT r.i_price, (SELECT MAX(j.i_price - r.i_price) FROM item s, item j "
        "WHERE j.i_order = s.i_order AND j.i_line = s.i_line) AS most "
        f"FROM item r, item i WHERE {COMPARED}",
        ITEMS_OF_RETURNS,
        replace(ITEMS_OF_RETURNS, source="b1.j", by="b1.s"),
    )
    difference = next(tree.find_all(exp.Sub))
    assert difference.left.table == "j"
    assert difference.right.table == " looked up 0"


@pytest.mark.parametrize(
    "sql",
    [
        pytest.param(
            "SELECT o.o_id FROM orders o WHERE EXISTS (SELECT 1 FROM item r, item i "
            f"WHERE {COMPARED} AND r.i_order <> o.o_id)",
            id="a column of an outer block",
        ),
        pytest.param(f"SELECT COUNT(r) AS n FROM item r, item i WHERE {COMPARED}", id="a row"),
    ],
)
def test_a_block_that_reads_more_than_its_columns_is_not_set_apart(sql: str):
    tree = spell_names(parse_one(sql, into=exp.Select), shop(), "shop")
    text = with_row_look_ups(tree, by_their_keys(ITEMS_OF_RETURNS), shop()).sql(
        "postgres", identify=True
    )
    assert text.count("LATERAL") == text.count("OFFSET 0") == 1


def test_what_is_compared_otherwise_does_not_lead_to_the_rows():
    tree = rewritten(
        f"SELECT i.i_price FROM item r, item i, orders o WHERE {COMPARED} AND r.i_price < o.o_id"
    )
    assert reads(tree) == [" looked up 0", "o"]


def test_two_tables_of_a_block_are_looked_up_side_by_side():
    second = replace(ITEMS_OF_RETURNS, source="b0.j", by="b0.s")
    sql = (
        "SELECT i.i_price, j.i_price FROM item i, item r, item j, item s "
        "WHERE i.i_order = r.i_order AND i.i_line = r.i_line "
        "AND j.i_order = s.i_order AND j.i_line = s.i_line AND i.i_price = j.i_price"
    )
    text = rewritten(sql, ITEMS_OF_RETURNS, second).sql("postgres", identify=True)
    assert text.count("LATERAL") == 2
    assert {'AS " looked up 0"', 'AS " looked up 1"'} <= set(re.findall(r'AS " [^"]*"', text))


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
    with_row_look_ups(tree, by_their_keys(*[ITEMS_OF_RETURNS] * wanted), shop())
    assert tree.sql("postgres").count("LATERAL") == written_out
