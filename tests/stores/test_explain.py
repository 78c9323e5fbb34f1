"""PostgreSQL's optimizer as an estimator, on loaded tables and on injected statistics."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from evaluation.live import LIVE, explain
from evaluation.live.injected import injected
from evaluation.store_protocol.connection import Connection
from placement.fragment import Fragment
from placement.fragments.enumeration import enumerate_fragments
from tests.data_fixtures import statement
from tests.stores.live_servers import database, postgres
from workloads.catalog import Catalog, Column, ColumnStatistics, Table
from workloads.errors import StoreError
from workloads.estimation.cardinality import Estimator
from workloads.progress import Silent
from workloads.sql import footprint
from workloads.workload import Workload

pytestmark = pytest.mark.stores

QUERIES = {
    "filtered": "SELECT o.id FROM orders o WHERE o.state = 'open' AND o.day < DATE '2020-02-20'",
    "joined": "SELECT c.name, o.total FROM orders o, customer c WHERE o.customer = c.id"
    " AND c.id <= 10",
    "grouped": "SELECT DISTINCT customer, count(*) AS n FROM orders WHERE id <= 1000"
    " GROUP BY customer HAVING count(*) > 0 ORDER BY n DESC LIMIT 7",
    "correlated": "SELECT id FROM orders o WHERE total > (SELECT avg(total) FROM orders i"
    " WHERE i.customer = o.customer AND i.state = o.state AND i.id + 1 > o.id)",
    "derived": "SELECT x.customer, c.name FROM (SELECT customer, sum(total) AS s FROM orders"
    " GROUP BY customer) x JOIN customer c ON c.id = x.customer WHERE x.s > 0",
}  # fmt: skip
TABLES = (
    "CREATE TABLE customer (id bigint PRIMARY KEY, name text)",
    "INSERT INTO customer SELECT g, 'name ' || g FROM generate_series(1, 100) g",
    """CREATE TABLE orders (id bigint PRIMARY KEY, customer bigint, day date,
    total numeric(9, 2), state text, paid boolean, at timestamp)""",
    """INSERT INTO orders SELECT g, 1 + g % 100, DATE '2020-01-01' + (g % 500)::int, g / 100.0,
    CASE WHEN g % 10 < 7 THEN 'done' WHEN g % 10 < 9 THEN 'open' END, g % 5 = 0,
    TIMESTAMP '2020-01-01' + g * INTERVAL '1 minute' FROM generate_series(1, 20000) g""",
    "ANALYZE",
)


@pytest.fixture
def pg(embedded: Mapping[str, Connection]) -> Iterator[Connection]:
    """A database with orders and their customers, both analysed."""
    with database(embedded["pg"], "explained") as connection:
        postgres(connection, *TABLES)
        yield replace(connection, namespace="public")


@pytest.fixture
def catalog(pg: Connection) -> Catalog:
    return LIVE["postgresql"].catalog(pg, Silent(), schema="public")


def workload(dialect: str = "duckdb", **more: str) -> Workload:
    texts = {**QUERIES, **more}
    queries = tuple(statement(sql, name) for name, sql in texts.items())
    return Workload(name="w", dialect=dialect, queries=queries)


def fragments(optimizer: explain.Optimizer, asked: Workload) -> dict[str, Fragment]:
    return {
        fragment.name: fragment
        for query in asked.queries
        for made in [footprint(query, optimizer.catalog, asked.dialect)]
        for fragment in enumerate_fragments(made, optimizer.estimator(made))
    }


def test_rows_of_fragments_are_those_of_the_optimizer(pg: Connection, catalog: Catalog) -> None:
    with explain.loaded_tables(pg, workload(), catalog) as optimizer:
        found = fragments(optimizer, workload())
    assert optimizer.refused == {}
    # 50 of 500 days, a fifth of them open.
    assert found["filtered/b0.o"].rows_out == pytest.approx(2000 / 10 * 2, rel=0.1)
    assert found["joined/b0.c"].rows_out == pytest.approx(10, abs=1)
    assert found["joined/b0.c+b0.o"].rows_out == pytest.approx(2000, rel=0.15)
    assert found["grouped/b0"].rows_out == 7
    assert found["grouped/b0.orders"].rows_out == pytest.approx(1000, rel=0.05)
    # What is grouped is what the scan returns, and what is sorted are the groups.
    assert found["grouped/b0"].aggregate_rows == pytest.approx(1000 + 33, abs=80)


def test_what_is_no_fragment_is_estimated_from_statistics(pg: Connection, catalog: Catalog) -> None:
    asked = workload()
    query = asked.query("correlated")
    made = footprint(query, catalog, "duckdb")
    with explain.loaded_tables(pg, asked, catalog) as optimizer:
        ours, theirs = Estimator(catalog, made), optimizer.estimator(made)
        open_blocks = [block.name for block in made.blocks[1:] if not block.closed]
        assert open_blocks
        for name in open_blocks:
            assert theirs.rows_of_block(name) == ours.rows_of_block(name)
            assert theirs.rows_before_limit(name) == ours.rows_before_limit(name)
            assert theirs.joined_rows(name) == ours.joined_rows(name)


def test_what_postgresql_refuses_is_estimated_from_statistics(
    pg: Connection, catalog: Catalog
) -> None:
    asked = workload(odd="SELECT levenshtein(name, 'x') AS d FROM customer")
    with explain.loaded_tables(pg, asked, catalog) as optimizer:
        found = fragments(optimizer, asked)
    assert list(optimizer.refused) == ["odd/b0"]
    assert "levenshtein" in optimizer.refused["odd/b0"]
    assert found["odd/b0"].rows_out == 100


@pytest.mark.parametrize("dialect", ["duckdb", "postgres", "spark"])
def test_statements_with_parameters_are_planned_for_any_values(
    pg: Connection, catalog: Catalog, dialect: str
) -> None:
    mark = "`" if dialect == "spark" else '"'
    asked = workload(
        dialect,
        asked=f"SELECT id, 'a %s' AS {mark}what%s{mark} FROM orders WHERE customer = ?"
        " AND state <> 'a %s' LIMIT ?",
    )
    with explain.loaded_tables(pg, asked, catalog) as optimizer:
        found = fragments(optimizer, asked)
    assert optimizer.refused == {}
    # One of 100 customers; the filter on the state keeps nine of ten.
    assert found["asked/b0.orders"].rows_out == pytest.approx(180, rel=0.1)


def test_injected_statistics_give_the_plans_of_the_loaded_tables(
    pg: Connection, catalog: Catalog
) -> None:
    asked = workload(
        paid="SELECT id FROM orders WHERE paid AND at < TIMESTAMP '2020-01-03'",
        nulls="SELECT id FROM orders WHERE state IS NULL",
    )
    with explain.loaded_tables(pg, asked, catalog) as optimizer:
        loaded = fragments(optimizer, asked)
    with explain.injected_statistics(pg, asked, catalog, Silent()) as optimizer:
        without_rows = fragments(optimizer, asked)
    assert optimizer.refused == {}
    assert loaded.keys() == without_rows.keys()
    for name, fragment in loaded.items():
        assert without_rows[name].rows_out == pytest.approx(fragment.rows_out, rel=0.1, abs=2), name


def test_injected_statistics_take_every_type_and_value(pg: Connection) -> None:
    texts = ('a "quoted" \\ text', "{braces, commas}", "NULL", "", "grün 漢字")
    columns = (
        Column(
            name="odd text",
            type="VARCHAR",
            width_bytes=9.5,
            statistics=ColumnStatistics(
                distinct=900, null_share=0.1, common=tuple((text, 0.1) for text in texts),
                histogram=("a", "b\"", "c\\", "d"),
            ),
        ),
        *(
            Column(
                name=type_,
                type=type_,
                width_bytes=8,
                statistics=ColumnStatistics(
                    distinct=50, null_share=0.0, minimum=0.0, maximum=200.0,
                    common=((3.0, 0.5), (4.0, 0.25)),
                ),
            )
            for type_ in ("TINYINT", "UBIGINT", "HUGEINT", "DECIMAL(9,2)", "FLOAT", "DATE",
                          "TIMESTAMP", "TIMESTAMP WITH TIME ZONE")
        ),
        *(
            Column(name=type_, type=type_, width_bytes=8, statistics=ColumnStatistics(
                distinct=9, null_share=0.5))
            for type_ in ("UUID", "BLOB", "TIME", "INTERVAL", "BOOLEAN", "no such type")
        ),
        Column(name="unknown", type="BIGINT", width_bytes=8),
    )  # fmt: skip
    table = Table(
        name='the "odd" table', rows=1_000, columns=columns, fingerprint="1",
        primary_key=("UBIGINT", "odd text"),
    )  # fmt: skip
    empty = replace(table, name="empty", rows=0)
    made = Catalog(name="odd", tables={each.name: each for each in (table, empty)})
    namespace = "odd \"namespace' x"
    with (
        injected(replace(pg, namespace=namespace), made, Silent()),
        psycopg.connect(
            host=pg.host, port=pg.port, dbname=pg.database, user=pg.user, password=pg.password
        ) as session,
    ):
        known = dict(
            session.execute(
                "SELECT attname, most_common_vals::text::text[] FROM pg_stats"
                " WHERE schemaname = %s AND tablename = %s",
                (namespace, table.name),
            ).fetchall()
        )
        assert known.keys() == {column.name for column in columns} - {"unknown"}
        assert tuple(known["odd text"]) == texts
        assert known["DATE"] == ["1970-01-04", "1970-01-05"]
        assert known["TIMESTAMP"] == ["1970-01-04 00:00:00", "1970-01-05 00:00:00"]
        assert known["DECIMAL(9,2)"] == ["3.00", "4.00"]


def test_the_schema_of_injected_statistics_is_dropped(pg: Connection, catalog: Catalog) -> None:
    asked = workload()
    with (
        pytest.raises(KeyError, match="no such query"),
        explain.injected_statistics(pg, asked, catalog, Silent()),
    ):
        asked.query("no such query")
    with explain.injected_statistics(pg, asked, catalog, Silent()):
        pass
    postgres(pg, f"CREATE SCHEMA {explain.NAMESPACE}")
    with (
        pytest.raises(StoreError, match=r"schema 'placement_advisor_estimates'.*already exists"),
        explain.injected_statistics(pg, asked, catalog, Silent()),
    ):
        pass


def test_a_server_of_our_own_estimates_without_any_store(tiny: Catalog, tmp_path: Path) -> None:
    query = statement(
        "SELECT i_brand, count(*) AS n FROM store_sales, item, date_dim"
        " WHERE ss_item_sk = i_item_sk AND ss_sold_date_sk = d_date_sk AND d_year = 2000"
        " GROUP BY i_brand"
    )
    asked = Workload(name="w", dialect="duckdb", queries=(query,))
    with explain.embedded_optimizer(tmp_path, asked, tiny, Silent()) as optimizer:
        found = fragments(optimizer, asked)
    sales = tiny.table("store_sales").rows
    assert found["q/b0.item+b0.store_sales"].rows_out == pytest.approx(sales, rel=0.1)
    assert found["q/b0.date_dim"].rows_out == pytest.approx(366, rel=0.2)
    # A tenth of the days in which there are sales, or fewer: they lie in five years of 200.
    assert 0 < found["q/b0.date_dim+b0.store_sales"].rows_out < sales
