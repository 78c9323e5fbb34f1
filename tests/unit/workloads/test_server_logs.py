"""Logs that PostgreSQL, MySQL and MariaDB write themselves."""

import json

import pytest

from tests.unit.workloads.recorded_logs import facts
from workloads.counting.facts import Facts
from workloads.folding.entries import Entry, Session
from workloads.sources.logs.formats import time_of
from workloads.sources.logs.mysql_log import MysqlSlowLog
from workloads.sources.logs.pieces import Piece
from workloads.sources.logs.recorded import workload
from workloads.sql.parsing.lexis import lexis

POSTGRESQL_TEXT = """\
2025-05-01 10:00:00.000 UTC [100] LOG:  database system is ready to accept connections
2025-05-01 10:00:01.000 UTC [101] app@shop LOG:  duration: 10.000 ms  statement: SELECT a,
\t  b
\tFROM t WHERE c = 1
2025-05-01 10:00:02.000 UTC [101] app@shop LOG:  duration: 0.100 ms  parse <unnamed>: SELECT x
2025-05-01 10:00:02.000 UTC [101] app@shop LOG:  duration: 2.500 ms  execute <unnamed>: SELECT x \
FROM t WHERE y = $1
2025-05-01 10:00:02.000 UTC [101] app@shop DETAIL:  parameters: $1 = '42'
2025-05-01 10:00:03.000 UTC [102] app@shop LOG:  statement: SELECT z FROM t
2025-05-01 10:00:03.000 UTC [101] app@shop LOG:  execute s_1/p: SELECT z FROM t
2025-05-01 10:00:03.100 UTC [102] app@shop LOG:  duration: 100.000 ms
2025-05-01 10:00:04.000 UTC [101] app@shop ERROR:  relation "u" does not exist at character 15
2025-05-01 10:00:04.000 UTC [101] app@shop STATEMENT:  SELECT * FROM u
2025-05-01 10:00:05.000 UTC [103] app@shop LOG:  duration: 30.000 ms  statement: select a, b \
from t where c = 2
"""


def test_postgresqls_log_gives_statements_with_their_own_or_a_later_duration(tmp_path):
    log = tmp_path / "postgresql.log"
    log.write_text(POSTGRESQL_TEXT)
    found = workload(log)
    assert found.dialect == "postgres"
    assert facts(found) == [
        ("SELECT a,\n  b\nFROM t WHERE c = 1", 2, 0.02, 2),
        ("SELECT x FROM t WHERE y = $1", 1, 0.0025, 6),
        ("SELECT z FROM t", 2, 0.1, 8),
    ]


FETCHED = "S_1/C_2: SELECT a FROM t"


@pytest.mark.parametrize(
    ("records", "latency_s"),
    [
        (
            [
                f"duration: 5.000 ms  execute {FETCHED}",
                f"duration: 1.000 ms  execute fetch from {FETCHED}",
                f"duration: 1.000 ms  execute fetch from {FETCHED}",
            ],
            0.005,
        ),
        (
            [
                f"execute {FETCHED}",
                "duration: 5.000 ms",
                f"execute fetch from {FETCHED}",
                "duration: 1.000 ms",
            ],
            0.005,
        ),
        ([f"execute {FETCHED}", f"execute fetch from {FETCHED}", "duration: 900.000 ms"], None),
    ],
)
def test_fetching_more_rows_of_an_execution_is_none_of_its_own(tmp_path, records, latency_s):
    log = tmp_path / "postgresql.log"
    start = "2025-05-01 10:00:01.000 UTC [101] app@shop LOG:  "
    log.write_text("".join(f"{start}{each}\n" for each in records))
    assert facts(workload(log)) == [("SELECT a FROM t", 1, latency_s, 1)]


def postgresql_csv(message, line, level="LOG", session="65.1"):
    values = [""] * 26
    values[0], values[5], values[6], values[11] = "2025-05-01 10:00:00 UTC", session, line, level
    values[13] = '"' + message.replace('"', '""') + '"'
    return ",".join(map(str, values)) + "\n"


def test_postgresqls_csvlog_and_jsonlog_give_the_same(tmp_path):
    messages = [
        ("connection received", "LOG"),
        ('duration: 5.000 ms  statement: SELECT "a"\nFROM t', "LOG"),
        ("statement: SELECT 1", "LOG"),
        ("duration: 2.000 ms", "LOG"),
        ("duration: 9.000 ms  bind s1: SELECT 1", "LOG"),
        ("duration: 1.000 ms  statement: no", "ERROR"),
    ]
    table = tmp_path / "postgresql.csv"
    table.write_text("".join(postgresql_csv(m, n, level) for n, (m, level) in enumerate(messages)))
    lines = tmp_path / "postgresql.json"
    lines.write_text(
        "".join(
            json.dumps(
                {"timestamp": "2025", "session_id": "65.1", "error_severity": level, "message": m}
            )
            + "\n"
            for m, level in messages
        )
    )
    assert facts(workload(table)) == [
        ('SELECT "a"\nFROM t', 1, 0.005, 2),
        ("SELECT 1", 1, 0.002, 4),
    ]
    assert [fact[:3] for fact in facts(workload(lines))] == [
        fact[:3] for fact in facts(workload(table))
    ]


