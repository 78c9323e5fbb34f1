"""Live tables of PostgreSQL, MariaDB and MySQL: measured where they are, and never written to."""

import csv
import io
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pydantic import TypeAdapter
from rich.console import Console

from advisor.analysis.analyze import analyze
from advisor.analysis.notes import notes
from advisor.measuring.connections import connections
from advisor.measuring.measure import job_of
from advisor.pipeline import place, prepare
from advisor.problem.prepared import Prepared
from advisor.project.config import load_project
from advisor.report.terminal import ranking_text
from evaluation.evaluate import measure, stores_held
from evaluation.kinds import LIVE
from evaluation.load import load
from evaluation.measuring.measurement import Measurements, QueryOutcome
from evaluation.store_protocol.connection import Connection
from placement.plan import PlacementPlan
from placement.plan_file import write_plan
from placement.routing.routing import plan_for
from tests.stores.live_servers import maria, postgres
from tests.stores.live_shop import PASSWORD, QUERIES, READER, fill, write_project
from tests.stores.test_embedded_servers import execute
from tests.stores.test_embedded_servers import maria as maria_session
from tests.stores.test_embedded_servers import postgres as postgres_session
from workloads.errors import ConfigurationError
from workloads.progress import Silent

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.stores, pytest.mark.spark, pytest.mark.timeout(300)]

SILENT = Silent()
READS = re.compile(
    r"(/\*.*?\*/\s*)*(SELECT|WITH|SHOW|SET|BEGIN|COMMIT|ROLLBACK|COPY \(SELECT|"
    r"CHECKSUM TABLE|START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY)\b",
    re.DOTALL | re.IGNORECASE,
)
WORK = re.compile(r"(?!CHECKSUM TABLE).*\blive_(sales|crm|shop)\b", re.DOTALL)
WRITES = re.compile(
    r"\bINTO\b|GET_LOCK|advisory|FOR (UPDATE|SHARE|NO KEY)|IN SHARE MODE|\bTEMP|READ WRITE|"
    r"(nextval|setval)\('",
    re.IGNORECASE,
)


@pytest.fixture(scope="module")
def servers(remembering: Mapping[str, Connection]) -> Mapping[str, Connection]:
    fill(remembering, "maria", "mysql8")
    return remembering


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLACEMENT_ADVISOR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("LIVE_READER_PASSWORD", PASSWORD)


def prepared(file: Path) -> Prepared:
    project = load_project(file)
    return prepare(project, analyze(project, SILENT, needs_data=True))


def chosen(of: Prepared) -> dict[str, PlacementPlan]:
    plans = place(of.problem, ("single_store", "optimal"), SILENT).plans
    return {plan.strategy: plan for plan in plans}


def run(spark: "SparkSession", of: Prepared, plans: Mapping[str, PlacementPlan]) -> Measurements:
    """Load and measure them, as `evaluate` does in a session of its own."""
    with connections(of.project, SILENT) as found:
        job = job_of(of.project, of.analysis, found, of.problem)
        with stores_held(job, tuple(plans.values())):
            loaded = load(job.catalog, tuple(plans.values()), found, SILENT)
            return measure(spark, job, tuple(plans.values()), loaded, SILENT)


def outcomes(found: Measurements) -> dict[str, dict[str, tuple[QueryOutcome, str]]]:
    return {
        each.plan.strategy: {q.query: (q.outcome, q.message) for q in each.queries}
        for each in found.candidates
    }


