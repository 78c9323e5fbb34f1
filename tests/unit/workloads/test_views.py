import time
from pathlib import Path

import duckdb
import pytest

from evaluation.judging.oracle import Oracle
from evaluation.running.job import Job, read_job, write_job
from evaluation.store_protocol.connection import Connection
from tests.answers import differ
from tests.catalogs import shop
from tests.data_fixtures import statement
from workloads.catalog import Catalog, View
from workloads.errors import SqlError, UnknownTableError
from workloads.sql import footprint
from workloads.sql.canonical.rules import canonical
from workloads.workload import Workload


def with_views(catalog: Catalog, *views: View) -> Catalog:
    return Catalog(
        name=catalog.name, tables=catalog.tables, views={view.name: view for view in views}
    )


def view(name: str, sql: str, *columns: str, dialect: str = "duckdb") -> View:
    return View(name=name, sql=sql, dialect=dialect, columns=columns)


BUYERS = view(
    "buyers", "SELECT c_id, c_name, o_total FROM customer JOIN orders ON c_id = o_customer"
)
GOOD = view("good", "SELECT c_name, sum(o_total) FROM buyers GROUP BY c_name", "who", "spent")

CASES = [
    ("SELECT c_name FROM buyers WHERE o_total > 5", [BUYERS]),
    ("SELECT who, spent FROM good WHERE spent > 10", [BUYERS, GOOD]),
    ("SELECT g.a, g.spent FROM good AS g(a) ORDER BY 2, 1 LIMIT 3", [GOOD, BUYERS]),
    ("SELECT good.who FROM good JOIN buyers b ON b.c_name = good.who", [GOOD, BUYERS]),
    ("SELECT * FROM good a, good b WHERE a.who = b.who", [GOOD, BUYERS]),
    ("WITH good AS (SELECT c_id AS who FROM customer) SELECT who FROM good", [BUYERS, GOOD]),
    (
        # The CTE has the name of a table that the view reads.
        (
            "WITH orders AS (SELECT 1 AS k) SELECT o.k, orders.k, b.c_name FROM orders, orders o, "
            "buyers b"
        ),
        [BUYERS],
    ),
    (
        (
            "WITH customer AS (SELECT who FROM good) SELECT c.who, customer.who FROM customer "
            "JOIN customer c ON c.who = customer.who, good WHERE good.who = c.who"
        ),
        [BUYERS, GOOD],
    ),
    ("SELECT c_id FROM customer WHERE c_name IN (SELECT who FROM good)", [BUYERS, GOOD]),
    ("SELECT (SELECT max(spent) FROM good WHERE who = c_name) FROM customer", [BUYERS, GOOD]),
    ("SELECT who FROM good UNION SELECT c_name FROM buyers", [BUYERS, GOOD]),
    (
        "SELECT n FROM few",
        [
            view(
                "few",
                "WITH orders AS (SELECT c_name AS n FROM customer) SELECT n FROM orders "
                "ORDER BY n LIMIT 2",
            )
        ],
    ),
    (
        "SELECT `x` FROM GOOD",
        [view("good", "SELECT `c_name` `x` FROM `customer`", dialect="mysql")],
    ),
    ("SELECT x FROM top", [view("top", "SELECT TOP 2 [c_id] AS x FROM customer", dialect="tsql")]),
    ("SELECT c_id FROM customer WHERE c_id = 1 UNION ALL SELECT 1 FROM dual", []),
]


@pytest.mark.parametrize(("sql", "views"), CASES)
def test_a_query_on_views_means_what_duckdb_says(sql: str, views: list[View]):
    catalog = with_views(shop(), *views)
    connection = duckdb.connect()
    connection.execute(
        "CREATE TABLE customer AS SELECT i AS c_id, 'n' || (i % 4) AS c_name FROM range(8) t(i);"
        "CREATE TABLE orders AS SELECT i AS o_id, i % 6 AS o_customer, DATE '2000-01-01' AS o_day,"
        "  CAST(i AS DECIMAL(9,2)) AS o_total FROM range(20) t(i);"
        "CREATE VIEW dual AS SELECT 'X' AS dummy"
    )
    for each in sorted(views, key=lambda each: each.name != "buyers"):
        columns = f"({', '.join(each.columns)})" if each.columns else ""
        text = canonical(statement(each.sql), catalog, each.dialect).sql("duckdb")
        connection.execute(f"CREATE VIEW {each.name} {columns} AS {text}")
    dialect = "mysql" if "`" in sql else "duckdb"
    rewritten = canonical(statement(sql), catalog, dialect)
    names = {each.name.lower() for each in views}
    assert not any(source.table.lower() in names for source in _sources(sql, catalog, dialect))
    plain = sql.replace("`", '"')
    assert connection.execute(plain).fetchone()
    assert differ(connection, plain, rewritten.sql("duckdb")) is None


