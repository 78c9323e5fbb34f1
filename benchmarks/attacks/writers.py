"""Writers on a server's live tables, and the waits for locks that the server tells of them."""

import random
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from typing import Any

import psycopg
import pymysql

from benchmarks.attacks.asking import asked
from evaluation.store_protocol.connection import Connection

WRITER, _PASSWORD = "shop_writer", "writing"
TABLES = ("account", "saving", "event")
SCHEMA = "shop"
_PAUSE_S = 0.1
_SAMPLE_S = 0.02
_TRANSACTION = (
    f"UPDATE {SCHEMA}.account SET balance = balance - %s WHERE id = %s",
    f"UPDATE {SCHEMA}.saving SET balance = balance + %s WHERE id = %s",
    f"INSERT INTO {SCHEMA}.event (id, account, amount) VALUES (%s, %s, %s)",
    f"DELETE FROM {SCHEMA}.event WHERE id = %s",
)
# The writers' waits now: who, since when, how long, for what, and whose session blocks it.
_WAITS = {
    "postgresql": f"""
SELECT a.pid, extract(epoch FROM l.waitstart)::text, extract(epoch FROM clock_timestamp()
         - l.waitstart)::float8, l.locktype || ' ' || l.mode,
       (SELECT coalesce(string_agg(DISTINCT b.usename, ','), '') FROM pg_stat_activity b
        WHERE b.pid = ANY(pg_blocking_pids(a.pid)))
FROM pg_stat_activity a JOIN pg_locks l ON l.pid = a.pid AND NOT l.granted
WHERE a.usename = '{WRITER}' AND a.wait_event_type = 'Lock' AND l.waitstart IS NOT NULL
""",
    "mysql": f"""
SELECT id, info, NULL, state, '' FROM information_schema.processlist
WHERE user = '{WRITER}' AND (state LIKE 'Waiting for%%lock%%' OR state LIKE '%%metadata lock%%')
UNION ALL SELECT p.id, p.info, NULL, 'row lock', '' FROM information_schema.innodb_trx t
JOIN information_schema.processlist p ON p.id = t.trx_mysql_thread_id
WHERE t.trx_state = 'LOCK WAIT' AND p.user = '{WRITER}'
""",
}


@dataclass(slots=True)
class Waits:
    """Observations of one phase.

    `seconds` has the latency of each statement at its writer. `waits` has the longest time that
    each wait for a lock was seen to last, by what it was for and who was in the way. Samples of the
    server were at most `longest_gap_s` apart, so that no longer wait was missed.
    """

    seconds: list[float] = field(default_factory=list)
    waits: dict[tuple[Any, ...], float] = field(default_factory=dict)
    samples: int = 0
    longest_gap_s: float = 0.0
    errors: list[str] = field(default_factory=list)
    counters: dict[str, int] = field(default_factory=dict)

    def told(self) -> dict[str, Any]:
        ordered = sorted(self.seconds)

        def at(share: float) -> float | None:
            return round(ordered[int(share * (len(ordered) - 1))], 4) if ordered else None

        return {
            "statements": len(ordered),
            "latency_s": {"median": at(0.5), "p99": at(0.99), "max": at(1.0)},
            "lock_waits": len(self.waits),
            "longest_lock_wait_s": round(max(self.waits.values(), default=0.0), 4),
            "waited_for": sorted({f"{key[2]} of {key[3] or 'nobody told'}" for key in self.waits}),
            "samples": self.samples,
            "longest_gap_s": round(self.longest_gap_s, 4),
            "counters": self.counters,
            "errors": self.errors[:5],
        }


def fill(owner: Connection, rows: int, writers: int) -> None:
    """Make the tables anew, with accounts for the writers to write to."""
    is_postgresql = owner.kind == "postgresql"
    database = "SCHEMA" if is_postgresql else "DATABASE"
    ending = " CASCADE" if is_postgresql else ""
    asked(owner, f"DROP {database} IF EXISTS {SCHEMA}{ending}")
    asked(owner, f"CREATE {database} {SCHEMA}")
    for table in TABLES[:2]:
        columns = "id int PRIMARY KEY, owner varchar(40), balance bigint, opened date"
        asked(owner, f"CREATE TABLE {SCHEMA}.{table} ({columns})")
        for first in range(0, rows, 5000):
            values = ", ".join(
                f"({i}, 'owner {i % 999}', 1000, '2024-01-{1 + i % 28:02}')"
                for i in range(first, min(rows, first + 5000))
            )
            asked(owner, f"INSERT INTO {SCHEMA}.{table} VALUES {values}")
    asked(owner, f"CREATE TABLE {SCHEMA}.event (id bigint PRIMARY KEY, account int, amount bigint)")
    values = ", ".join(f"({w}000000000, {w}, 0)" for w in range(1, writers + 1))
    asked(owner, f"INSERT INTO {SCHEMA}.event VALUES {values}")
    names = ", ".join(f"{SCHEMA}.{table}" for table in TABLES)
    if is_postgresql:
        asked(
            owner,
            f"DO $$ BEGIN CREATE ROLE {WRITER} LOGIN PASSWORD '{_PASSWORD}'; "
            "EXCEPTION WHEN duplicate_object THEN NULL; END $$",
        )
        asked(owner, f"GRANT USAGE ON SCHEMA {SCHEMA} TO {WRITER}")
        asked(owner, f"GRANT SELECT, INSERT, UPDATE, DELETE ON {names} TO {WRITER}")
        asked(owner, "ANALYZE")
    else:
        asked(owner, f"CREATE USER IF NOT EXISTS {WRITER}@'%' IDENTIFIED BY '{_PASSWORD}'")
        asked(owner, f"GRANT ALL ON {SCHEMA}.* TO {WRITER}@'%'")
        asked(owner, f"ANALYZE TABLE {names}")