@pytest.mark.parametrize("mysql", ["maria", "mysql8"])
def test_live_tables_are_measured_where_they_are_beside_copies_of_them(
    spark: "SparkSession", servers: Mapping[str, Connection], tmp_path: Path, mysql: str
):
    more = "[place]\ncurrent = 'live'\nmax_copies = 2\n[evaluate]\nrepeats = 1\n"
    of = prepared(write_project(tmp_path, servers, mysql, more))
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
    spark: "SparkSession", servers: Mapping[str, Connection], tmp_path: Path
):
    more = "[place]\nmax_copies = 2\n[evaluate]\nrepeats = 1\n"
    file = write_project(tmp_path, servers, "maria", more)
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
    spark: "SparkSession", servers: Mapping[str, Connection], tmp_path: Path
):
    asked = {**OF_NAMES, "only": ONLY}
    more = "[place]\nmax_copies = 2\n[evaluate]\nrepeats = 1\n"
    file = write_project(tmp_path, servers, "maria", more, statements=asked, dialect="postgres")
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
    spark: "SparkSession", servers: Mapping[str, Connection], tmp_path: Path
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
            servers["pg"],
            "CREATE TABLE live_crm.term (id int PRIMARY KEY, until date, since timestamptz)",
            "INSERT INTO live_crm.term VALUES (1, 'infinity', '-infinity'),"
            " (2, '0044-03-15 BC', 'infinity'), (3, '2024-01-01', '2024-01-01 10:00+00')",
            f"GRANT SELECT ON live_crm.term TO {READER}",
        )
        maria(
            servers["maria"],
            "SET SESSION sql_mode = ''",
            "CREATE TABLE live_shop.bill (id int PRIMARY KEY, paid date, amount int)",
            "INSERT INTO live_shop.bill VALUES (1, '0000-00-00', 5), (2, '2024-01-01', 1)",
            "CREATE TABLE live_shop.bare (d date)",
            "INSERT INTO live_shop.bare VALUES ('0000-00-00')",
        )
        of = prepared(write_project(tmp_path, servers, "maria", more, statements=asked))
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
        of = prepared(write_project(odd, servers, "maria", more, statements=paid, dialect="mysql"))
        uncopied = {each.query.name: each.uncopied for each in of.analysis.passed_through}
        assert uncopied == {"open": ("paid",), "bare": (), "odd": ("d",)}
        found = run(spark, of, {"current": chosen(of)["current"]})
        assert {each.query: each.message for each in found.passed_through} == dict.fromkeys(
            paid, ""
        )
    finally:
        postgres(servers["pg"], "DROP TABLE IF EXISTS live_crm.term")
        maria(servers["maria"], "DROP TABLE IF EXISTS live_shop.bill, live_shop.bare")


@pytest.mark.parametrize("mysql", ["maria", "mysql8"])
def test_sparks_own_pushdown_reads_live_tables_where_they_are(
    spark: "SparkSession", servers: Mapping[str, Connection], tmp_path: Path, mysql: str
):
    asked = {
        **{name: QUERIES[name] for name in ("names", "crm", "sales")},
        "across": "SELECT c.name, count(*) AS n FROM line l JOIN product p ON p.id = l.product "
        "JOIN customer c ON c.id = l.product WHERE p.price > 20 GROUP BY c.name",
    }
    more = "[evaluate]\nengine = 'spark-native'\nrepeats = 1\n"
    of = prepared(write_project(tmp_path, servers, mysql, more, statements=asked))
    found = run(spark, of, {"current": chosen(of)["current"]})
    right = (QueryOutcome.VERIFIED, "")
    assert outcomes(found) == {"current": dict.fromkeys(asked, right)}


@contextmanager
def recorded(servers: Mapping[str, Connection], mysql: str) -> Iterator[list[str]]:
    """Give the statements of the block that the servers logged of the account that only reads."""
    log: list[str] = []
    postgres(servers["pg"], f"ALTER ROLE {READER} SET log_statement = 'all'")
    maria(
        servers[mysql],
        "SET GLOBAL general_log = OFF",
        "TRUNCATE mysql.general_log",
        "SET GLOBAL log_output = 'TABLE'",
        "SET GLOBAL general_log = ON",
    )
    with postgres_session(servers["pg"]) as session:
        row = session.execute("SELECT pg_current_logfile('csvlog')").fetchone()
        assert row is not None
        (path,) = row
        ((before,),) = session.execute("SELECT (pg_stat_file(%s)).size", (path,)).fetchall()
    try:
        yield log
    finally:
        # Other tests read this server's logs in files.
        maria(servers[mysql], "SET GLOBAL general_log = OFF", "SET GLOBAL log_output = 'FILE'")
        postgres(servers["pg"], f"ALTER ROLE {READER} RESET log_statement")
    with postgres_session(servers["pg"]) as session:
        ((text,),) = session.execute("SELECT pg_read_file(%s)", (path,)).fetchall()
    told = csv.reader(io.StringIO(text.encode()[before:].decode()))
    log += [
        row[13].partition(": ")[2]
        for row in told
        if row[1] == READER and row[13].startswith(("statement: ", "execute "))
    ]
    with maria_session(servers[mysql]) as session:
        rows = execute(
            session,
            "SELECT argument FROM mysql.general_log WHERE command_type IN ('Query', 'Execute') "
            f"AND user_host LIKE '{READER}%'",
        )
    log += [row[0].decode() if isinstance(row[0], bytes) else row[0] for row in rows]


