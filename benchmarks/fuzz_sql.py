"""Try random SQL over random databases on random placements, and count how it ends.

python -m benchmarks.fuzz_sql STAGE [--first-seed N] [--databases N] [--statements N] [--covers N]
    [--seconds S] [--shrink N] [-o results.json]

STAGE is `in-duckdb` (DuckDB runs every part of each cut: hundreds of statements a minute),
`on-stores` (PostgreSQL, MariaDB, DuckDB, Accumulo, the object store and Spark), `by-commands` (a
folder, a project and `advisor analyze`, `place`, `run`), `literals` (TPC-DS and TPC-H with other
literals: `--statements` draws of each query on `--databases` placements), or `dialects` (SQL of
PostgreSQL and MySQL, judged by PostgreSQL and MariaDB; what it means runs in DuckDB, `--statements`
of each dialect over each database, hundreds a minute). The same seeds give the same statements. A
night is `on-stores --databases 60 --statements 340 --covers 1`, and of dialects `dialects
--databases 60 --statements 100`.
"""

import argparse
import json
import logging
import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from benchmarks.fuzz_literals import tried_literals
from benchmarks.provenance import provenance
from evaluation.embedded import EmbeddedRequest, running
from evaluation.installation.jars import jars
from evaluation.installation.java import java_home
from evaluation.kinds import BACKENDS
from evaluation.spark.session import session
from evaluation.store_protocol.connection import Connection
from tests.fuzzing.asked import answer
from tests.fuzzing.by_commands import ended
from tests.fuzzing.campaigns import Tally, Tried, statement, tried_in_duckdb, tried_on_stores
from tests.fuzzing.declared.trying import tried_declared
from tests.fuzzing.outcomes import Kind, Outcome
from tests.fuzzing.reproductions import reproduction
from tests.fuzzing.schemas import draw_database
from workloads.progress import Silent

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

STORES = (
    EmbeddedRequest(store="pg", kind="postgresql"),
    EmbeddedRequest(store="maria", kind="mysql"),
    EmbeddedRequest(store="duck", kind="duckdb"),
    EmbeddedRequest(store="acc", kind="accumulo"),
    EmbeddedRequest(store="mem", kind="objects", nodes=2, memory_bytes=1 << 30),
)
STAGES = ("in-duckdb", "on-stores", "by-commands", "literals", "dialects")
_TOLD_EVERY = 250
_KINDS = {"verified": Kind.RIGHT, "wrong": Kind.WRONG, "undetermined": Kind.UNDETERMINED}


def main() -> None:
    arguments = _arguments()
    # Spark logs each statement that it refuses with a hundred lines of its own.
    logging.disable(logging.CRITICAL)
    tally, started, load_before = Tally(), time.monotonic(), os.getloadavg()[0]
    schemas: set[int] = set()
    placements: set[str] = set()
    with TemporaryDirectory() as folder:
        # What was tried until Ctrl-C is recorded too.
        with suppress(KeyboardInterrupt):
            for tried in _tried(arguments, Path(folder)):
                tally.add(tried)
                schemas.add(tried.seed)
                if tried.outcome.how:
                    placements.add(f"{tried.seed} {tried.outcome.how.split(' | ')[0]}")
                if tally.bad and tally.bad[-1] is tried:
                    print(tried.told(), file=sys.stderr, flush=True)
                seconds = time.monotonic() - started
                if tally.tried % _TOLD_EVERY == 0:
                    print(f"{tally.tried} tried in {seconds:.0f} s", file=sys.stderr, flush=True)
                if seconds > arguments.seconds:
                    break
        _report(
            arguments,
            tally,
            provenance("benchmarks.fuzz_sql", load_before),
            {
                "seconds": round(time.monotonic() - started, 1),
                "schemas": len(schemas),
                "placements": len(placements),
            },
        )
        if arguments.stage == "in-duckdb":
            for text in _reproductions(arguments, tally, Path(folder)):
                print(text, flush=True)
    sys.exit(bool(tally.bad))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stage", choices=STAGES)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--databases", type=int, default=10)
    parser.add_argument("--statements", type=int, default=50, help="over each database")
    parser.add_argument("--covers", type=int, default=3, help="ways to run each statement")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="end after so many")
    parser.add_argument(
        "--shrink", type=int, default=5, help="failures to shrink, of distinct kinds"
    )
    parser.add_argument("-o", "--output", type=Path, default=None)
    return parser.parse_args()


