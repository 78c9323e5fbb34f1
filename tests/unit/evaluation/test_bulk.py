"""Sending a table in parts, without a store."""

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from threading import Barrier, Event

import pytest

from evaluation.bulk import bulk
from evaluation.bulk.bulk import LoadStoppedError, send
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.failures import Failures
from tests.stores.parquet_tables import numbers
from workloads.catalog import Table
from workloads.errors import StoreError

FAILURES = Failures(connection=Connection(store="pg", kind="postgresql", host="db", port=5432))
ROWS = 20_000


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Table:
    """A table that is cut into parts, for two cores."""
    monkeypatch.setattr(bulk, "_ROWS_PER_PART", 4096)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    return numbers(tmp_path, "numbers", ROWS)


def lines(chunks: Iterable[memoryview]) -> int:
    return sum(bytes(chunk).count(b"\n") for chunk in chunks)


@pytest.mark.parametrize("by_key", [False, True])
def test_parts_are_sent_at_the_same_time_and_make_up_the_table(table: Table, by_key: bool):
    # Rows come in more parts than two; the first two must be under way together.
    both = Barrier(2, timeout=90)
    seen = []

    def sender(chunks: Iterable[memoryview]) -> int:
        seen.append(None)
        if len(seen) <= 2:
            both.wait()
        return lines(chunks)

    assert send(FAILURES, table, sender, by_key=by_key) == ROWS
    assert len(seen) == (2 if by_key else 5)


def test_when_a_part_fails_its_reason_is_told_and_the_others_stop(table: Table):
    failing, sent = Event(), []

    def sender(chunks: Iterable[memoryview]) -> int:
        if not failing.is_set():
            failing.set()
            raise ValueError("Data too long for column 'word'")
        sent.append(lines(chunks))
        return sent[-1]

    stop = Event()
    with pytest.raises(StoreError, match=r"'numbers' cannot be loaded .*Data too long"):
        send(FAILURES, table, sender, stop=stop)
    assert stop.is_set()
    assert sum(sent) < ROWS


def test_a_load_that_is_told_to_stop_ends_amid_its_rows(table: Table):
    stop = Event()
    begun = []

    def sender(chunks: Iterable[memoryview]) -> int:
        rows = 0
        for chunk in chunks:
            rows += lines([chunk])
            begun.append(rows)
            stop.set()
        return rows

    with pytest.raises(LoadStoppedError):
        send(FAILURES, table, sender, stop=stop)
    assert 0 < len(begun) <= 2


def test_no_parquet_is_told(table: Table, tmp_path: Path):
    gone = replace(table, parquet=tmp_path / "gone.parquet")
    with pytest.raises(StoreError, match="there is no Parquet at"):
        send(FAILURES, gone, lines)