def forget_statements(servers: Mapping[str, Connection], mysql: str) -> None:
    """Empty what the servers remember."""
    extension = "CREATE EXTENSION IF NOT EXISTS pg_stat_statements"
    postgres(servers["pg"], extension, "SELECT pg_stat_statements_reset()")
    maria(servers[mysql], "TRUNCATE performance_schema.events_statements_summary_by_digest")


def counted_on_live_tables(server: Connection) -> list[str]:
    """The statements on the live tables that a server remembers and that count as work.

    CHECKSUM TABLE does not: its kind is maintenance.
    """
    try:
        found = LIVE[server.kind].workload(server)
    except ConfigurationError:
        return []
    return [each.sql for each in found.queries if WORK.match(each.sql)]


@pytest.mark.parametrize("mysql", ["maria", "mysql8"])
def test_nothing_is_written_to_a_live_store_and_no_work_of_ours_counts_there(
    spark: "SparkSession", servers: Mapping[str, Connection], tmp_path: Path, mysql: str
):
    forget_statements(servers, mysql)
    with recorded(servers, mysql) as log:
        file = write_project(tmp_path, servers, mysql, "[evaluate]\nrepeats = 1\n")
        project = load_project(file)
        analysis = analyze(project, SILENT)
        place(prepare(project, analysis).problem, ("optimal",), SILENT)
        of = prepared(file)
        found = run(spark, of, {"current": chosen(of)["current"]})
    assert found.candidates[0].verified
    reads = [each for each in log if READS.match(each.strip())]
    assert len([each for each in reads if "COPY (SELECT" in each]) == 4
    assert len([each for each in reads if '"live_crm"."customer"' in each]) >= 4
    assert len([each for each in reads if "`live_shop`.`line`" in each]) >= 3
    assert [each for each in log if each not in reads or WRITES.search(each)] == []
    for name in ("pg", mysql):
        assert counted_on_live_tables(servers[name]) == []


def test_a_table_that_changed_makes_its_queries_stale_and_never_wrong(
    spark: "SparkSession", servers: Mapping[str, Connection], tmp_path: Path
):
    of = prepared(write_project(tmp_path, servers, "maria", "[evaluate]\nrepeats = 1\n"))
    plans = chosen(of)
    measured = {name: plans[name] for name in ("current", "single_store:duck")}
    postgres(servers["pg"], "UPDATE live_crm.address SET city = 'c0' WHERE id = 3")
    maria(servers["maria"], "DELETE FROM live_shop.line WHERE product IN (4, 5)")
    try:
        found = run(spark, of, measured)
    finally:
        fill(servers, "maria")
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
    servers: Mapping[str, Connection],
    tmp_path: Path,
    of_one: tuple[str, str],
):
    (dialect, store), statements = of_one, OF_ONE_SERVER[of_one]
    asked = {**statements, "across": "SELECT count(*) AS n FROM line, customer WHERE amount = 3"}
    more = "[evaluate]\nrepeats = 2\n"
    file = write_project(tmp_path, servers, "maria", more, statements=asked, dialect=dialect)
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


LOGGED = "SELECT name FROM live_crm.customer WHERE key = '{}0007'::uuid".format(
    "00000000-0000-0000-0000-00000000"
)
REMEMBERED = {
    "pg": (
        (
            "SELECT id, born FROM live_crm.customer WHERE (name = 'n3' OR name LIKE 'n4%') "
            "AND born BETWEEN date '1980-02-01' AND date '1980-03-01' ORDER BY id LIMIT 5 OFFSET 2"
        ),
        (
            "SELECT c.name, sum(o.total * 2) AS t, 'all' AS kind FROM live_crm.customer c "
            'JOIN live_sales."Order ""x"" y" o ON o.customer = c.id WHERE o.code = \'k1\' '
            "AND placed >= '2024-01-02 00:00+00' AND c.id = ANY('{3,4}'::int[]) GROUP BY c.name "
            "HAVING count(*) > 3"
        ),
        LOGGED.replace("0007", "0003"),
    ),
    "shop": (
        "SELECT name, price FROM product WHERE id = 7 AND active = 1",
        (
            "SELECT p.name, count(*) AS n FROM product p JOIN line l ON l.product = p.id "
            "WHERE p.price BETWEEN 5.0 AND 60.5 AND p.name LIKE 'p%' AND l.amount IN (3, 4) "
            "AND l.amount <> 3 AND changed > '2024-01-01 00:10:00' GROUP BY p.name"
        ),
    ),
}
"""Store → statements of users there. Of the last of PostgreSQL's another execution is logged."""


