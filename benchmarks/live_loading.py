"""Read a live PostgreSQL table and load it elsewhere, beside the two ends of pg_dump | psql.

python -m benchmarks.live_loading [--rows N] [--repeats N] [-o results.json]

A table of seven columns lies on an embedded PostgreSQL. Ours reads it into Parquet, measures it
(statistics, a sample, a fingerprint), and loads the Parquet into another namespace of the same
server. Beside it stand `pg_dump` of the
table into a file, and `psql` of that dump into a new table: the two ends of `pg_dump | psql`. Each
round has all of them, in a seeded random order. Of ours there is also the second reading, when
nothing has changed, and the question at the end of a run. On MariaDB and MySQL 8 only ours is
timed. `cpu_s` is the CPU time of all processes that took part, servers among them: on a busy
machine it tells more than seconds do.
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from benchmarks.attacks.asking import asked
from benchmarks.loading import cpu_seconds
from benchmarks.provenance import provenance
from evaluation import own_rows
from evaluation.embedded import EmbeddedRequest, running
from evaluation.kinds import BACKENDS, KINDS
from evaluation.own_rows import OwnStore, with_own_rows
from evaluation.servers import postgresql
from evaluation.store_protocol.connection import Connection
from workloads.catalog import Catalog
from workloads.progress import Silent

SCHEMA, TABLE = "live", "line"
REQUESTS = (
    EmbeddedRequest(store="pg", kind="postgresql"),
    EmbeddedRequest(store="maria", kind="mysql"),
    EmbeddedRequest(store="mysql8", kind="mysql", server="mysql8"),
)
_UNTIMED = ("before", "aside", "back")
"""Steps that only make room for others."""
_COLUMNS = (
    "id bigint PRIMARY KEY, k int, name varchar(40), amount decimal(12, 2), day date, "
    "at timestamp(6), note varchar(100)"
)
_POSTGRESQL = f"""
INSERT INTO {SCHEMA}.{TABLE} SELECT i, i * 7 % 1000, 'name ' || i % 1000, i * 1.25,
  date '2024-01-01' + i % 365, timestamp '2024-01-01 00:00:00.5' + i * interval '1 s',
  'a note on row ' || i || ' and ' || i % 77 FROM generate_series(1, ROWS) i
"""
_MYSQL = f"""
INSERT INTO {SCHEMA}.{TABLE} SELECT i, i * 7 % 1000, concat('name ', i % 1000), i * 1.25,
  date '2024-01-01' + interval i % 365 day, timestamp '2024-01-01 00:00:00.5' + interval i second,
  concat('a note on row ', i, ' and ', i % 77)
  FROM (SELECT a.d + 1000 * b.d + 1000000 * c.d + 1 AS i FROM digits a, digits b, digits c) s
  WHERE i <= ROWS
