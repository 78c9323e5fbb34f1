"""Place the shop on the servers that it lies on: from `init` to a measured answer, nothing written.

python -m benchmarks.web_shop.live [--rows N] [--seed S] [--mysql mysql8|maria] [--folder F] [-o F]

A PostgreSQL and a MySQL or MariaDB that refuse clear text have the shop and have run its workload.
An account that may only read takes the commands of docs/your-own-servers.md: `init`, `stores
check`, `analyze`, `place` and `run`. The seconds of each and how each query of each candidate ended
go into a JSON file, and so do the statements of the account that the servers' own logs show and
that are no reading.
"""

import argparse
import csv
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.provenance import ROOT, provenance
from benchmarks.web_shop.making import made
from benchmarks.web_shop.servers import READER, csvlog, mysql, postgresql, slow_log
from benchmarks.web_shop.shape import MYSQL_DATABASE, table_rows
from benchmarks.web_shop.templates import as_files
from evaluation.store_protocol.connection import Connection
from tests.stores.encrypted_servers import encrypted_servers

_ACCOUNT, _PASSWORD = "placement", "choose a long one"
_SCHEMAS = ("sales", "crm")
# What reads, or is of a session alone.
_READS = re.compile(
    r"(/\*.*?\*/\s*)*(SELECT|WITH|SHOW|SET|BEGIN|COMMIT|ROLLBACK|EXPLAIN|COPY \(SELECT|"
    r"CHECKSUM TABLE|START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY)\b",
    re.DOTALL | re.IGNORECASE,
)
_COMMANDS = ("init", "stores check", "analyze", "place", "run")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mysql", choices=("mysql8", "maria"), default="mysql8")
    parser.add_argument("--folder", type=Path, default=None, help="kept; temporary unless given")
    parser.add_argument("-o", "--output", type=Path, default=None)
    arguments = parser.parse_args()
    load_before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as work:
        # The servers may run as another user.
        Path(work).chmod(0o755)
        folder = arguments.folder or Path(work) / "project"
        rows = table_rows(arguments.rows)
        with (
            encrypted_servers(Path(work), ("pg", arguments.mysql), remembering=True) as servers,
            made(
                servers.connections["pg"],
                servers.connections[arguments.mysql],
                rows,
                arguments.seed,
            ) as (pg, my),
        ):
            found = tried(pg, my, servers.trusted.ca, folder)
    answer = {
        **provenance("benchmarks.web_shop.live", load_before),
        "rows": sum(rows.values()),
        "tables": len(rows),
        "mysql": arguments.mysql,
        "seed": arguments.seed,
        **found,
    }
    text = json.dumps(answer, indent=1)
    if arguments.output:
        arguments.output.write_text(text + "\n", encoding="utf-8")
    print(text)


def tried(pg: Connection, my: Connection, ca: Path, folder: Path) -> Mapping[str, Any]:
    """Take every command, and return what came out."""
    folder.mkdir(parents=True, exist_ok=True)
    # What servers remember is cut, and has no joins over both.
    (folder / "both").mkdir(exist_ok=True)
    for name, text in as_files("both"):
        (folder / "both" / name).write_text(text, encoding="utf-8")
    csvlog(pg, folder / "pg.csv")
    slow_log(my, folder / "slow.log")
    _account(pg, my)
    workload = [part for name in ("pg.csv", "slow.log", "both") for part in ("--workload", name)]
    verified = f"?sslmode=verify-full&sslrootcert={ca}"
    database = (pg.database or "").replace(" ", "%20")
    sources = (
        f"postgresql://{_ACCOUNT}@{pg.host}:{pg.port}/{database}{verified}",
        f"mysql://{_ACCOUNT}@{my.host}:{my.port}/{MYSQL_DATABASE}?ssl-mode=REQUIRED",
    )
    init = [*(part for each in sources for part in ("--from", each)), *workload, "-o", "."]
    seconds: dict[str, float] = {}
    with _logged(pg, my) as log:
        for command in _COMMANDS:
            words = [*command.split(), *(init if command == "init" else ["project.toml"])]
            words += ["--no-quick-rates"] * (command == "run")
            print(f"advisor {command}", file=sys.stderr, flush=True)
            started = time.perf_counter()
            said = _advisor(words, folder)
            seconds[command] = round(time.perf_counter() - started, 1)
    return {
        "seconds": seconds,
        "until_plan_s": round(sum(seconds.values()) - seconds["run"], 1),
        "candidates": [_candidate(each) for each in said["candidates"]],
        "live_tables_changed": dict(Counter(_changed(each) for each in said["live"])),
        "statements_logged": len(log),
        "not_reading": sorted({each for each in log if not _READS.match(each.strip())}),
    }