MYSQL_SLOW = """\
/usr/sbin/mysqld, Version: 8.0.33 (MySQL Community Server - GPL). started with:
Tcp port: 3306  Unix socket: /tmp/mysql.sock
Time                 Id Command    Argument
# Time: 2025-05-01T10:00:00.000000Z
# User@Host: app[app] @ localhost []  Id:     8
# Query_time: 0.500000  Lock_time: 0.000002 Rows_sent: 1  Rows_examined: 0
use shop;
SET timestamp=1746093600;
SELECT a FROM t
# a comment of the statement
WHERE b = "x";
# User@Host: app[app] @ localhost []  Id:     8
# Query_time: 1.500000  Lock_time: 0.000002 Rows_sent: 1  Rows_examined: 0
SET timestamp=1746093601;
select a from t where b = 'y';
# Time: 250501 10:00:02
# User@Host: app[app] @ localhost []  Id:     9
# Schema: shop  Last_errno: 1146  Killed: 0
# Query_time: 0.100000  Lock_time: 0.000000 Rows_sent: 0  Rows_examined: 0
SET timestamp=1746093602;
SELECT * FROM missing;
# Time: 2025-05-01T10:00:03.000000Z
# User@Host: app[app] @ localhost []  Id:     9
# Query_time: 0.000100  Lock_time: 0.000000 Rows_sent: 0  Rows_examined: 0
# administrator command: Quit;
"""


def test_mysqls_slow_log_gives_statements_that_did_not_fail(tmp_path):
    log = tmp_path / "slow.log"
    log.write_text(MYSQL_SLOW)
    found = workload(log)
    assert found.dialect == "mysql"
    assert facts(found) == [
        ('SELECT a FROM t\n# a comment of the statement\nWHERE b = "x"', 2, 1.0, 9)
    ]
    assert [(s.line, s.kind) for s in found.skipped] == [(21, "unrecorded")]


MARIADB_SLOW = """\
# Time: 250501 10:00:00
# User@Host: root[root] @ localhost []
# Thread_id: 5  Schema:   QC_hit: No
# Query_time: 0.000010  Lock_time: 0.000000  Rows_sent: 0  Rows_examined: 0
SET timestamp=1746093600;
# administrator command: Quit;
# User@Host: app[app] @ localhost []
# Thread_id: 6  Schema: shop  QC_hit: No
# Query_time: 2.5  Lock_time: 0.000000  Rows_sent: 1  Rows_examined: 9
SET timestamp=1746093600;
SELECT count(*) FROM orders;
"""


def test_a_statement_has_no_facts_of_an_administrators_command_in_the_same_second(tmp_path):
    log = tmp_path / "slow.log"
    log.write_text(MARIADB_SLOW)
    piece = Piece(format=MysqlSlowLog.name, path=log, file=0, name="")
    (entry,) = MysqlSlowLog().entries(piece, lexis("mysql"))
    assert (entry.sql, entry.seconds) == ("SELECT count(*) FROM orders", 2.5)
    assert entry.session == Session("6")
    assert (entry.schema, entry.facts) == ("shop", Facts("app", "shop", None, "250501 10:00:00"))


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00"])
def test_a_time_whose_year_is_none_in_utc_is_not_known(moment):
    assert time_of(Entry(1, "SELECT 1", facts=Facts(moment=moment))) is None


MYSQL_GENERAL = """\
/usr/sbin/mysqld, Version: 8.0.33 (MySQL Community Server - GPL). started with:
Tcp port: 3306  Unix socket: /tmp/mysql.sock
Time                 Id Command    Argument
2025-05-01T10:00:00.000000Z\t    8 Connect\tapp@localhost on shop using Socket
2025-05-01T10:00:00.000001Z\t    8 Query\tSELECT a
FROM t
WHERE b = 1
2025-05-01T10:00:00.000002Z\t    8 Prepare\tSELECT c FROM t WHERE d = ?
2025-05-01T10:00:00.000003Z\t    8 Execute\tSELECT c FROM t WHERE d = 5
250501 10:00:01\t    8 Query\tselect a from t where b = 2
\t\t    9 Quit\t
"""