def _tried(arguments: argparse.Namespace, folder: Path) -> Iterator[Tried]:
    seeds = range(arguments.first_seed, arguments.first_seed + arguments.databases)
    if arguments.stage == "in-duckdb":
        yield from tried_in_duckdb(seeds, arguments.statements, folder, arguments.covers)
    elif arguments.stage == "by-commands":
        for seed in seeds:
            yield from _by_commands(seed, arguments.statements, folder)
    elif arguments.stage == "dialects":
        with running(STORES[:2], folder / "stores", Silent()) as stores:
            yield from tried_declared(seeds, arguments.statements, folder, stores)
    else:
        with _stores(folder / "stores") as (stores, spark):
            if arguments.stage == "literals":
                yield from tried_literals(spark, stores, seeds, arguments.statements)
            else:
                yield from tried_on_stores(
                    seeds,
                    arguments.statements,
                    folder,
                    spark=spark,
                    stores=stores,
                    covers=arguments.covers,
                )


@contextmanager
def _stores(folder: Path) -> Iterator[tuple[Mapping[str, Connection], "SparkSession"]]:
    """Start a store of each kind and Spark for the length of the block."""
    names = sorted({jar for backend in BACKENDS.values() for jar in backend.jars})
    with (
        running(STORES, folder, Silent()) as connections,
        session(
            master="local[2]",
            jars=jars(names, Silent()),
            java_home=java_home(Silent()),
            driver_memory="2g",
        ) as spark,
    ):
        yield connections, spark


def _by_commands(seed: int, statements: int, folder: Path) -> Iterator[Tried]:
    """Yield an end for each command and for each outcome that `run` tells of."""
    database = draw_database(seed)
    texts = [statement(seed, number, database) for number in range(statements)]
    with database.connect() as connection:
        asked = [text for text in texts if answer(connection, text) is not None]
    for each in ended(database, asked, folder / str(seed)):
        kind = Kind.CRASHED if each.status == 1 else Kind.RIGHT
        outcome = Outcome(kind=kind, said=each.said if each.status else "", how=each.command)
        yield Tried(seed=seed, number=-1, sql=f"advisor {each.command}", outcome=outcome)
        for name, ending, message in each.queries:
            kind, said = _KINDS.get(ending, Kind.FAILED), message or ""
            # What is said of an answer that is right is the error before its second try.
            again = said if kind is Kind.RIGHT else ""
            outcome = Outcome(kind=kind, said=said, how=name, second_try=again)
            yield Tried(seed=seed, number=-1, sql=name, outcome=outcome)


def _reproductions(arguments: argparse.Namespace, tally: Tally, folder: Path) -> Iterator[str]:
    """Yield failures of distinct kinds, shrunk, each with all that it takes to see it again."""
    seen: set[str] = set()
    for tried in tally.bad:
        if len(seen) >= arguments.shrink:
            return
        if tried.outcome.signature not in seen or tried.outcome.kind is Kind.WRONG:
            seen.add(f"{tried.outcome.signature} {len(seen)}")
            seen.add(tried.outcome.signature)
            yield reproduction(tried, folder, arguments.covers)


def _report(
    arguments: argparse.Namespace,
    tally: Tally,
    made_with: Mapping[str, Any],
    extent: Mapping[str, float],
) -> None:
    counts = {str(kind): tally.counts[kind] for kind in Kind}
    second_tries = tally.second_tries.total()
    print(
        json.dumps(counts), f"second tries: {second_tries}, {extent['seconds']:.0f} s", flush=True
    )
    if arguments.output is None:
        return
    document = {
        **made_with,
        **extent,
        "run": tally.run,
        "counts": counts,
        "refused_share": round(tally.refused_share, 4),
        "refused": dict(tally.refusals.most_common()),
        "second_tries": second_tries,
        "second_try_share": round(tally.second_try_share, 4),
        "second_tried": {
            error: {"times": times, "first": tally.tried_again[error].told()}
            for error, times in tally.second_tries.most_common()
        },
        "bad": [each.told() for each in tally.bad],
    }
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(json.dumps(document, indent=1, ensure_ascii=False), "utf-8")


if __name__ == "__main__":
    main()
