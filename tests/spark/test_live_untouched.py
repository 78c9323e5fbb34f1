"""Nothing is written to live stores, and no work of ours counts there."""

import csv
import io
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from advisor.analysis.analyze import analyze
from advisor.measuring import quick_calibration
from advisor.measuring.connections import connections
from advisor.measuring.quick_parts import live_catalog
from advisor.pipeline import place, prepare
from advisor.project.config import load_project
from evaluation.bench import Bench
from evaluation.calibration import repeated
from evaluation.kinds import LIVE
from evaluation.store_protocol.connection import Connection
from tests.spark.live_runs import SILENT, chosen, prepared, run
from tests.stores.live_servers import maria, postgres
from tests.stores.live_shop import READER, write_project
from tests.stores.test_embedded_servers import execute
from tests.stores.test_embedded_servers import maria as maria_session
from tests.stores.test_embedded_servers import postgres as postgres_session
from workloads.errors import ConfigurationError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


pytestmark = [
    pytest.mark.stores,
    pytest.mark.spark,
    pytest.mark.usefixtures("live_reader"),
]


# PostgreSQL logs the question whether a session lives as a statement without words.
READS = re.compile(
    r"(/\*.*?\*/\s*)*(SELECT|WITH|SHOW|SET|BEGIN|COMMIT|ROLLBACK|COPY \(SELECT|DISCARD ALL|"
    r"CHECKSUM TABLE|START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY)\b|$",
    re.DOTALL | re.IGNORECASE,
)

WORK = re.compile(r"(?!CHECKSUM TABLE).*\blive_(sales|crm|shop)\b", re.DOTALL)

WRITES = re.compile(
    r"\bINTO\b|GET_LOCK|advisory|FOR (UPDATE|SHARE|NO KEY)|IN SHARE MODE|\bTEMP|READ WRITE|"
    r"(nextval|setval)\('",
    re.IGNORECASE,
)


@contextmanager
def recorded(live_shops: Mapping[str, Connection], mysql: str) -> Iterator[list[str]]:
    """Give the statements of the block that the servers logged of the account that only reads."""
    log: list[str] = []
    postgres(live_shops["pg"], f"ALTER ROLE {READER} SET log_statement = 'all'")
    maria(
        live_shops[mysql],
        "SET GLOBAL general_log = OFF",
        "TRUNCATE mysql.general_log",
        "SET GLOBAL log_output = 'TABLE'",
        "SET GLOBAL general_log = ON",
    )
    with postgres_session(live_shops["pg"]) as session:
        row = session.execute("SELECT pg_current_logfile('csvlog')").fetchone()
        assert row is not None
        (path,) = row
        ((before,),) = session.execute("SELECT (pg_stat_file(%s)).size", (path,)).fetchall()
    try:
        yield log
    finally:
        # Other tests read this server's logs in files.
        maria(live_shops[mysql], "SET GLOBAL general_log = OFF", "SET GLOBAL log_output = 'FILE'")
        postgres(live_shops["pg"], f"ALTER ROLE {READER} RESET log_statement")
    with postgres_session(live_shops["pg"]) as session:
        ((text,),) = session.execute("SELECT pg_read_file(%s)", (path,)).fetchall()
    told = csv.reader(io.StringIO(text.encode()[before:].decode()))
    log += [
        row[13].partition(": ")[2]
        for row in told
        if row[1] == READER and row[13].startswith(("statement: ", "execute "))
    ]
    with maria_session(live_shops[mysql]) as session:
        rows = execute(
            session,
            "SELECT argument FROM mysql.general_log WHERE command_type IN ('Query', 'Execute') "
            f"AND user_host LIKE '{READER}%'",
        )
    log += [row[0].decode() if isinstance(row[0], bytes) else row[0] for row in rows]


def forget_statements(live_shops: Mapping[str, Connection], mysql: str) -> None:
    """Empty what the servers remember."""
    extension = "CREATE EXTENSION IF NOT EXISTS pg_stat_statements"
    postgres(live_shops["pg"], extension, "SELECT pg_stat_statements_reset()")
    maria(live_shops[mysql], "TRUNCATE performance_schema.events_statements_summary_by_digest")


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
    spark: "SparkSession", live_shops: Mapping[str, Connection], tmp_path: Path, mysql: str
):
    forget_statements(live_shops, mysql)
    with recorded(live_shops, mysql) as log:
        file = write_project(tmp_path, live_shops, mysql, "[evaluate]\nrepeats = 1\n")
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
        assert counted_on_live_tables(live_shops[name]) == []


def test_a_quick_calibration_only_reads_live_stores_and_counts_as_no_work_there(
    spark: "SparkSession",
    live_shops: Mapping[str, Connection],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    # As often as it takes, however busy the machine is.
    monkeypatch.setattr(repeated, "MOST_RUNS", 2)
    monkeypatch.setattr(quick_calibration, "BUDGET_S", 100.0)
    forget_statements(live_shops, "maria")
    with recorded(live_shops, "maria") as log:
        project = load_project(write_project(tmp_path, live_shops, "maria", ""))
        catalog = live_catalog(project, SILENT)
        with connections(project, SILENT) as found:
            opened: Any = SimpleNamespace(
                connections=lambda: found,
                bench=SimpleNamespace(opened=lambda _: Bench(spark=spark)),
            )
            made = quick_calibration.quick_calibration(project, catalog, opened, SILENT)
    loaded = {name: each.load_bytes_per_s is not None for name, each in made.stores.items()}
    assert loaded == {"pg": False, "shop": False, "duck": True}, made.left_out
    assert any("live_" in each and "GROUP BY" in each for each in log)
    assert [each for each in log if not READS.match(each.strip()) or WRITES.search(each)] == []
    for name in ("pg", "maria"):
        assert counted_on_live_tables(live_shops[name]) == []
