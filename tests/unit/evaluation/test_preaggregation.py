"""Fragments that hand out partial aggregates give the answer of the whole query."""

import random
from collections.abc import Sequence
from pathlib import Path

import duckdb
import pytest

from evaluation.federation.compile import Compiler
from evaluation.federation.compiled import CompiledQuery
from evaluation.federation.split import split
from evaluation.federation.store_dialect import StoreDialect
from evaluation.judging.oracle import Oracle
from evaluation.judging.types import TypeRule
from placement.fragment import Fragment
from placement.fragments.enumeration import enumerate_fragments
from placement.fragments.preaggregation import preaggregated_fragments
from placement.fragments.reductions import reduced_fragments
from placement.plan import RoutedFragment
from placement.stores import Capability
from tests.answers import differ, refused_sql
from tests.catalogs import shop
from tests.data_fixtures import ReadQueries, statement
from tests.unit.evaluation.keyed_fragments import fetch
from tests.unit.evaluation.test_split import random_cut
from tests.unit.placement.problems import changed
from workloads.catalog import Catalog
from workloads.estimation.cardinality import Estimator
from workloads.estimation.sample_database import SampleDatabase
from workloads.sql import footprint
from workloads.workload import Workload


@pytest.fixture(autouse=True)
def _few_rows_are_many(monkeypatch: pytest.MonkeyPatch):
    """Group even the tiny tables of the tests."""
    monkeypatch.setattr("placement.fragments.reductions.FEWEST_DROPPED", 0)
    monkeypatch.setattr("placement.fragments.preaggregation.FEWEST_DROPPED", 0)
    monkeypatch.setattr("placement.fragments.preaggregation.MOST_KEPT", 1)


def offered(found, estimator, every):
    """Return a query's pre-aggregated fragments by block, and its scans by source."""
    by_block = {}
    both = (*every, *reduced_fragments(found, estimator, every))
    for each in preaggregated_fragments(found, estimator, both):
        by_block.setdefault(each.coverage.block, []).append(each)
    scans = {each.sources[0]: each for each in every if each.kind is Capability.SCAN}
    return by_block, scans


def preaggregating_cut(found, by_block, scans, seed: int) -> list[RoutedFragment]:
    """Cover a query at random, with a pre-aggregated fragment in each block that can have one."""
    choose = random.Random(seed)
    cut = random_cut(found, seed)
    parts = (Capability.SCAN, Capability.JOIN)
    for block in {each.fragment.coverage.block for each in cut if each.fragment.kind in parts}:
        if block not in by_block:
            continue
        grouped = chosen(choose, by_block[block])
        held = {name for each in grouped for name in each.sources}
        others = {s.name for s in found.block(block).sources} - held
        cut = [c for c in cut if c.fragment.coverage.block != block or c.fragment.kind not in parts]
        cut += [
            RoutedFragment(fragment=each, store="duck", predicted_s=0.0)
            for each in (*grouped, *(scans[name] for name in sorted(others)))
        ]
    return cut


def chosen(choose: random.Random, offers: Sequence[Fragment]) -> list[Fragment]:
    """Choose fragments of a block that share no source: of one that aggregates there is one."""
    found: list[Fragment] = []
    for each in choose.sample(offers, len(offers)):
        if not any(set(each.sources) & set(other.sources) for other in found):
            found.append(each)
    return found


def test_every_preaggregating_cut_of_every_tpcds_query_gives_its_answer(
    queries: Workload,
    tiny_oracle: Oracle,
    tiny_database: duckdb.DuckDBPyConnection,
    tiny_queries: ReadQueries,
):
    database = tiny_database
    wrong, grouped, keyed = {}, set(), 0
    for number, query in enumerate(queries.queries):
        found = tiny_queries.footprints[query.name]
        estimated = tiny_queries.estimated(query.name)
        by_block, scans = offered(found, estimated.estimator, estimated.fragments)
        for seed in range(3):
            cut = preaggregating_cut(found, by_block, scans, number * 3 + seed)
            if not any(each.fragment.reduction.preaggregated for each in cut):
                continue
            grouped.add(query.name)
            compiled = tiny_queries.compiler.compile(query.name, cut)
            fetch(database, compiled.fragments)
            keyed += sum(bool(fragment.keys) for fragment in compiled.fragments)
            _, combining = split(tiny_queries.compiler.tree(query.name), cut)
            sql = combining.sql("duckdb", identify=True)
            said = refused_sql(tiny_oracle, query, database, sql)
            if said is not None:
                wrong[query.name, seed] = said
    assert wrong == {}
    assert len(grouped) > 55
    assert keyed > 40


