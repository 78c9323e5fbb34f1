"""A process that reads the live tables of one store and loads copies of them into another."""

import multiprocessing
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection as Pipe
from pathlib import Path

# Imported once, by the server that the processes are forks of: each would take a second for it.
import duckdb  # noqa: F401
import psycopg  # noqa: F401
import pyarrow.csv
import pyarrow.parquet  # noqa: F401
import pymysql  # noqa: F401

from benchmarks.attacks.live_tables import SCHEMA
from evaluation.kinds import BACKENDS, KINDS
from evaluation.load import load
from evaluation.own_rows import OwnStore, with_own_rows
from evaluation.store_protocol.connection import Connection
from placement.plan import Outcome, PlacementPlan
from workloads.errors import StoreError
from workloads.progress import Silent, Task

_MOST_BYTES = 1 << 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Copying:
    """Reading of the tables of `source`, as Parquet in `folder`, and loading into `target`."""

    source: Connection
    target: Connection
    folder: Path

    def start(self) -> tuple[multiprocessing.Process, Pipe]:
        """Start it; what it is at, it says by the pipe, with "done" at the end or an error."""
        forks = multiprocessing.get_context("forkserver")
        forks.set_forkserver_preload([__name__])
        ours, theirs = forks.Pipe(duplex=False)
        process = forks.Process(target=_copy, args=(self, theirs), daemon=True)
        process.start()
        theirs.close()
        return process, ours


class _Telling(Silent):
    """Says by a pipe which task begins."""

    def __init__(self, pipe: Pipe) -> None:
        self._pipe = pipe

    @contextmanager
    def task(self, description: str, total: float | None = None) -> Iterator[Task]:  # noqa: ARG002
        self._pipe.send(description)
        yield self


def _copy(work: Copying, pipe: Pipe) -> None:
    # What is printed of an error would stand between our lines.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    progress = _Telling(pipe)
    source, target = work.source, work.target
    live, own = KINDS[source.kind].live, KINDS[source.kind].own
    assert live is not None
    assert own is not None
    try:
        with BACKENDS[target.kind].hold(target):
            found = live.catalog(source, progress, schemas=(SCHEMA,))
            catalog = own.as_read(source, found, progress)
            tables = list(catalog.tables)
            store = OwnStore(connection=source, most_bytes=_MOST_BYTES)
            read = with_own_rows(catalog, tables, {source.store: store}, work.folder, progress)
            plan = PlacementPlan(
                strategy="all",
                outcome=Outcome.FEASIBLE,
                placement=dict.fromkeys(tables, (target.store,)),
                routing={},
                predicted_s=0.0,
                seed=0,
            )
            load(read, (plan,), {source.store: source, target.store: target}, progress)
        pipe.send("done")
    except Exception as error:  # noqa: BLE001 - a process of its own, which tells
        is_told = isinstance(error, StoreError)
        pipe.send(f"error: {error}" if is_told else f"error: {type(error).__name__}: {error}")
