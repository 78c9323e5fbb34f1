"""Three statements in a log of each format, with what the format says of them."""

import json

# Three statements in each log: "a" of ann in crm with web, "b" of bob in shop with nightly, and "c"
# of nobody that is known. Each took a longer time than the one before, and came a minute later.

POSTGRESQL_CSV = "".join(
    f'2025-05-01 10:0{n}:00.000 UTC,{who},28940,"127.0.0.1:34532",6b070f3{n}.710c,1,"SELECT",'
    f'2025-05-01 09:00:00 UTC,2/0,0,LOG,00000,"duration: {took} ms  statement: SELECT {column} FROM'
    f' t",,,,,,,,,{program},"client backend",,0\n'
    for n, (who, took, column, program) in enumerate(
        [
            ('"ann","crm"', "1000.000", "a", '"web"'),
            ('"bob","shop"', "2000.000", "b", '"nightly report"'),
            ('"",""', "3000.000", "c", '""'),
        ]
    )
)

POSTGRESQL_JSON = "".join(
    json.dumps(record | {"session_id": str(n), "error_severity": "LOG", "message": message}) + "\n"
    for n, (record, message) in enumerate(
        [
            (
                {"timestamp": "2025-05-01 10:00:00.000 UTC", "user": "ann", "dbname": "crm"}
                | {"application_name": "web"},
                "duration: 1000.000 ms  statement: SELECT a FROM t",
            ),
            (
                {"timestamp": "2025-05-01 10:01:00.000 UTC", "user": "bob", "dbname": "shop"}
                | {"application_name": "nightly report"},
                "duration: 2000.000 ms  statement: SELECT b FROM t",
            ),
            (
                {"timestamp": "2025-05-01 10:02:00.000 UTC"},
                "duration: 3000.000 ms  statement: SELECT c FROM t",
            ),
        ]
    )
)


def postgresql_text(first: str, second: str, third: str) -> str:
    lines = zip((first, second, third), "abc", (1, 2, 3), strict=True)
    return "".join(
        f"{prefix}LOG:  duration: {took}000.000 ms  statement: SELECT {column} FROM t\n"
        for prefix, column, took in lines
    )


PREFIXES = {
    "%m [%p] %q%u@%d/%a ": (
        "2025-05-01 10:00:00.000 UTC [7] ann@crm/web ",
        "2025-05-01 10:01:00.000 UTC [8] bob@shop/nightly report ",
        "2025-05-01 10:02:00.000 UTC [9] [unknown]@[unknown]/[unknown] ",
    ),
    "%t [%p]: user=%u,db=%d,app=%a,client=%h ": (
        "2025-05-01 10:00:00 UTC [7]: user=ann,db=crm,app=web,client=[local] ",
        "2025-05-01 10:01:00 UTC [8]: user=bob,db=shop,app=nightly report,client=10.0.0.1 ",
        "2025-05-01 10:02:00 UTC [9]: user=[unknown],db=[unknown],app=[unknown],client= ",
    ),
    "%n [%p] %q[user=%u,db=%d,app=%a] ": (
        "1746093600.123 [7] [user=ann,db=crm,app=web] ",
        "1746093660.123 [8] [user=bob,db=shop,app=nightly report] ",
        "1746093720.123 [9] ",
    ),
}

MYSQL_SLOW = """\
/usr/sbin/mariadbd, Version: 11.4.5-MariaDB (MariaDB Server). started with:
Tcp port: 3306  Unix socket: socket
Time\t\t    Id Command\tArgument
# Time: 250501 10:00:00
# User@Host: ann[ann] @  [127.0.0.1]
# Thread_id: 6  Schema: crm  QC_hit: No
# Query_time: 1.000000  Lock_time: 0.000387  Rows_sent: 0  Rows_examined: 0
# Rows_affected: 0  Bytes_sent: 73
use `crm`;
SET timestamp=1746093600;
SELECT a FROM t;
# Time: 250501 10:01:00
# User@Host: root[bob] @  [127.0.0.1]
# Thread_id: 7  Schema: shop  QC_hit: No
# Query_time: 2.000000  Lock_time: 0.000027  Rows_sent: 0  Rows_examined: 0
# Rows_affected: 0  Bytes_sent: 184
use `shop`;
SET timestamp=1746093660;
SELECT b FROM t;
# Time: 250501 10:02:00
# User@Host: [] @  []
# Thread_id: 8  Schema:   QC_hit: No
# Query_time: 3.000000  Lock_time: 0.000027  Rows_sent: 0  Rows_examined: 0
# Rows_affected: 0  Bytes_sent: 184
SET timestamp=1746093720;
SELECT c FROM t;
"""