ROWS = """
CREATE TABLE customer (c_id BIGINT, c_name VARCHAR);
CREATE TABLE orders (o_id BIGINT, o_customer BIGINT, o_day DATE, o_total DECIMAL(9, 2));
CREATE TABLE item (i_order BIGINT, i_line BIGINT, i_price DECIMAL(9, 2));
"""
SOME = """
INSERT INTO customer VALUES
  (1, 'one'), (2, NULL), (2, 'two'), (3, NULL), (4, 'four'), (NULL, 'none');
INSERT INTO orders VALUES
  (1, 1, '2020-01-01', 1.25), (2, 1, '2020-01-01', NULL), (3, 1, NULL, 9999999.99),
  (4, 2, '2020-02-01', -3), (5, 2, NULL, -3), (6, 3, NULL, NULL), (7, 3, NULL, NULL),
  (8, NULL, '2020-01-01', 8), (9, 9, '2020-01-01', 9), (10, 1, '2020-01-01', 9999999.99);
"""


def cut_in_two(sql: str, *aliases: str, apart: bool = False) -> tuple[CompiledQuery, str]:
    """Return a query over `shop` with some sources pre-aggregated, and the rest in DuckDB's SQL.

    They are one fragment, or as many fragments that are `apart`.
    """
    found = footprint(statement(sql), shop(), "duckdb")
    every = enumerate_fragments(found, Estimator(shop(), found))
    scans = {each.sources[0]: each for each in every if each.kind is Capability.SCAN}
    sources = tuple(sorted(f"b0.{alias}" for alias in aliases))
    kind = Capability.SCAN if apart or len(aliases) == 1 else Capability.JOIN
    grouped = [
        changed(scans[each[0]], kind=kind, sources=each, preaggregated=True)
        for each in ([(name,) for name in sources] if apart else [sources])
    ]
    rest = (scans[each.name] for each in found.sources() if each.name not in sources)
    routing = [
        RoutedFragment(fragment=each, store="duck", predicted_s=0.0) for each in (*grouped, *rest)
    ]
    workload = Workload(name="w", dialect="duckdb", queries=(statement(sql),))
    dialects = {"duck": StoreDialect(dialect="duckdb", namespace="main")}
    compiler = Compiler(workload, shop(), dialects)
    _, combining = split(compiler.tree("q"), routing)
    return compiler.compile("q", routing), combining.sql("duckdb", identify=True)


JOINED = "FROM orders JOIN customer ON o_customer = c_id"
NULLABLE = "FROM orders LEFT JOIN customer ON o_customer = c_id AND o_id > 2"
TRAPS = (
    f"SELECT sum(o_total) AS s, count(*) AS n, count(o_total) AS k {JOINED}",
    f"SELECT c_name, sum(o_total) AS s, count(*) AS n {JOINED} GROUP BY c_name",
    f"SELECT c_name, avg(o_total) AS a, min(o_total) AS l {JOINED} GROUP BY c_name",
    f"SELECT o_day, avg(o_total) AS a, max(o_id) AS h {JOINED} GROUP BY o_day",
    f"SELECT o_day {JOINED} GROUP BY o_day HAVING count(o_id) > 1 ORDER BY sum(o_total)",
    f"SELECT c_name, o_day, sum(o_total) AS s {JOINED} GROUP BY ROLLUP (c_name, o_day)",
    f"SELECT c_name, sum(o_total) FILTER (WHERE o_id < 5) AS s {JOINED} GROUP BY c_name",
    f"SELECT c_name, avg(o_total) FILTER (WHERE o_id > 5) AS a {JOINED} GROUP BY c_name",
    f"SELECT sum(o_id) AS i, count(*) FILTER (WHERE o_day IS NULL) AS n {JOINED}",
    f"SELECT c_name, sum(sum(o_total)) OVER (ORDER BY c_name) AS s {JOINED} GROUP BY c_name",
    f"SELECT c_name, rank() OVER (ORDER BY count(o_id)) AS r {JOINED} GROUP BY c_name",
    f"SELECT sum(o_total + 1) * 2 AS s, sum(o_total) / count(*) AS q {JOINED} AND o_id + c_id < 7",
    f"SELECT c_name, sum(o_total) AS s, count(*) AS n {NULLABLE} GROUP BY c_name",
    "SELECT c_id, sum(o_total) AS s, count(*) AS n FROM customer, orders GROUP BY c_id",
    "SELECT sum(o_total) AS s, count(*) AS n FROM orders",
    f"SELECT DISTINCT c_name, o_total {JOINED}",
    f"SELECT DISTINCT c_name, o_day {NULLABLE} ORDER BY o_day, c_name LIMIT 3",
    f"SELECT o_total + c_id AS t {JOINED} GROUP BY o_total + c_id, c_name",
    f"SELECT c_name, o_day {JOINED} GROUP BY ROLLUP (c_name, o_day)",
    f"SELECT c_id {JOINED} GROUP BY c_id HAVING max(o_id) > (SELECT min(c_id) FROM customer)",
)


