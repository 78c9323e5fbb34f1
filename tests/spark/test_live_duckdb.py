"""The tables of a DuckDB file in use, measured where they are and beside copies of them."""

from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pytest

from evaluation.measuring.measurement import QueryOutcome
from tests.spark.live_runs import chosen, outcomes, prepared, run

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.stores, pytest.mark.spark]

TABLES = """
CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE SCHEMA crm;
CREATE TABLE crm.customer (id INTEGER PRIMARY KEY, name VARCHAR COLLATE NOCASE, mood mood,
  tags VARCHAR[], born DATE, seen TIMESTAMPTZ, token UUID, big HUGEINT);
INSERT INTO crm.customer SELECT i, 'N' || (i % 100), 'ok', ['a', 'b' || i],
  DATE '1970-01-01' + CAST(i % 9000 AS INTEGER), TIMESTAMPTZ '2024-01-01' + INTERVAL 1 MINUTE * i,
  CAST(lpad(to_hex(i), 32, '0') AS UUID), CAST(i AS HUGEINT) * 1000000000000 FROM range(500) t(i);
CREATE TABLE "Order" (id BIGINT, customer INTEGER, amount DECIMAL(10, 2), t TIMESTAMP_NS, h TIME);
INSERT INTO "Order" SELECT i, i % 500, (i % 9999) / 7, TIMESTAMP_NS '2024-01-01', TIME '10:00'
  FROM range(5000) t(i);
CREATE VIEW crm.late AS SELECT id, name FROM crm.customer WHERE born > DATE '1970-06-01';
"""
QUERIES = {
    "joined": 'SELECT c.name, sum(o.amount) AS s FROM "Order" o JOIN crm.customer c'
    " ON c.id = o.customer WHERE c.name = 'N7' GROUP BY c.name",
    "view": "SELECT count(*) AS n FROM crm.late WHERE name < 'N5'",
    "enumeration": "SELECT mood, count(*) AS n, max(tags[1]) AS t, max(seen) AS s"
    " FROM crm.customer GROUP BY mood",
    "odd_types": 'SELECT h, count(*) AS n, max(big) AS b, min(token) AS u FROM "Order"'
    " JOIN crm.customer ON customer.id = customer GROUP BY h",
    "moment": "SELECT count(*) AS n FROM \"Order\" WHERE t = '2024-01-01'",
}
PROJECT = """
[workload]
source = "queries/"
dialect = "duckdb"
[stores.mine]
kind = "duckdb"
path = "mine.duckdb"
tables = "live"
movable = true
[stores.copies]
kind = "duckdb"
path = "copies.duckdb"
[place]
current = "live"
[evaluate]
repeats = 1
"""


def test_a_live_duckdb_is_measured_in_place_and_directly_and_stays_as_it_is(
    spark: "SparkSession", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PLACEMENT_ADVISOR_CACHE", str(tmp_path / "cache"))
    (tmp_path / "queries").mkdir()
    for name, sql in QUERIES.items():
        (tmp_path / "queries" / f"{name}.sql").write_text(f"{sql};")
    with duckdb.connect(str(tmp_path / "mine.duckdb")) as file:
        file.execute(TABLES)
    before = sha256((tmp_path / "mine.duckdb").read_bytes()).hexdigest()
    (tmp_path / "shop.toml").write_text(PROJECT)
    of = prepared(tmp_path / "shop.toml")
    plans = chosen(of)
    measured = {name: plans[name] for name in ("current", "single_store:copies")}
    found = run(spark, of, measured)
    right = dict.fromkeys(QUERIES, (QueryOutcome.VERIFIED, ""))
    assert outcomes(found) == {"current": right, "single_store:copies": right}
    assert {each.query: each.store for each in found.direct} == dict.fromkeys(QUERIES, "mine")
    assert all(each.seconds and not each.message for each in found.direct)
    assert [each.is_changed for each in found.live] == [False, False]
    assert sha256((tmp_path / "mine.duckdb").read_bytes()).hexdigest() == before
