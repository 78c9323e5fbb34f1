"""Statements that only their own server can run, passed through to PostgreSQL and MariaDB."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import duckdb
import pytest

from evaluation.measuring.measurement import PassedThrough, QueryOutcome
from evaluation.passed_through import run_passed_through
from evaluation.running.job import HostedStatement, Job
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.own_answer import OwnAnswer
from evaluation.stores.mysql.backend import MySQL
from evaluation.stores.postgresql.backend import PostgreSQL
from placement.plan import Outcome, PlacementPlan
from tests.stores.copies import copied
from workloads.catalog import Catalog
from workloads.progress import Silent
from workloads.sources import parquet
from workloads.workload import Query, Workload

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.stores, pytest.mark.spark]

TABLES = {
    "customer": "SELECT i AS id, 'c' || i AS name, if(i % 9 = 7, 'seven', 'others') AS word, "
    "json_object('a', i, 'b', ['x', 'y']) AS doc, "
    "DATE '1500-01-01' + CAST(i AS INTEGER) AS born, i / 7 AS share FROM range(50) t(i)",
    "orders": "SELECT i AS id, i % 50 AS customer, CAST(i AS DECIMAL(9, 2)) AS total, "
    "TIMESTAMP '2024-01-01' + INTERVAL (i) HOUR AS placed FROM range(300) t(i)",
}
POSTGRESQL = (
    "SELECT id, doc::jsonb -> 'b' AS b, doc::jsonb FROM customer WHERE doc::jsonb @> '{\"a\": 3}'",
    "SELECT count(*), count(*) FROM customer WHERE doc::jsonb ?& array['a', 'b']",
    (
        "SELECT c.id, array_agg(o.total ORDER BY o.id), min(c.born), sum(c.share) "
        "FROM customer c JOIN orders o ON o.customer = c.id GROUP BY c.id"
    ),
    "SELECT id FROM orders WHERE to_tsvector('simple', 'n' || id) @@ to_tsquery('n7') ORDER BY id",
    (
        "SELECT o.placed, o.placed - TIMESTAMP '2024-01-01', '12:30'::time, gen.n::numeric / 3 "
        "FROM orders o, generate_series(1, 2) gen(n) WHERE o.id < 4"
    ),
    "SELECT id FROM customer WHERE point(id, id) <@ box '((0,0),(5,5))'",
    "SELECT c.id, doc::jsonb FROM ONLY customer c WHERE doc::jsonb @> '{\"a\": 3}'",
    (
        "SELECT x.id FROM (SELECT id, doc FROM customer WHERE id < 9 FOR UPDATE SKIP LOCKED) x "
        "WHERE x.doc::jsonb ? 'a'"
    ),
)
MARIADB = (
    "SELECT id, JSON_VALUE(doc, '$.a') FROM customer WHERE JSON_CONTAINS(doc, '3', '$.a')",
    "SELECT GROUP_CONCAT(DISTINCT total ORDER BY id SEPARATOR ';') FROM orders GROUP BY customer",
    (
        "SELECT orders.id, born, placed FROM orders JOIN customer ON customer.id = orders.customer "
        "WHERE MOD(orders.id, 97) = 3"
    ),
    "SELECT c.*, o.* FROM customer c JOIN orders o ON o.customer = c.id WHERE o.id < 5",
    "SELECT 1, 1, count(*) AS N, count(*) AS n FROM orders ORDER BY 1 LIMIT 3",
    (
        "SELECT o.id FROM orders o USE INDEX FOR JOIN (by_customer) "
        "JOIN customer FORCE KEY (`by name`) ON customer.id = o.customer WHERE o.id < 5"
    ),
    "SELECT id, name FROM customer WHERE MATCH (name) AGAINST ('c7' IN BOOLEAN MODE)",
    (
        "SELECT c.id, MATCH (c.word, c.name) AGAINST ('seven') FROM customer c, orders o "
        "WHERE o.customer = c.id AND MATCH (name, c.word) AGAINST ('seven')"
    ),
    "SELECT @n := @n + 1 AS n, id * 0 FROM customer, (SELECT @n := 0) r WHERE id < 5",
)


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    folder = tmp_path_factory.mktemp("passed_through")
    with duckdb.connect(":memory:") as connection:
        for name, sql in TABLES.items():
            connection.execute(f"COPY ({sql}) TO '{folder}/{name}.parquet'")
    return parquet.catalog(folder, cache=tmp_path_factory.mktemp("cache"), progress=Silent())


@pytest.fixture(scope="module")
def connections(
    embedded: Mapping[str, Connection], catalog: Catalog
) -> Iterator[Mapping[str, Connection]]:
    chosen = {name: embedded[name] for name in ("pg", "maria")}
    with copied(catalog, chosen, "passed") as found:
        yield found


class Runner:
    """Runs statements in one store, in which all tables have copies."""

    def __init__(
        self, spark: "SparkSession", catalog: Catalog, connections: Mapping[str, Connection]
    ) -> None:
        self._spark = spark
        self._catalog = catalog
        self._connections = connections

    def __call__(
        self,
        store: str,
        *statements: str,
        held: tuple[str, ...] = ("customer", "orders"),
        incomparable: str = "",
        timeout_s: float = 60.0,
    ) -> tuple[PassedThrough, ...]:
        dialect = {"pg": "postgres", "maria": "mysql"}[store]
        job = Job(
            workload=Workload(name="w", dialect=dialect, queries=()),
            catalog=self._catalog,
            connections=self._connections,
            repeats=2,
            query_timeout_s=timeout_s,
            passed_through=tuple(
                HostedStatement(
                    query=Query(name=f"q{number}", sql=sql, origin="q.sql"),
                    dialect=dialect,
                    tables=("customer", "orders"),
                    store=store,
                    incomparable=incomparable,
                )
                for number, sql in enumerate(statements)
            ),
        )
        plan = PlacementPlan(
            strategy="s",
            outcome=Outcome.FEASIBLE,
            placement=dict.fromkeys(held, (store,)),
            routing={},
            predicted_s=0.0,
            seed=0,
        )
        return run_passed_through(self._spark, job, (plan,), Silent())


@pytest.fixture
def run(spark: "SparkSession", catalog: Catalog, connections: Mapping[str, Connection]) -> Runner:
    return Runner(spark, catalog, connections)


@pytest.mark.parametrize(("store", "statements"), [("pg", POSTGRESQL), ("maria", MARIADB)])
def test_the_engine_has_the_rows_of_the_servers_own_answer(
    run: Runner, store: str, statements: tuple[str, ...]
):
    found = run(store, *statements)
    assert [(each.outcome, each.message) for each in found] == [
        (QueryOutcome.VERIFIED, "") for _ in statements
    ]
    assert all(len(each.seconds) == 2 and each.measured_s for each in found)


def test_other_rows_than_the_servers_own_are_wrong(run: Runner, monkeypatch: pytest.MonkeyPatch):
    own = PostgreSQL.own_answer

    def without_the_first(
        self: PostgreSQL, connection: Connection, sql: str, *, timeout_s: float
    ) -> OwnAnswer:
        found = own(self, connection, sql, timeout_s=timeout_s)
        return replace(found, rows=[*found.rows[1:], (-1,)])

    monkeypatch.setattr(PostgreSQL, "own_answer", without_the_first)
    (found,) = run("pg", "SELECT id FROM customer")
    assert (found.outcome, found.seconds) == (QueryOutcome.WRONG, ())
    assert "was not expected" in found.message


@pytest.mark.parametrize(
    ("store", "sql", "outcome", "said"),
    [
        ("pg", "SELECT nowhere(id) FROM customer", QueryOutcome.FAILED, "nowhere"),
        ("pg", "SELECT lo_creat(-1) FROM customer", QueryOutcome.FAILED, "lo_creat()"),
        (
            "pg",
            "SELECT count(*) FROM customer, generate_series(1, 1000000000)",
            QueryOutcome.FAILED,
            "timeout",
        ),
        ("maria", "SELECT nowhere(id) FROM customer", QueryOutcome.FAILED, "nowhere"),
    ],
)
def test_what_the_server_refuses_is_an_outcome(
    run: Runner, store: str, sql: str, outcome: QueryOutcome, said: str
):
    (found,) = run(store, sql, timeout_s=5.0)
    assert (found.outcome, found.seconds) == (outcome, ())
    assert said in found.message


def test_without_copies_of_all_its_tables_a_statement_is_not_run(run: Runner):
    (found,) = run("pg", "SELECT id FROM customer", held=("customer",))
    assert found.outcome is QueryOutcome.FAILED
    assert found.message == "no candidate has a copy of orders in 'pg'"


def test_a_statement_whose_server_gives_other_rows_each_time_is_not_determined(run: Runner):
    (found,) = run("pg", "SELECT id, random() FROM customer")
    assert found.outcome is QueryOutcome.UNDETERMINED


def test_what_a_copy_answers_otherwise_is_kept_with_its_reason(run: Runner):
    (found,) = run("pg", "SELECT no such thing", incomparable="ctid tells where a row lies")
    assert (found.outcome, found.seconds) == (QueryOutcome.KEPT, ())
    assert found.message == "whole in its own server: ctid tells where a row lies"


def test_a_copy_keeps_the_full_text_index_that_it_got(
    run: Runner, connections: Mapping[str, Connection]
):
    sql = "SELECT count(*) FROM customer WHERE MATCH (word) AGAINST ('seven')"
    maria = connections["maria"]
    for _ in range(2):
        (found,) = run("maria", sql)
        assert found.outcome is QueryOutcome.VERIFIED
    indexes = MySQL().own_answer(maria, f"SHOW INDEX FROM {maria.namespace}.customer", timeout_s=5)
    columns: dict[str, list[str]] = {}
    for row in indexes.rows:
        if row[10] == "FULLTEXT":
            columns.setdefault(row[2], []).append(row[4])
    assert list(columns.values()).count(["word"]) == 1
    over_copy = sql.replace("customer", f"{maria.namespace}.customer")
    assert MySQL().own_answer(maria, over_copy, timeout_s=5).rows == ((5,),)


def test_a_statement_on_types_that_a_copy_has_as_text_is_kept_in_its_own_server(run: Runner):
    found = run(
        "pg",
        "SELECT id FROM customer WHERE word @@ 'seven'::tsquery AND name <-> point(0, 0) < 1",
        "SELECT (name).a FROM customer",
        "SELECT id FROM customer WHERE word = 'seven'::segment",
        "SELECT coutn(id) FROM customer",
    )
    assert [each.outcome for each in found] == [*[QueryOutcome.KEPT] * 3, QueryOutcome.FAILED]
    assert "copies have text where it takes types of PostgreSQL's own" in found[0].message
    assert "<->" in found[0].message
    assert "coutn" in found[3].message