@pytest.mark.parametrize("sql", TRAPS)
@pytest.mark.parametrize("rows", [SOME, ""], ids=["rows", "empty"])
def test_nulls_and_nothing_are_aggregated_as_they_would_be_whole(sql: str, rows: str):
    check(sql, rows, *cut_in_two(sql, "orders"))


@pytest.mark.parametrize("rows", [SOME, ""], ids=["rows", "empty"])
def test_each_part_of_a_block_may_be_distinct(rows: str):
    sql = f"SELECT DISTINCT c_name, o_total {JOINED}"
    compiled, combining = cut_in_two(sql, "orders", "customer", apart=True)
    assert all(" GROUP BY " in each.sql for each in compiled.fragments)
    check(sql, rows, compiled, combining)


def test_rows_that_each_count_are_not_made_distinct():
    """A plan of another form of the query may say so."""
    sql = f"SELECT c_name, o_total {JOINED}"
    check(sql, SOME, *cut_in_two(sql, "orders"))


def check(sql: str, rows: str, compiled: CompiledQuery, combining: str) -> None:
    """Compare the answer of a query with that of its parts over `rows`."""
    with duckdb.connect() as database:
        database.execute(ROWS + rows)
        for fragment in compiled.fragments:
            database.execute(f"CREATE TEMP TABLE {fragment.view} AS {fragment.sql}")
        # A count is a sum of counts here, which the whole query's own type narrows again.
        assert differ(database, sql, combining, TypeRule.FAMILY) is None
        if rows:
            assert database.execute(sql).fetchone()


def golden() -> list[tuple[str, str, str]]:
    text = Path(__file__).with_name("preaggregation.sql").read_text()
    lines = (line for line in text.splitlines() if not line.startswith("--"))
    statements = [" ".join(each.split()) for each in "\n".join(lines).split(";")]
    return list(zip(statements[::3], statements[1::3], statements[2::3], strict=False))


@pytest.mark.parametrize(("sql", "in_store", "in_engine"), golden())
def test_what_the_store_and_the_engine_are_told(sql: str, in_store: str, in_engine: str):
    compiled, _ = cut_in_two(sql, "orders")
    (grouped,) = (each for each in compiled.fragments if each.fragment.reduction.preaggregated)
    assert grouped.sql == in_store
    assert compiled.combine_sql == in_engine


@pytest.mark.parametrize("name", ["q3", "q22", "q40", "q62", "q99"])
def test_groups_over_whole_samples_are_counted_exactly(
    name: str,
    tiny: Catalog,
    queries: Workload,
    tiny_database: duckdb.DuckDBPyConnection,
    tiny_queries: ReadQueries,
):
    found = tiny_queries.footprints[name]
    with SampleDatabase(tiny) as samples:
        estimator = Estimator(tiny, found, samples=samples)
        every = enumerate_fragments(found, estimator)
        grouped = preaggregated_fragments(found, estimator, every)
    assert grouped
    for each in grouped:
        routed = RoutedFragment(fragment=each, store="duck", predicted_s=0.0)
        sql = tiny_queries.compiler.fragment_sql(name, routed)
        (rows,) = tiny_database.execute(f"SELECT count(*) FROM ({sql})").fetchone()
        assert each.work.rows_out == pytest.approx(max(1, rows)), each.name
