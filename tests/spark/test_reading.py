"""Few rows are asked for at once, many in portions that are read at the same time."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import psycopg
import pytest

from evaluation.federation.compiled import CompiledQuery
from evaluation.federation.portions import ROWS_EACH, Ranged
from evaluation.federation.shared_reads import shared_reads
from evaluation.kinds import BACKENDS
from evaluation.running.executed import Execution
from evaluation.running.execution import Federation
from evaluation.store_protocol.connection import Connection
from evaluation.stores.postgresql.backend import PostgreSQL
from tests.spark.runtime_queries import compiled

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.stores, pytest.mark.spark]

# 2 MB where the fragment is predicted to have one row.
LARGE = "SELECT n, repeat('x', 1000) AS t FROM generate_series(1, 2000) AS s(n)"
EAGER = {
    "parallel_setup_cost": "0",
    "parallel_tuple_cost": "0",
    "min_parallel_table_scan_size": "0",
    # All rows are the workers', however late they start.
    "parallel_leader_participation": "off",
}
BY_WORKERS = "SELECT count(*) AS n FROM many_rows WHERE of_worker()"
SERIES = {
    "pg": "SELECT CASE WHEN x % 10 = 0 THEN NULL ELSE x END AS n FROM generate_series(1, 1000) x",
    "maria": "SELECT CASE WHEN seq % 10 = 0 THEN NULL ELSE seq END AS n FROM seq_1_to_1000",
    "duck": "SELECT CASE WHEN x % 10 = 0 THEN NULL ELSE x END AS n FROM range(1, 1001) s(x)",
}


@pytest.fixture
def parallel(embedded: Mapping[str, Connection]) -> Iterator[Connection]:
    """PostgreSQL with a table that it reads by several processes wherever it may."""
    pg = embedded["pg"]
    BACKENDS["postgresql"].prepare(pg)
    login = {"host": pg.host, "port": pg.port, "dbname": pg.database, "user": pg.user}
    with psycopg.connect(password=pg.password, autocommit=True, **login) as session:
        session.execute(f'SET search_path = "{pg.namespace}"'.encode())
        session.execute("CREATE TABLE many_rows AS SELECT generate_series(1, 2000) AS n")
        session.execute(
            "CREATE FUNCTION of_worker() RETURNS boolean LANGUAGE plpgsql PARALLEL SAFE AS 'BEGIN "
            "RETURN EXISTS (SELECT FROM pg_stat_activity "
            "WHERE pid = pg_backend_pid() AND leader_pid IS NOT NULL); END'"
        )
        for name, value in EAGER.items():
            session.execute(f"ALTER ROLE CURRENT_USER SET {name} = {value}".encode())
        yield pg
        for name in EAGER:
            session.execute(f"ALTER ROLE CURRENT_USER RESET {name}".encode())
        session.execute("DROP FUNCTION of_worker()")
        session.execute("DROP TABLE many_rows")


@pytest.mark.parametrize(("at_once", "rows"), [(True, 2000), (False, 0)])
def test_what_is_fetched_at_once_may_be_computed_in_parallel(
    spark: "SparkSession",
    parallel: Connection,
    monkeypatch: pytest.MonkeyPatch,
    at_once: bool,
    rows: int,
):
    if not at_once:
        monkeypatch.setattr("evaluation.running.federated_query.FEW_BYTES", -1)
    with Federation(spark, {"pg": parallel}, timeout_s=60) as federation:
        ((found,),) = federation.run(compiled({"pg": BY_WORKERS})).rows
    assert found == rows


def test_a_result_larger_than_expected_is_fetched_in_portions(
    spark: "SparkSession", embedded: Mapping[str, Connection], monkeypatch: pytest.MonkeyPatch
):
    few = {**PostgreSQL.few_rows, "maxResultBuffer": "1M"}
    monkeypatch.setattr(PostgreSQL, "few_rows", few)
    tried: list[bool] = []
    once = Federation._once

    def told(
        federation: Federation,
        query: CompiledQuery,
        ends: float | None,
        *,
        as_predicted: bool,
        counted: bool,
    ) -> Execution:
        tried.append(as_predicted)
        return once(federation, query, ends, as_predicted=as_predicted, counted=counted)

    monkeypatch.setattr(Federation, "_once", told)
    BACKENDS["postgresql"].prepare(embedded["pg"])
    with Federation(spark, {"pg": embedded["pg"]}, timeout_s=60, fetch_size=500) as federation:
        first = federation.run(compiled({"pg": LARGE}))
        again = federation.run(compiled({"pg": LARGE}))
    assert [len(first.rows), len(again.rows)] == [2000, 2000]
    # Once it is known to be large, it is not tried at once.
    assert tried == [True, False, False]


@pytest.mark.parametrize("store", ["pg", "maria", "duck"])
def test_portions_of_a_large_fragment_are_all_its_rows_once(
    spark: "SparkSession", embedded: Mapping[str, Connection], store: str
):
    BACKENDS[embedded[store].kind].prepare(embedded[store])
    query = compiled(
        {store: SERIES[store]}, "SELECT count(*) AS r, count(n) AS n, sum(n) AS s FROM f0"
    )
    # Values beyond what the statistics know, and none at all, are in the outer portions.
    by = Ranged(column="n", low=100, high=900, rows=2 * ROWS_EACH)
    (fragment,) = query.fragments
    divided = replace(query, fragments=(replace(fragment, ranged=by),))
    with Federation(spark, embedded, timeout_s=60) as federation:
        whole, portions = federation.run(query), federation.run(divided)
    assert [tuple(row) for row in portions.rows] == [tuple(row) for row in whole.rows]
    assert portions.rows[0][0] == 1000
    assert [each.fragments[0].partitions for each in (whole, portions)] == [1, 2]


@pytest.mark.parametrize("store", ["pg", "maria", "duck"])
def test_what_two_fragments_ask_for_alike_is_read_once(
    spark: "SparkSession", embedded: Mapping[str, Connection], store: str
):
    BACKENDS[embedded[store].kind].prepare(embedded[store])
    query = compiled(
        {store: SERIES[store]}, "SELECT count(*) AS r, sum(f0.n) AS s FROM f0 JOIN f1 USING (n)"
    )
    (first,) = query.fragments
    both = shared_reads([first, replace(first, view="f1")])
    with Federation(spark, embedded, timeout_s=60) as federation:
        done = federation.run(replace(query, fragments=both))
    assert [tuple(row) for row in done.rows] == [(900, sum(x for x in range(1001) if x % 10))]
    assert done.moved[store].rows == 1000
    assert [each.partitions for each in done.fragments] == [1, 0]