MYSQL8_SLOW = """\
# Time: 2025-05-01T10:00:00.969860Z
# User@Host: ann[ann] @  [127.0.0.1]  Id:    10
# Query_time: 1.000000  Lock_time: 0.000000 Rows_sent: 0  Rows_examined: 0
use crm;
SET timestamp=1746093600;
SELECT a FROM t;
# Time: 2025-05-01T10:01:00.971685Z
# User@Host: ann[ann] @  [127.0.0.1]  Id:    10
# Query_time: 2.000000  Lock_time: 0.000006 Rows_sent: 0  Rows_examined: 0
SET timestamp=1746093660;
SELECT d FROM t;
"""

MYSQL_GENERAL = """\
/usr/sbin/mysqld, Version: 8.0.33 (MySQL Community Server - GPL). started with:
Tcp port: 3306  Unix socket: socket
Time                 Id Command    Argument
2025-05-01T10:00:00.907660Z\t    9 Connect\tann@127.0.0.1 on crm using TCP/IP
2025-05-01T10:00:00.907661Z\t    9 Query\tSELECT a FROM t
2025-05-01T10:01:00.907660Z\t   10 Connect\tbob@localhost on  using Socket
2025-05-01T10:01:00.907661Z\t   10 Init DB\tshop
2025-05-01T10:01:00.969822Z\t   10 Query\tSELECT b FROM t
2025-05-01T10:02:00.969967Z\t   11 Query\tSELECT c FROM t
2025-05-01T10:02:00.986459Z\t    9 Quit\t
"""

MARIADB_GENERAL = """\
250501 10:00:00\t     9 Connect\tann@127.0.0.1 on crm using TCP/IP
\t\t     9 Query\tSELECT a FROM t
250501 10:01:00\t    10 Connect\tbob@localhost on  using Socket
\t\t    10 Query\tuse `shop`
\t\t    10 Query\tSELECT b FROM t
250501 10:02:00\t    11 Query\tSELECT c FROM t
"""

ROWS = (
    ("SELECT a FROM t", 2, 1.0, "ann", "crm", "web", "2025-05-01 10:00:00"),
    ("SELECT b FROM t", 2, 2.0, "bob", "shop", "nightly report", "2025-05-01 10:01:00"),
    ("SELECT c FROM t", 2, 3.0, "", "", "", "2025-05-01 10:02:00"),
)

NAMES = ("query", "calls", "latency_s", "user_name", "database", "application_name", "started")

CSV = "\n".join(",".join(map(str, row)) for row in (NAMES, *ROWS)) + "\n"

JSON_LINES = "".join(
    json.dumps({name: value for name, value in zip(NAMES, row, strict=True) if value != ""}) + "\n"
    for row in ROWS
)

TRINO = (
    '"query_id","state","query","created","end","user","source","catalog"\n'
    '"1","FINISHED","SELECT a FROM t","2025-05-01 10:00:00.000 UTC","2025-05-01 10:00:01.000 UTC",'
    '"ann","web","crm"\n'
    '"2","FINISHED","SELECT b FROM t","2025-05-01 10:01:00.000 UTC","2025-05-01 10:01:02.000 UTC",'
    '"bob","nightly report","shop"\n'
    '"3","FINISHED","SELECT c FROM t","2025-05-01 10:02:00.000 UTC","2025-05-01 10:02:03.000 UTC",'
    '"","",""\n'
)

TRINO_EVENTS = "".join(
    json.dumps(
        {
            "createTime": f"2025-05-01T10:0{n}:00Z",
            "metadata": {"queryId": "1", "query": f"SELECT {c} FROM t", "queryState": "FINISHED"},
            "statistics": {"wallTime": n + 1.0},
            "context": context,
        }
    )
    + "\n"
    for n, (c, context) in enumerate(
        {
            "a": {"user": "ann", "catalog": "crm", "source": "web"},
            "b": {"user": "bob", "catalog": "shop", "source": "nightly report"},
            "c": {},
        }.items()
    )
)

FULL = {
    "postgresql.csv": POSTGRESQL_CSV,
    "postgresql.json": POSTGRESQL_JSON,
    **{f"prefix{n}.log": postgresql_text(*each) for n, each in enumerate(PREFIXES.values())},
    "queries.csv": CSV,
    "queries.jsonl": JSON_LINES,
    "trino.csv": TRINO,
    "trino.jsonl": TRINO_EVENTS,
}

WITHOUT_APPLICATION = {"mariadb.log": MYSQL_SLOW}

WITHOUT_DURATION = {"general.log": MYSQL_GENERAL, "mariadb_general.log": MARIADB_GENERAL}
