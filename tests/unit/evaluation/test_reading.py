"""The order in which fragments are read that need keys of others."""

from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import replace
from threading import Event
from types import SimpleNamespace

import pytest

from evaluation.federation.compiled import CompiledFragment, CompiledQuery
from evaluation.federation.keys import KeyFilter, KeySource
from evaluation.running.driver_rows import DriverRows
from evaluation.running.federated_query import Reading
from evaluation.running.restricting import LoadedKeys
from placement.fragment import Coverage, EstimatedWork, Fragment
from placement.stores import Capability
from workloads.errors import StoreError


def fragment(number, keys_of):
    source = KeySource(view=f"fragment_{keys_of}", column="k", store="pg")
    return CompiledFragment(
        view=f"fragment_{number}",
        store="pg",
        sql="SELECT 1",
        rows="SELECT 1",
        columns=("k",),
        keys=(KeyFilter(column="k", quoted='"k"', source=source),),
        fragment=Fragment(
            coverage=Coverage(
                query="q",
                kind=Capability.SCAN,
                block="b0",
                sources=(f"b0.t{number}",),
                tables=frozenset({"t"}),
            ),
            work=EstimatedWork(
                scan_bytes=1.0,
                column_bytes=1.0,
                join_rows=0.0,
                aggregate_rows=0.0,
                rows_out=1.0,
                row_bytes_out=8.0,
            ),
        ),
    )


CIRCLE = CompiledQuery(
    query="q", fragments=(fragment(0, 1), fragment(1, 0)), combine_sql="SELECT 1"
)


@pytest.fixture
def reading():
    with ThreadPoolExecutor(4) as pool, ExitStack() as left:
        yield Reading(
            spark=SimpleNamespace(sparkContext=SimpleNamespace(defaultParallelism=2)),
            relations=SimpleNamespace(runs_sql=lambda _: True),
            as_predicted=True,
            join_strategy="automatic",
            pool=pool,
            patience_s=1.0,
            left=left,
            key_tables=LoadedKeys(connections={}, run="r"),
        )


class Stuck:
    """Sessions of a store that begins to answer, and never ends unless it is released."""

    def __init__(self):
        self.asked, self.begun, self.released = [], Event(), Event()

    def most_rows(self, _):
        return 10

    def refusal(self, _):
        return ""

    def rows(self, asked, _):
        self.asked.append(asked.view)
        self.begun.set()
        self.released.wait(10)
        raise StoreError("pg", "gone")


def test_fragments_that_wait_for_one_another_are_an_error_and_no_wait(reading):
    with pytest.raises(RuntimeError, match="fragment_0, fragment_1"):
        reading.frame(CIRCLE)
    with pytest.raises(RuntimeError, match="fragment_0, fragment_1"):
        DriverRows(CIRCLE, reading, Stuck(), {}, reading.pool).begin()


def test_what_waits_for_keys_ends_with_its_query_and_asks_nobody(reading):
    first = replace(fragment(0, 0), keys=(), types=("BIGINT",))
    query = replace(CIRCLE, fragments=(fragment(2, 0), first, fragment(1, 0)))
    sessions = Stuck()
    rows = DriverRows(query, reading, sessions, {}, reading.pool)
    found = rows.begin()
    assert sessions.begun.wait(5)
    rows.end()
    waiting = [found[view] for view in ("fragment_1", "fragment_2")]
    # They look twice a second.
    done, _ = wait(waiting, 2)
    assert done == set(waiting)
    sessions.released.set()
    wait(found.values(), 5)
    assert sessions.asked == ["fragment_0"]
    # Spark is not asked instead: that would be an AttributeError here.
    assert isinstance(found["fragment_0"].exception(), StoreError)