def _sources(sql: str, catalog: Catalog, dialect: str):
    return footprint(statement(sql), catalog, dialect).sources()


@pytest.mark.parametrize(
    ("views", "reason"),
    [
        ([view("v", "SELECT * FROM v")], r"view 'v' reads itself \(v → v\)"),
        (
            [view("v", "SELECT * FROM w"), view("w", "SELECT * FROM v")],
            r"view 'v' reads itself \(v → w → v\)",
        ),
        ([view("v", "SELECT nope FROM customer")], "view 'v': unknown column 'nope'"),
        ([view("v", "SELECT c_id FROM custmer")], "view 'v': unknown table 'custmer'"),
        ([view("v", "SELECT FROM WHERE")], "view 'v' cannot be read"),
        ([view("v", "DROP TABLE customer")], "view 'v' cannot be read: DROP is not a query"),
    ],
)
def test_a_view_that_cannot_be_read_is_refused_where_the_query_names_it(
    views: list[View], reason: str
):
    with pytest.raises(SqlError, match=rf"^q\.sql:2:16: {reason}"):
        footprint(statement("SELECT c_id\nFROM customer, v"), with_views(shop(), *views), "duckdb")


def test_a_view_that_nothing_reads_is_not_looked_at():
    catalog = with_views(shop(), view("v", "SELECT FROM WHERE"))
    assert footprint(statement("SELECT c_id FROM customer"), catalog, "duckdb").tables


def test_a_table_goes_before_a_view_of_its_name():
    catalog = with_views(shop(), view("customer", "SELECT 1 AS nope"))
    assert footprint(statement("SELECT c_id FROM customer"), catalog, "duckdb").tables


def test_an_unknown_table_may_be_a_misspelt_view():
    with pytest.raises(UnknownTableError, match="did you mean 'buyers'"):
        footprint(statement("SELECT * FROM buyer"), with_views(shop(), BUYERS), "duckdb")


TOP = view(
    "top_items", "SELECT `i_item_sk`, `i_brand` `brand` FROM `item` LIMIT 5", dialect="mysql"
)
BRANDS = view("brands", "SELECT brand, count(*) FROM top_items GROUP BY brand", "name", "n")


def test_the_oracle_answers_queries_on_views(tiny: Catalog):
    # The one that reads the other comes first.
    oracle = Oracle(with_views(tiny, BRANDS, TOP))
    assert sum(row[1] for row in oracle.answer(statement("SELECT name, n FROM brands")).rows) == 5
    oracle.close()


def test_the_oracle_says_why_it_has_no_view(tiny: Catalog):
    oracle = Oracle(with_views(tiny, view("odd", "SELECT nope FROM item")))
    assert oracle.answer(statement("SELECT count(*) FROM item")).rows
    with pytest.raises(SqlError, match=r"view 'odd': .*nope"):
        oracle.answer(statement("SELECT * FROM odd", name="other"))
    oracle.close()


def test_views_survive_the_jobs_file(tmp_path: Path):
    catalog = with_views(shop(), GOOD, BUYERS)
    queries = (statement("SELECT who FROM good"),)
    job = Job(
        workload=Workload(name="w", dialect="duckdb", queries=queries),
        catalog=catalog,
        connections={"duck": Connection(store="duck", kind="duckdb", database="x")},
    )
    file = tmp_path / "job.json"
    file.write_text(write_job(job))
    assert read_job(file).catalog.views == catalog.views


def doubling(number: int) -> list[View]:
    """Return views of which each reads the one before twice: the last reads 2^number - 1."""
    first = view("v0", "SELECT c_id FROM customer")
    joined = "SELECT a.c_id FROM v{0} a JOIN v{0} b ON a.c_id = b.c_id"
    return [first, *(view(f"v{n}", joined.format(n - 1)) for n in range(1, number))]


def test_views_that_double_are_read_up_to_a_limit():
    few, many = with_views(shop(), *doubling(8)), with_views(shop(), *doubling(30))
    found = footprint(statement("SELECT c_id FROM v7"), few, "duckdb")
    assert len(list(found.sources())) == 2**7
    began = time.process_time()
    with pytest.raises(SqlError, match=r"reads more than 500 views, .* view 'v29' among them"):
        footprint(statement("SELECT c_id FROM v29"), many, "duckdb")
    assert time.process_time() - began < 20
