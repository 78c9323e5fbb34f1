"""Twenty writers on live tables while they are read, copied and queried: do they wait for us?

python -m benchmarks.live_writers [--servers NAME …] [--rows N] [--seconds S] [-o results.json]

On an embedded PostgreSQL, MariaDB and MySQL 8 the writers move money between two tables, insert and
delete, in transactions, each in rows of its own: no two of them wait for one another. They do so in
three phases: alone; beside processes that only burn as many cores; and while `advisor run` reads
the tables, loads copies into DuckDB and into another namespace of the same server, and runs queries
in place and on the copies. Each statement is timed at its writer, which tells little on a busy
machine. So the server is asked fifty times a second for waits for locks: since when, and whose
session is in the way. InnoDB's own counters of row locks stand beside.

The sum over both tables never changes. It must be that in the copies, and in each answer. No
answer may be wrong; one that was read from a table that has changed is stale.
"""

import argparse
import json
import multiprocessing
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import duckdb

from advisor.project.config import load_project
from benchmarks.attacks.asking import asked
from benchmarks.attacks.writers import SCHEMA, fill, writing
from benchmarks.provenance import provenance
from evaluation.embedded import EmbeddedRequest, running
from evaluation.store_protocol.connection import Connection
from workloads.cache import remove
from workloads.progress import Silent

if TYPE_CHECKING:
    from collections.abc import Iterator

REQUESTS = {
    "pg": EmbeddedRequest(store="pg", kind="postgresql"),
    "maria": EmbeddedRequest(store="maria", kind="mysql"),
    "mysql8": EmbeddedRequest(store="mysql8", kind="mysql", server="mysql8"),
}
WRITERS = 20
LONGEST_S = 0.1
"""A longer wait for a lock of ours would be a finding."""
BALANCE = 2000
"""The sum of each pair of an account and a saving."""
PASSWORD, VARIABLE, OWNER_VARIABLE = "reading", "LIVE_READER_PASSWORD", "LIVE_OWNER_PASSWORD"
READER = "shop_reader"
QUERIES = {
    "balance": "SELECT sum(a.balance + s.balance) AS total FROM account a JOIN saving s "
    "ON s.id = a.id",
    "owners": "SELECT owner, count(*) AS n, sum(balance) AS b FROM account GROUP BY owner",
    "opened": "SELECT opened, min(owner) AS o FROM saving GROUP BY opened",
    "events": "SELECT a.owner, count(*) AS n FROM event e JOIN account a ON a.id = e.account "
    "GROUP BY a.owner",
}


def main() -> None:
    arguments = _arguments()
    load_before = os.getloadavg()[0]
    with TemporaryDirectory() as folder:
        root = Path(folder)
        root.chmod(0o755)
        found = {}
        for name in arguments.servers:
            found[name] = _server(name, root / name, arguments)
            # What was found is kept also where a later server ends the benchmark.
            result = {
                **provenance("benchmarks.live_writers", load_before),
                "writers": WRITERS,
                "rows": arguments.rows,
                "servers": found,
            }
            arguments.output.write_text(json.dumps(result, indent=1), encoding="utf-8")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--servers", nargs="+", default=list(REQUESTS), choices=list(REQUESTS))
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=0)
    default = Path(__file__).parent / "results" / "live_writers.json"
    parser.add_argument("-o", "--output", type=Path, default=default)
    return parser.parse_args()


def _server(name: str, folder: Path, arguments: argparse.Namespace) -> dict[str, Any]:
    """Return what the phases gave on one server."""
    folder.mkdir(mode=0o755)
    with running([REQUESTS[name]], folder / "servers", Silent()) as connections:
        owner = connections[name]
        fill(owner, arguments.rows, WRITERS)
        _account(owner)
        if owner.kind == "postgresql":
            # Its log then tells of each wait that is longer, however seldom we ask.
            asked(owner, f"ALTER SYSTEM SET deadlock_timeout = '{round(1000 * LONGEST_S)}ms'")
            asked(owner, "ALTER SYSTEM SET log_lock_waits = on")
            asked(owner, "SELECT pg_reload_conf()")
        phases = {}
        with writing(owner, WRITERS, arguments.rows, arguments.seed) as seen:
            time.sleep(arguments.seconds)
        phases["alone"] = seen.told()
        with writing(owner, WRITERS, arguments.rows, arguments.seed) as seen, _burning():
            time.sleep(arguments.seconds)
        phases["beside burned cores"] = seen.told()
        file = _project(folder, owner)
        environment = {**os.environ, VARIABLE: PASSWORD, OWNER_VARIABLE: owner.password or ""}
        try:
            with writing(owner, WRITERS, arguments.rows, arguments.seed) as seen:
                run = _run(file, environment)
        finally:
            remove(load_project(file).folder)
        phases["while the advisor runs"] = seen.told()
        found = {
            "phases": phases,
            "waits_in_its_log": _logged(folder) if owner.kind == "postgresql" else None,
            "run": run,
            "copies": {
                "in duckdb": _total_in_duckdb(folder),
                "on the server": _total(owner, "shop_copies"),
                "expected": BALANCE * arguments.rows,
            },
        }
    print(json.dumps({name: found}, indent=1), file=sys.stderr, flush=True)
    return found