def _changed(told: Mapping[str, Any]) -> str:
    is_changed = told["is_changed"]
    return "not known" if is_changed is None else "changed" if is_changed else "the same"


def _candidate(told: Mapping[str, Any]) -> Mapping[str, Any]:
    outcomes = Counter(query["outcome"] for query in told["queries"])
    return {
        "strategy": told["strategy"],
        "outcomes": dict(outcomes),
        "not_verified": {
            query["name"]: query["message"]
            for query in told["queries"]
            if query["outcome"] != "verified"
        },
    }


def _advisor(words: Sequence[str], folder: Path) -> Mapping[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "advisor", *words, "--json"],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "WEB_SHOP_PASSWORD": _PASSWORD,
            "WEB_SHOP_2_PASSWORD": _PASSWORD,
        },
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"advisor {words[0]} ended with {done.returncode}")
    found: Mapping[str, Any] = json.loads(done.stdout)
    return found


def _account(pg: Connection, my: Connection) -> None:
    """Make the account of docs/accounts.md on both servers."""
    with postgresql(pg) as run:
        run(f"DROP ROLE IF EXISTS {_ACCOUNT}")
        run(f"CREATE ROLE {_ACCOUNT} LOGIN PASSWORD '{_PASSWORD}'")
        run(f"GRANT pg_read_all_stats TO {_ACCOUNT}")
        for schema in _SCHEMAS:
            run(f"GRANT USAGE ON SCHEMA {schema} TO {_ACCOUNT}")
            run(f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {_ACCOUNT}")
        # As `stores check` says of the foreign table.
        run(f"GRANT USAGE ON FOREIGN SERVER suppliers TO {_ACCOUNT}")
        options = f"user '{READER}', password 'reads'"
        run(f"CREATE USER MAPPING FOR {_ACCOUNT} SERVER suppliers OPTIONS ({options})")
    with mysql(my) as run:
        run(f"DROP USER IF EXISTS '{_ACCOUNT}'@'%'")
        run(f"CREATE USER '{_ACCOUNT}'@'%' IDENTIFIED BY '{_PASSWORD}' REQUIRE SSL")
        run(f"GRANT SELECT, SHOW VIEW ON `{MYSQL_DATABASE}`.* TO '{_ACCOUNT}'@'%'")


@contextmanager
def _logged(pg: Connection, my: Connection) -> Iterator[list[str]]:
    """Give the statements of the account that both servers log within the block."""
    log: list[str] = []
    with postgresql(pg) as run:
        run(f"ALTER ROLE {_ACCOUNT} SET log_statement = 'all'")
        ((path,),) = run("SELECT pg_current_logfile('csvlog')").fetchall()
        ((before,),) = run(f"SELECT (pg_stat_file('{path}')).size").fetchall()
    with mysql(my) as run:
        run("SET GLOBAL log_output = 'TABLE'")
        run("TRUNCATE mysql.general_log")
        run("SET GLOBAL general_log = ON")
    yield log
    with postgresql(pg) as run:
        ((text,),) = run(f"SELECT pg_read_file('{path}')").fetchall()
        told = csv.reader(io.StringIO(text.encode()[before:].decode()))
        log += [
            row[13].partition(": ")[2]
            for row in told
            if row[1] == _ACCOUNT and row[13].startswith(("statement: ", "execute "))
        ]
        run(f"DROP OWNED BY {_ACCOUNT}")
        run(f"DROP ROLE {_ACCOUNT}")
    with mysql(my) as run:
        run("SET GLOBAL general_log = OFF")
        rows = run(
            "SELECT argument FROM mysql.general_log WHERE command_type IN ('Query', 'Execute') "
            f"AND user_host LIKE '{_ACCOUNT}%'"
        )
        log += [row[0].decode() if isinstance(row[0], bytes) else row[0] for row in rows]


if __name__ == "__main__":
    main()