@contextmanager
def remembered(servers: Mapping[str, Connection], mysql: str) -> Iterator[None]:
    """Run the users' statements, twice, on servers that have seen nothing else."""
    postgres(
        servers["pg"],
        "CREATE EXTENSION IF NOT EXISTS pg_stat_statements",
        f"GRANT pg_read_all_stats TO {READER}",
        "SELECT pg_stat_statements_reset()",
        *REMEMBERED["pg"] * 2,
    )
    maria(
        servers[mysql],
        f"GRANT SELECT ON performance_schema.* TO {READER}@'%'",
        "TRUNCATE performance_schema.events_statements_summary_by_digest",
    )
    maria(servers[mysql], *REMEMBERED["shop"] * 2, database="live_shop")
    try:
        yield
    finally:
        postgres(
            servers["pg"],
            f"REVOKE pg_read_all_stats FROM {READER}",
            "DROP EXTENSION pg_stat_statements",
        )
        maria(servers[mysql], f"REVOKE SELECT ON performance_schema.* FROM {READER}@'%'")


@pytest.mark.parametrize(("store", "server"), [("pg", "pg"), ("shop", "maria")])
def test_what_a_server_remembers_without_literals_is_measured_with_some(
    spark: "SparkSession",
    servers: Mapping[str, Connection],
    tmp_path: Path,
    store: str,
    server: str,
):
    more = "[evaluate]\nrepeats = 1\n"
    logged = {"logged": LOGGED} if store == "pg" else {}
    file = write_project(tmp_path, servers, "maria", more, statements=logged)
    sources = [f"stores.{store}", *(["queries/"] if logged else [])]
    named = file.read_text().replace('source = "queries/"', f"source = {sources}")
    file.write_text(named.replace('dialect = "duckdb"\n', 'dialect = "postgres"\n' * bool(logged)))
    with remembered(servers, "maria"):
        of = prepared(file)
    plans = chosen(of)
    found = run(spark, of, {name: plans[name] for name in ("current", "single_store:duck")})
    asked = [query.name for query in of.analysis.workload.queries]
    assert len(asked) == len(REMEMBERED[store]) + len(logged)
    right = dict.fromkeys(asked, (QueryOutcome.VERIFIED, ""))
    assert outcomes(found) == {"current": right, "single_store:duck": right}
    # As they are run today they have literals too.
    assert {each.query for each in found.direct if each.measured_s} == set(asked)
    sources_told = sorted(str(each.source) for each in found.literals)
    assert sources_told == ["log"] * len(logged) + ["statistics"] * (len(asked) - 2 * len(logged))
    filling = of.analysis.filling
    assert filling is not None
    sets = [each for filled in filling.filled.values() for each in filled.sets]
    assert len(sets) > len(filling.filled)
    if logged:
        (by_log,) = (each for each in filling.filled.values() if each.source == "log")
        assert [each.sql for each in by_log.sets] == [LOGGED.replace("live_crm.", "")]
    assert_no_literal_is_told(of, found, plans["current"])


def assert_no_literal_is_told(of: Prepared, found: Measurements, plan: PlacementPlan) -> None:
    """Plans and measurements have the templates' names, and no value of a user's column."""
    filling = of.analysis.filling
    assert filling is not None
    values = {
        value
        for each in filling.filled.values()
        for one in each.sets
        for value in re.findall(r"'([^']{9,})'", one.sql)
    }
    assert values
    written = TypeAdapter(Measurements).dump_json(found).decode() + write_plan(plan)
    assert [value for value in values if value in written] == []