def test_mysqls_general_log_counts_what_was_executed(tmp_path):
    log = tmp_path / "general.log"
    log.write_text(MYSQL_GENERAL)
    assert facts(workload(log)) == [
        ("SELECT a\nFROM t\nWHERE b = 1", 2, None, 5),
        ("SELECT c FROM t WHERE d = 5", 1, None, 9),
    ]


def test_statements_of_mysqls_logs_are_of_the_database_in_use(tmp_path):
    head = "# User@Host: app[app] @ localhost []  Id: 8\n"
    took = "# Query_time: 0.5  Lock_time: 0.0 Rows_sent: 1  Rows_examined: 0\n"
    mariadb = "# Thread_id: 8  Schema: third  QC_hit: No\n"
    slow = tmp_path / "slow.log"
    slow.write_text(
        f"{head}{took}use shop;\nSET timestamp=1;\nSELECT 1 FROM t;\n"
        f"{head}{took}SET timestamp=2;\nSELECT 2 FROM t;\n"
        f"{head}{took}use `the archive`;\nSET timestamp=3;\nSELECT 3 FROM t;\n"
        f"{head}{mariadb}{took}SET timestamp=4;\nSELECT 4 FROM t;\n"
    )
    general = tmp_path / "general.log"
    general.write_text(
        "250501 10:00:01\t 8 Connect\tapp@localhost on shop using Socket\n"
        "\t\t 9 Connect\tapp@localhost on  using TCP/IP\n\t\t 9 Init DB\tthe archive\n"
        "\t\t 8 Query\tSELECT 1 FROM t\n\t\t 9 Query\tSELECT 3 FROM t\n"
        "\t\t 8 Query\tSELECT 2 FROM t\n\t\t 8 Query\tUSE third\n\t\t 8 Query\tSELECT 4 FROM t\n"
    )
    for log in (slow, general):
        ran = {q.schema: q.executions for q in workload(log).queries if "FROM t" in q.sql}
        assert ran == {"shop": 2, "the archive": 1, "third": 1}


def test_a_session_of_a_rotated_general_log_keeps_its_database(tmp_path):
    banner = "mysqld, Version: 8.0.33 (MySQL). started with:\n"
    (tmp_path / "general.log.1").write_text(
        "2025-05-01T10:00:01.000000Z\t    8 Connect\tapp@localhost on shop using Socket\n"
        "2025-05-01T10:00:02.000000Z\t    8 Query\tSELECT 1 FROM t\n"
        "2025-05-01T10:00:02.000000Z\t    9 Connect\tapp@localhost on third using Socket\n"
    )
    (tmp_path / "general.log").write_text(
        f"{banner}2025-05-01T10:00:03.000000Z\t    8 Query\tSELECT 2 FROM t\n"
        "2025-05-01T10:00:03.000000Z\t    9 Query\tSELECT 3 FROM t\n"
    )
    found = workload(tmp_path)
    assert {query.schema: query.executions for query in found.queries} == {"shop": 2, "third": 1}


def test_a_comment_that_mysql_runs_is_a_statement(tmp_path):
    log = tmp_path / "general.log"
    log.write_text(
        "250501 10:00:01\t 8 Connect\tapp@localhost on shop using Socket\n"
        "\t\t 8 Query\t/*!50100 SELECT a FROM t WHERE b = 1 */\n"
        "\t\t 8 Query\tSELECT a FROM t WHERE b = 2\n"
        "\t\t 8 Query\t/*M!100100 UPDATE t SET a = 3 */\n"
        "\t\t 8 Query\t/*!40101 SET NAMES utf8 */\n"
        "\t\t 8 Query\t/* SELECT a FROM t */\n"
    )
    found = workload(log)
    told = [(query.sql.strip(), query.executions) for query in found.queries]
    assert told == [("SELECT a FROM t WHERE b = 1", 2), ("UPDATE t SET a = 3", 1)]


@pytest.mark.parametrize("figure", ["1..5", "9" * 400, "1.5.0", "9" * 5_000 + ".1", "."])
def test_a_duration_that_is_no_number_is_none(tmp_path, figure):
    slow = tmp_path / "slow.log"
    notes = "# User@Host: a[a] @ h []\n# Query_time: 1.5  Lock_time: 0\n"
    slow.write_text(f"{notes}SELECT 1;\n{notes.replace('1.5', figure)}SELECT a FROM t;\n")
    assert [query.latency_s for query in workload(slow, "mysql").queries] == [1.5, None]
    log = tmp_path / "postgresql.log"
    start = "2025-05-01 10:00:01.000 UTC [101] app@shop LOG:  duration: "
    good, bad = (f"{start}{each} ms  statement: SELECT {each[:1]}x\n" for each in ("1500", figure))
    log.write_text(good + bad)
    assert [query.latency_s for query in workload(log, "postgres").queries] == [1.5]