"""


def main() -> None:
    arguments = _arguments()
    load_before = os.getloadavg()[0]
    with TemporaryDirectory() as folder:
        root = Path(folder)
        root.chmod(0o755)
        requests = [each for each in REQUESTS if each.store in arguments.servers]
        with running(requests, root / "servers", Silent()) as connections:
            found = {
                name: _timed(each, root / name, arguments) for name, each in connections.items()
            }
    result = {
        **provenance("benchmarks.live_loading", load_before),
        "rows": arguments.rows,
        "repeats": arguments.repeats,
        "servers": found,
    }
    arguments.output.write_text(json.dumps(result, indent=1), encoding="utf-8")
    print(json.dumps(found, indent=1))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = [each.store for each in REQUESTS]
    parser.add_argument("--servers", nargs="+", default=names, choices=names)
    parser.add_argument("--rows", type=int, default=1_500_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    default = Path(__file__).parent / "results" / "live_loading.json"
    parser.add_argument("-o", "--output", type=Path, default=default)
    return parser.parse_args()


def _timed(owner: Connection, folder: Path, arguments: argparse.Namespace) -> dict[str, Any]:
    """Return way → medians of its seconds and CPU seconds, on one server."""
    _fill(owner, arguments.rows)
    folder.mkdir()
    ways = _ours(owner, folder)
    if owner.kind == "postgresql":
        ways |= _theirs(owner, folder)
    draw = random.Random(arguments.seed)
    rounds: dict[str, list[tuple[float, float]]] = {}
    for _ in range(arguments.repeats):
        names = list(ways)
        draw.shuffle(names)
        for name in names:
            for step, run in ways[name].items():
                cpu_s, began = cpu_seconds(), time.perf_counter()
                run()
                times = time.perf_counter() - began, cpu_seconds() - cpu_s
                if step not in _UNTIMED:
                    rounds.setdefault(step, []).append(times)
        print({name: times[-1] for name, times in rounds.items()}, file=sys.stderr, flush=True)
    found = {
        name: {
            "seconds": round(statistics.median(wall for wall, _ in times), 2),
            "cpu_s": round(statistics.median(cpu for _, cpu in times), 2),
        }
        for name, times in rounds.items()
    }
    return {**found, "slower end as a share of ours": shares(found)} if "psql" in found else found


def _fill(owner: Connection, rows: int) -> None:
    if owner.kind == "postgresql":
        asked(owner, f"CREATE SCHEMA {SCHEMA}")
        asked(owner, f"CREATE TABLE {SCHEMA}.{TABLE} ({_COLUMNS})")
        asked(owner, _POSTGRESQL.replace("ROWS", str(rows)))
        asked(owner, "VACUUM ANALYZE")
        return
    asked(owner, f"CREATE DATABASE {SCHEMA}")
    columns = _COLUMNS.replace("timestamp(6)", "datetime(6)")
    asked(owner, f"CREATE TABLE {SCHEMA}.{TABLE} ({columns})")
    asked(owner, f"CREATE TABLE {SCHEMA}.digits (d int)")
    digits = ", ".join(f"({each})" for each in range(1000))
    asked(owner, f"INSERT INTO {SCHEMA}.digits VALUES {digits}")
    asked(owner, _MYSQL.replace("ROWS", str(rows)).replace("digits", f"{SCHEMA}.digits"))


def _ours(owner: Connection, folder: Path) -> dict[str, dict[str, Callable[[], object]]]:
    """Return the steps of ours: they are timed one after another."""
    source = replace(owner, read_only=True)
    target = replace(owner, store="copies", namespace="copies")
    live, own = KINDS[owner.kind].live, KINDS[owner.kind].own
    assert live is not None
    assert own is not None
    catalog = own.as_read(source, live.catalog(source, Silent(), schemas=(SCHEMA,)))
    store = OwnStore(connection=source, most_bytes=1 << 40)
    read: list[Catalog] = []

    def reading() -> None:
        """Read the rows, and leave the measuring out."""
        with patch.object(own_rows, "_measured", lambda written, *_: written):
            read[:] = [with_own_rows(catalog, (TABLE,), {source.store: store}, folder, Silent())]

    def measuring() -> None:
        tables = own_rows._measured([read[0].table(TABLE)], folder / source.store, Silent())
        read[:] = [replace(catalog, tables={TABLE: tables[0]})]

    def forget() -> None:
        for each in folder.rglob("*.json"):
            each.unlink()
        BACKENDS[target.kind].prepare(target)

    return {
        "ours": {
            "before": forget,
            "read": reading,
            "measured": measuring,
            "loaded": lambda: BACKENDS[target.kind].load(target, read[0].table(TABLE)),
            "read again, nothing changed": reading,
            "asked whether it changed": lambda: own.changed(source, [read[0].table(TABLE)]),
        }
    }


def _theirs(owner: Connection, folder: Path) -> dict[str, dict[str, Callable[[], object]]]:
    """Return pg_dump and psql, each for itself."""
    programs = postgresql._binaries()
    at = [f"--host={owner.host}", f"--port={owner.port}", f"--username={owner.user}"]
    at.append(f"--dbname={owner.database}")
    environment = {**os.environ, "PGPASSWORD": owner.password or ""}
    dump = [str(programs / "pg_dump"), *at, f"--table={SCHEMA}.{TABLE}"]
    psql = [str(programs / "psql"), *at, "--quiet", "--single-transaction", "--output=/dev/null"]
    file = folder / "dump.sql"

    def aside() -> None:
        """Let the dump make its table: the live one has another name meanwhile."""
        asked(owner, f"ALTER TABLE {SCHEMA}.{TABLE} RENAME TO aside")
        asked(owner, f"ALTER INDEX {SCHEMA}.{TABLE}_pkey RENAME TO aside_pkey")

    def back() -> None:
        asked(owner, f"DROP TABLE {SCHEMA}.{TABLE}")
        asked(owner, f"ALTER TABLE {SCHEMA}.aside RENAME TO {TABLE}")
        asked(owner, f"ALTER INDEX {SCHEMA}.aside_pkey RENAME TO {TABLE}_pkey")

    def run(command: list[str], **options: Any) -> None:  # noqa: ANN401
        subprocess.run(command, env=environment, check=True, **options)

    def dumped() -> None:
        with file.open("wb") as output:
            run(dump, stdout=output)

    def loaded() -> None:
        with file.open("rb") as text:
            run(psql, stdin=text)

    return {"theirs": {"pg_dump": dumped, "aside": aside, "psql": loaded, "back": back}}


def shares(found: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Return the slower end of theirs as a share of ours, in CPU seconds and in seconds."""
    return {
        unit: round(
            max(found["pg_dump"][unit], found["psql"][unit])
            / (found["read"][unit] + found["loaded"][unit]),
            2,
        )
        for unit in ("seconds", "cpu_s")
    }


if __name__ == "__main__":
    main()
