"""Live tables of PostgreSQL, MariaDB and MySQL, measured where they are."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from advisor.analysis.analyze import analyze
from advisor.analysis.notes import notes
from advisor.project.config import load_project
from advisor.report.terminal import ranking_text
from evaluation.measuring.measurement import QueryOutcome
from evaluation.store_protocol.connection import Connection
from placement.routing.routing import plan_for
from tests.spark.live_runs import SILENT, chosen, outcomes, prepared, run
from tests.stores.live_servers import maria, postgres
from tests.stores.live_shop import QUERIES, READER, fill, write_project

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


pytestmark = [
    pytest.mark.stores,
    pytest.mark.spark,
    pytest.mark.usefixtures("live_reader"),
]


@pytest.mark.parametrize("mysql", ["maria", "mysql8"])
def test_live_tables_are_measured_where_they_are_beside_copies_of_them(
    spark: "SparkSession", live_shops: Mapping[str, Connection], tmp_path: Path, mysql: str
):
    more = "[place]\ncurrent = 'live'\nmax_copies = 2\n[evaluate]\nrepeats = 1\n"
    of = prepared(write_project(tmp_path, live_shops, mysql, more))
    plans = chosen(of)
    assert {store for held in plans["current"].placement.values() for store in held} == {
        "pg", "shop"
    }  # fmt: skip
    measured = {name: plans[name] for name in ("current", "single_store:duck", "optimal")}
    found = run(spark, of, measured)
    right = (QueryOutcome.VERIFIED, "")
    assert outcomes(found) == {name: dict.fromkeys(QUERIES, right) for name in measured}
    stores = {
        name: {moved for query in each.queries for moved in query.moved}
        for name, each in zip(measured, found.candidates, strict=True)
    }
    assert stores["current"] == {"pg", "shop"}
    assert stores["single_store:duck"] == {"duck"}
    assert [each.is_changed for each in found.live] == [False] * 6
    assert {each.load_s for each in found.candidates if each.plan.strategy == "current"} == {0.0}


def test_of_what_is_more_than_the_snapshot_answers_are_those_of_the_present_placement(
    spark: "SparkSession", live_shops: Mapping[str, Connection], tmp_path: Path
):
    more = "[place]\nmax_copies = 2\n[evaluate]\nrepeats = 1\n"
    file = write_project(tmp_path, live_shops, "maria", more)
    # Read as it is, and nothing of it is copied: the largest table of the shop, which is `line`.
    known = analyze(load_project(file), SILENT).catalog.tables_of("shop")
    snapshot = sum(each.bytes for each in known.values()) - 1
    text = file.read_text().replace("movable = true", f"movable = true\nsnapshot = {snapshot}")
    file.write_text(text)
    of = prepared(file)
    assert [name for name, each in of.analysis.catalog.tables_of("shop").items()
            if each.parquet is None] == ["line"]  # fmt: skip
    told = " ".join(notes(of.analysis))
    assert "1 live table of 'shop' would make what is read here larger" in told
    plans = chosen(of)
    there = plans["current"]
    beside = plan_for(of.problem, "beside", {**there.placement, "product": ("shop", "duck")})
    routed = {each.store for each in beside.routing["products"]}
    found = run(spark, of, {"beside": beside, "current": there})
    right = dict.fromkeys(QUERIES, (QueryOutcome.VERIFIED, ""))
    assert outcomes(found) == {"beside": right, "current": right}
    assert "shop" in routed
    assert {each.table: each.is_read for each in found.live}["line"] is False


OF_NAMES = {
    "all": "SELECT count(*) AS n, min(name) AS m FROM live_crm.place WHERE id > 15",
    "states": "SELECT state, count(*) AS n FROM ONLY live_crm.capital GROUP BY state",
    "old": (
        'SELECT "Place".old, count(*) AS n FROM live_crm."Place" '
        'JOIN live_crm.place ON place.id = "Place".id GROUP BY 1'
    ),
}

ONLY = "SELECT count(*) AS n, max(name) AS m FROM ONLY live_crm.place WHERE id > 15"


def test_heirs_and_tables_that_case_tells_apart_are_read_as_their_server_reads_them(
    spark: "SparkSession", live_shops: Mapping[str, Connection], tmp_path: Path
):
    asked = {**OF_NAMES, "only": ONLY}
    more = "[place]\nmax_copies = 2\n[evaluate]\nrepeats = 1\n"
    file = write_project(tmp_path, live_shops, "maria", more, statements=asked, dialect="postgres")
    file.write_text(
        file.read_text().replace('kind = "postgresql"\n', 'kind = "postgresql"\nmovable = true\n')
    )
    of = prepared(file)
    assert {"Place_1", "place_2", "capital"} <= set(of.analysis.catalog.tables)
    plans = chosen(of)
    measured = {name: plans[name] for name in ("current", "single_store:duck", "optimal")}
    found = run(spark, of, measured)
    right = (QueryOutcome.VERIFIED, "")
    assert outcomes(found) == {name: dict.fromkeys(OF_NAMES, right) for name in measured}
    assert [(each.query, each.outcome, each.message) for each in found.passed_through] == [
        ("only", *right)
    ]


def test_odd_days_are_carried_or_their_column_stays_on_its_server(
    spark: "SparkSession", live_shops: Mapping[str, Connection], tmp_path: Path
):
    asked = {
        "until": "SELECT id, until FROM term WHERE until > '2020-01-01' ORDER BY id",
        "never": "SELECT until, since, count(*) AS n FROM term GROUP BY until, since",
        "paid": "SELECT id FROM bill WHERE amount > 1",
        "joined": "SELECT t.until, b.amount FROM term t JOIN bill b ON b.id = t.id",
    }
    more = "[evaluate]\nrepeats = 1\n"
    odd = tmp_path / "odd"
    odd.mkdir()
    try:
        postgres(
            live_shops["pg"],
            "CREATE TABLE live_crm.term (id int PRIMARY KEY, until date, since timestamptz)",
            "INSERT INTO live_crm.term VALUES (1, 'infinity', '-infinity'),"
            " (2, '0044-03-15 BC', 'infinity'), (3, '2024-01-01', '2024-01-01 10:00+00')",
            f"GRANT SELECT ON live_crm.term TO {READER}",
        )
        maria(
            live_shops["maria"],
            "SET SESSION sql_mode = ''",
            "CREATE TABLE live_shop.bill (id int PRIMARY KEY, paid date, amount int)",
            "INSERT INTO live_shop.bill VALUES (1, '0000-00-00', 5), (2, '2024-01-01', 1)",
            "CREATE TABLE live_shop.bare (d date)",
            "INSERT INTO live_shop.bare VALUES ('0000-00-00')",
        )
        of = prepared(write_project(tmp_path, live_shops, "maria", more, statements=asked))
        plans = chosen(of)
        assert of.analysis.catalog.table("bill").left_out == {"paid": "DATE with 0000-00-00"}
        measured = {name: plans[name] for name in ("current", "single_store:duck")}
        found = run(spark, of, measured)
        right = dict.fromkeys(asked, (QueryOutcome.VERIFIED, ""))
        assert outcomes(found)["current"] == right
        # A statement that reads the column is sent to its server as it is.
        paid = {
            "open": "SELECT id FROM bill WHERE paid = '0000-00-00'",
            "bare": "SELECT count(*) AS n FROM bare",
            "odd": "SELECT count(d) AS n FROM bare",
        }
        of = prepared(
            write_project(odd, live_shops, "maria", more, statements=paid, dialect="mysql")
        )
        uncopied = {each.query.name: each.uncopied for each in of.analysis.passed_through}
        assert uncopied == {"open": ("paid",), "bare": (), "odd": ("d",)}
        found = run(spark, of, {"current": chosen(of)["current"]})
        assert {each.query: each.message for each in found.passed_through} == dict.fromkeys(
            paid, ""
        )
    finally:
        postgres(live_shops["pg"], "DROP TABLE IF EXISTS live_crm.term")
        maria(live_shops["maria"], "DROP TABLE IF EXISTS live_shop.bill, live_shop.bare")


@pytest.mark.parametrize("mysql", ["maria", "mysql8"])
def test_sparks_own_pushdown_reads_live_tables_where_they_are(
    spark: "SparkSession", live_shops: Mapping[str, Connection], tmp_path: Path, mysql: str
):
    asked = {
        **{name: QUERIES[name] for name in ("names", "crm", "sales")},
        "across": "SELECT c.name, count(*) AS n FROM line l JOIN product p ON p.id = l.product "
        "JOIN customer c ON c.id = l.product WHERE p.price > 20 GROUP BY c.name",
    }
    more = "[evaluate]\nengine = 'spark-native'\nrepeats = 1\n"
    of = prepared(write_project(tmp_path, live_shops, mysql, more, statements=asked))
    found = run(spark, of, {"current": chosen(of)["current"]})
    right = (QueryOutcome.VERIFIED, "")
    assert outcomes(found) == {"current": dict.fromkeys(asked, right)}


def test_a_table_that_changed_makes_its_queries_stale_and_never_wrong(
    spark: "SparkSession", live_shops: Mapping[str, Connection], tmp_path: Path
):
    of = prepared(write_project(tmp_path, live_shops, "maria", "[evaluate]\nrepeats = 1\n"))
    plans = chosen(of)
    measured = {name: plans[name] for name in ("current", "single_store:duck")}
    postgres(live_shops["pg"], "UPDATE live_crm.address SET city = 'c0' WHERE id = 3")
    maria(live_shops["maria"], "DELETE FROM live_shop.line WHERE product IN (4, 5)")
    try:
        found = run(spark, of, measured)
    finally:
        fill(live_shops, "maria")
    told = outcomes(found)
    stale = {"crm", "products", "across"}
    assert {q for q, (outcome, _) in told["current"].items() if outcome is QueryOutcome.STALE} == (
        stale
    )
    assert told["current"]["crm"][1].startswith(
        "table 'live_crm.address' in 'pg' has changed since"
    )
    # What has no seconds for one has none for any; the others were right.
    assert {
        q for q, (outcome, _) in told["single_store:duck"].items() if not outcome.is_judged
    } == (stale)
    assert all(
        outcome.is_judged or query in stale for query, (outcome, _) in told["current"].items()
    )
    assert all(each.verified and each.measured_s for each in found.candidates)
    assert {each.table for each in found.live if each.is_changed} == {"live_crm.address", "line"}


OF_ONE_SERVER = {
    ("postgres", "pg"): {
        "names": "SELECT name, count(*) AS n FROM customer WHERE key = "
        "'00000000-0000-0000-0000-000000000003'::uuid GROUP BY name",
        "crm": "SELECT c.city, a.city AS b FROM live_crm.address c "
        "JOIN live_sales.address a ON a.id = c.id WHERE c.id < 9",
    },
    ("mysql", "shop"): {
        "lines": "SELECT product, sum(amount) AS n FROM line GROUP BY product",
    },
}

"""The SQL of a server, and its name in the project → statements that it answers alone."""


@pytest.mark.parametrize("of_one", OF_ONE_SERVER)
def test_queries_of_one_live_server_are_also_measured_as_they_are_run_today(
    spark: "SparkSession",
    live_shops: Mapping[str, Connection],
    tmp_path: Path,
    of_one: tuple[str, str],
):
    (dialect, store), statements = of_one, OF_ONE_SERVER[of_one]
    asked = {**statements, "across": "SELECT count(*) AS n FROM line, customer WHERE amount = 3"}
    more = "[evaluate]\nrepeats = 2\n"
    file = write_project(tmp_path, live_shops, "maria", more, statements=asked, dialect=dialect)
    of = prepared(file)
    found = run(spark, of, {"current": chosen(of)["current"]})
    assert outcomes(found) == {"current": dict.fromkeys(asked, (QueryOutcome.VERIFIED, ""))}
    assert {each.query: (each.store, each.message) for each in found.direct} == dict.fromkeys(
        statements, (store, "")
    )
    assert all(len(each.seconds) == 2 and each.measured_s for each in found.direct)
    shown = Console(width=120, record=True)
    with shown.capture() as told:
        shown.print(ranking_text(found, ""))
    assert "all that ended" in told.get()
    assert "across" not in told.get().partition("Today")[2].partition("all that ended")[0]