@contextmanager
def writing(owner: Connection, writers: int, rows: int, seed: int) -> Iterator[Waits]:
    """Let so many writers write, and ask the server for their waits, until the block ends."""
    found = Waits()
    stop = threading.Event()
    before = _counters(owner)
    threads = [
        threading.Thread(
            target=_write,
            args=(owner, stop, found),
            kwargs={"number": number, "rows": rows, "seed": seed},
        )
        for number in range(1, writers + 1)
    ]
    threads.append(threading.Thread(target=_sample, args=(owner, stop, found)))
    for each in threads:
        each.start()
    try:
        yield found
    finally:
        stop.set()
        for each in threads:
            each.join()
        found.counters = {
            name: value if name.endswith("max") else value - before[name]
            for name, value in _counters(owner).items()
        }


def _write(
    owner: Connection, stop: threading.Event, found: Waits, *, number: int, rows: int, seed: int
) -> None:
    """Move money between rows of this writer's own, so that no two writers wait for each other."""
    draw = random.Random(f"{seed} {number}")
    event = number * 1_000_000_000 + time.monotonic_ns() // 1_000_000 % 400_000_000
    last = number * 1_000_000_000
    try:
        with closing(_opened(owner, WRITER, _PASSWORD, autocommit=False)) as session:
            cursor = session.cursor()
            while not stop.is_set():
                event += 1
                account, saving = (draw.randrange(number, rows, 20) for _ in range(2))
                amount = draw.randint(1, 9)
                values = ((amount, account), (amount, saving), (event, account, amount), (last,))
                for sql, bound in zip(_TRANSACTION, values, strict=True):
                    began = time.perf_counter()
                    cursor.execute(sql, bound)
                    found.seconds.append(time.perf_counter() - began)
                began = time.perf_counter()
                session.commit()
                found.seconds.append(time.perf_counter() - began)
                last = event
                stop.wait(draw.uniform(0.5, 1.5) * _PAUSE_S)
    except (psycopg.Error, pymysql.MySQLError) as error:
        found.errors.append(str(error))


def _sample(owner: Connection, stop: threading.Event, found: Waits) -> None:
    """Ask for the waits of the moment, again and again."""
    first: dict[tuple[Any, ...], float] = {}
    with closing(_opened(owner, owner.user, owner.password, autocommit=True)) as session:
        cursor = session.cursor()
        last = time.monotonic()
        while not stop.is_set():
            cursor.execute(_WAITS[owner.kind])
            now = time.monotonic()
            found.longest_gap_s = max(found.longest_gap_s, now - last)
            found.samples += 1
            seen = {(row[0], row[1], row[3], row[4]): row[2] for row in cursor.fetchall()}
            first = {key: first.get(key, last) for key in seen}
            for key, told in seen.items():
                lasted = told if told is not None else now - first[key]
                found.waits[key] = max(found.waits.get(key, 0.0), lasted)
            last = now
            stop.wait(_SAMPLE_S)


def _counters(owner: Connection) -> dict[str, int]:
    """Return what InnoDB has counted of waits for rows since its start; times are in ms."""
    if owner.kind == "postgresql":
        return {}
    rows = asked(owner, "SHOW GLOBAL STATUS LIKE 'Innodb_row_lock%'")
    kept = ("Innodb_row_lock_waits", "Innodb_row_lock_time", "Innodb_row_lock_time_max")
    return {name: int(value) for name, value in rows if name in kept}


def _opened(owner: Connection, user: str | None, password: str | None, *, autocommit: bool) -> Any:  # noqa: ANN401
    if owner.kind == "postgresql":
        return psycopg.connect(
            host=owner.host,
            port=owner.port,
            dbname=owner.database,
            user=user,
            password=password,
            autocommit=autocommit,
        )
    return pymysql.connect(
        host=owner.host,
        port=owner.port or 0,
        user=user,
        password=password or "",
        autocommit=autocommit,
    )
