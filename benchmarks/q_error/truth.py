"""True row counts of fragments, counted by DuckDB over the catalog's Parquet and remembered."""

import hashlib
import json
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import duckdb

from benchmarks.q_error.fragment_sql import FragmentSql
from workloads.catalog import Catalog
from workloads.duck import literal, quoted

THREADS = 2
MEMORY_LIMIT = "8GB"
SAVE_EVERY = 25


def count_all(
    fragments: Sequence[FragmentSql], catalog: Catalog, path: Path, *, limit_s: float
) -> Mapping[str, int | None]:
    """Return fragment → rows; None where the count did not end within `limit_s` or in memory.

    Counts are kept in `path` by the hash of their SQL: a fragment whose SQL has changed is
    counted anew, and an interrupted run goes on where it was. One that did not finish is tried
    again only with a higher limit.
    """
    known = json.loads(path.read_text("utf-8")) if path.exists() else {}
    wanted = {key_of(each): each for each in fragments}
    missing = [
        key
        for key in wanted
        if key not in known or (known[key]["rows"] is None and known[key]["limit_s"] < limit_s)
    ]
    if missing:
        with _loaded(catalog) as connection:
            for done, key in enumerate(missing, start=1):
                known[key] = _counted(connection, wanted[key].sql_duckdb, limit_s)
                if done % SAVE_EVERY == 0 or done == len(missing):
                    _save(path, known)
                    name = wanted[key].fragment
                    sys.stderr.write(f"counted {done:,} of {len(missing):,} ({name})\n")
    return {each.fragment: known[key_of(each)]["rows"] for each in fragments}


def key_of(fragment: FragmentSql) -> str:
    """Return what tells one SQL from another."""
    return hashlib.sha256(fragment.sql_duckdb.encode()).hexdigest()[:20]


def _loaded(catalog: Catalog) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(":memory:")
    connection.execute(f"SET threads = {THREADS}")
    connection.execute(f"SET memory_limit = {literal(MEMORY_LIMIT)}")
    for name, table in catalog.tables.items():
        connection.execute(
            f"CREATE TABLE {quoted(name)} AS FROM read_parquet({literal(table.parquet)})"
        )
    return connection


def _counted(
    connection: duckdb.DuckDBPyConnection, sql: str, limit_s: float
) -> dict[str, float | int | str | None]:
    timer = threading.Timer(limit_s, connection.interrupt)
    started = time.perf_counter()
    timer.start()
    rows, failure = None, ""
    try:
        rows = connection.execute(f"SELECT count(*) FROM ({sql}) AS fragment").fetchone()[0]
    except duckdb.InterruptException:
        failure = "time"
    except duckdb.OutOfMemoryException:
        failure = "memory"
    finally:
        timer.cancel()
    seconds = round(time.perf_counter() - started, 3)
    found = {"rows": rows, "seconds": seconds}
    return found if rows is not None else found | {"failure": failure, "limit_s": limit_s}


def _save(path: Path, known: Mapping[str, object]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(known, indent=0, sort_keys=True), "utf-8")
    partial.replace(path)