@contextmanager
def _burning() -> "Iterator[None]":
    """Keep each core busy."""
    forks = multiprocessing.get_context("fork")
    burners = [
        forks.Process(target=_burn, args=(os.getpid(),), daemon=True)
        for _ in os.sched_getaffinity(0)
    ]
    for each in burners:
        each.start()
    try:
        yield
    finally:
        for each in burners:
            each.kill()
            each.join()


def _burn(parent: int) -> None:
    # A killed parent ends no child.
    while os.getppid() == parent:
        pass


def _logged(folder: Path) -> int:
    """Return how many waits of over `LONGEST_S` the log of a PostgreSQL tells of."""
    logs = (folder / "servers").rglob("server.log*")
    return sum(each.read_text(errors="replace").count("still waiting for") for each in logs)


def _account(owner: Connection) -> None:
    """Make the account of the advisor, which may read alone."""
    if owner.kind == "postgresql":
        asked(owner, f"CREATE ROLE {READER} LOGIN PASSWORD '{PASSWORD}'")
        asked(owner, f"GRANT USAGE ON SCHEMA {SCHEMA} TO {READER}")
        asked(owner, f"GRANT SELECT ON ALL TABLES IN SCHEMA {SCHEMA} TO {READER}")
        return
    asked(owner, f"CREATE USER {READER}@'%' IDENTIFIED BY '{PASSWORD}'")
    asked(owner, f"GRANT SELECT, SHOW VIEW ON {SCHEMA}.* TO {READER}@'%'")


def _project(folder: Path, owner: Connection) -> Path:
    """Write a project with the live tables, a DuckDB, and copies on the same server."""
    queries = folder / "queries"
    queries.mkdir()
    for name, sql in QUERIES.items():
        (queries / f"{name}.sql").write_text(sql, encoding="utf-8")
    at = f'kind = "{owner.kind}"\nhost = "{owner.host}"\nport = {owner.port}\n'
    at += f'database = "{owner.database}"\n' if owner.kind == "postgresql" else ""
    file = folder / "live.toml"
    file.write_text(
        '[workload]\nsource = "queries/"\ndialect = "duckdb"\n'
        f'[stores.live]\n{at}tables = "live"\nschemas = ["{SCHEMA}"]\nmovable = true\n'
        f'user = "{READER}"\npassword_env = "{VARIABLE}"\n'
        f'[stores.beside]\n{at}user = "{owner.user}"\nnamespace = "shop_copies"\n'
        f'password_env = "{OWNER_VARIABLE}"\n'
        f'[stores.duck]\nkind = "duckdb"\npath = "{folder / "copies.duckdb"}"\n'
        '[place]\nstrategies = ["single_store"]\nmax_copies = 2\n'
        "[evaluate]\nrepeats = 1\n",
        encoding="utf-8",
    )
    return file


def _run(file: Path, environment: Mapping[str, str]) -> dict[str, Any]:
    """Run the advisor; return how it ended, and the outcomes of all candidates' queries."""
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "advisor", "run", file.name, "--json", "--no-quick-rates"],
        cwd=file.parent,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    found: dict[str, Any] = {
        "returncode": done.returncode,
        "seconds": round(time.monotonic() - began, 1),
    }
    if done.returncode:
        return {**found, "said": done.stderr[-2000:]}
    answer = json.loads(done.stdout)
    return {
        **found,
        "stages_s": answer["seconds"],
        "outcomes": _outcomes(answer["candidates"]),
        "changed": {each["table"]: each["is_changed"] for each in answer["live"]},
    }


def _outcomes(candidates: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, int]]:
    return {
        each["strategy"]: dict(Counter(query["outcome"] for query in each["queries"]))
        for each in candidates
    }


def _total(owner: Connection, namespace: str) -> int:
    """Return the sum over both tables in copies on the server."""
    tables = (f"{namespace}.{table}" for table in ("account", "saving"))
    return sum(int(asked(owner, f"SELECT sum(balance) FROM {each}")[0][0]) for each in tables)


def _total_in_duckdb(folder: Path) -> int:
    with duckdb.connect(str(folder / "copies.duckdb"), read_only=True) as file:
        names = file.execute(
            "SELECT table_schema, table_name FROM information_schema.tables "
            "WHERE table_name IN ('account', 'saving')"
        ).fetchall()
        return sum(
            int(file.execute(f'SELECT sum(balance) FROM "{schema}"."{table}"').fetchall()[0][0])
            for schema, table in names
        )


if __name__ == "__main__":
    main()
