"""A node of the object store, or an Accumulo, that falls silent ends a wait in a stated time."""

import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Timer
from time import monotonic, sleep

import pytest

from evaluation.embedded import EmbeddedRequest, running
from evaluation.kinds import BACKENDS
from evaluation.load import load
from evaluation.objects import wire
from evaluation.objects.errors import NodeLostError
from evaluation.objects.link import Link
from evaluation.objects.members import Member
from evaluation.store_protocol.connection import Connection
from evaluation.stores.accumulo import sessions
from placement.plan import Outcome, PlacementPlan
from tests.stores.silent_proxy import silent_proxy
from tests.stores.test_objects import SECRET, Nodes, started
from workloads.catalog import Catalog
from workloads.errors import StoreError
from workloads.progress import Silent

pytestmark = pytest.mark.stores

SILENCE_S = 2.0
IN_TIME_S = 30.0


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nodes]:
    with started(tmp_path_factory.mktemp("one"), "ann") as nodes:
        yield nodes


@contextmanager
def linked(nodes: Nodes, **lost: int) -> Iterator[Link]:
    port = int(nodes.addresses["ann"].rpartition(":")[2])
    with silent_proxy(port, **lost) as proxy:
        member = Member(name="ann", address=f"127.0.0.1:{proxy}", machine="", memory="")
        link = Link(member, SECRET, SILENCE_S)
        yield link
        began = monotonic()
        link.close()
        assert monotonic() - began < IN_TIME_S


@contextmanager
def stopped(pid: int) -> Iterator[None]:
    os.kill(pid, signal.SIGSTOP)
    # Its threads stop one after the other.
    while Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "T":
        sleep(0.05)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


@pytest.mark.parametrize("lost", [{"asked": 1_500}, {"told": 900}], ids=["asked", "told"])
def test_a_session_with_a_node_that_falls_silent_ends(one: Nodes, lost: dict[str, int]):
    with linked(one, **lost) as link:
        with pytest.raises(NodeLostError, match="silence_s"):  # noqa: PT012 - until it is silent
            for _ in range(1_000):
                began = monotonic()
                link.request(wire.HOLD, os.urandom(16))
        assert SILENCE_S / 2 < monotonic() - began < IN_TIME_S


def test_a_session_with_a_node_that_is_stopped_ends(one: Nodes):
    with linked(one) as link:
        link.request(wire.ALIVE)
        with stopped(one.processes["ann"].pid):
            began = monotonic()
            with pytest.raises(NodeLostError, match="silence_s"):
                link.request(wire.ALIVE)
            assert monotonic() - began < IN_TIME_S
        # A session that is silent because nobody asks is none that has ended.
        link.request(wire.ALIVE)


def test_an_object_that_is_sent_to_a_node_that_falls_silent_ends(one: Nodes):
    import pyarrow as pa

    data = pa.py_buffer(bytes(4 << 20))
    with linked(one, asked=200_000) as link:
        began = monotonic()
        with pytest.raises(NodeLostError):
            link.put(wire.dumped([["", data.size, 0]]), iter([data]))
        assert monotonic() - began < IN_TIME_S


def test_an_idle_session_outlasts_its_silence(one: Nodes):
    with linked(one) as link:
        link.request(wire.ALIVE)
        sleep(3 * SILENCE_S)
        link.request(wire.ALIVE)


@pytest.fixture(scope="module")
def own_accumulo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Connection, int]]:
    """An Accumulo of this module's own, and the process that it is."""
    from evaluation.embedded import status

    folder: Path = tmp_path_factory.mktemp("own")
    with running((EmbeddedRequest(store="acc", kind="accumulo"),), folder, Silent()) as found:
        (pid,) = (each.pid for each in status(folder) if each.store == "acc")
        assert pid is not None
        there = replace(found["acc"], namespace="silent", silence_s=SILENCE_S)
        BACKENDS["accumulo"].prepare(there)
        yield there, pid


def loaded(catalog: Catalog, connections: Mapping[str, Connection]) -> None:
    plan = PlacementPlan(
        strategy="one",
        outcome=Outcome.FEASIBLE,
        placement={"inventory": ("acc",), "store_sales": ("acc",)},
        routing={},
        predicted_s=1.0,
    )
    load(catalog, [plan], connections, Silent())


def test_a_command_for_an_accumulo_that_is_stopped_ends(
    own_accumulo: tuple[Connection, int], monkeypatch: pytest.MonkeyPatch
):
    there, pid = own_accumulo
    monkeypatch.setattr(sessions, "_ASKED_S", 4.0)
    with stopped(pid):
        began = monotonic()
        # A client knows the namespaces that there are, but cannot make one.
        with pytest.raises(StoreError, match="silence_s"):
            BACKENDS["accumulo"].prepare(replace(there, namespace="another"))
        assert monotonic() - began < 2 * IN_TIME_S
    assert BACKENDS["accumulo"].loaded(there) == {}


def test_a_load_into_an_accumulo_that_is_stopped_ends(
    own_accumulo: tuple[Connection, int], tiny: Catalog, monkeypatch: pytest.MonkeyPatch
):
    there, pid = own_accumulo
    monkeypatch.setattr(sessions, "_ASKED_S", 4.0)
    stop = Timer(1.0, os.kill, [pid, signal.SIGSTOP])
    resume = Timer(1.0 + 2 * IN_TIME_S, os.kill, [pid, signal.SIGCONT])
    try:
        stop.start()
        resume.start()
        began = monotonic()
        with pytest.raises(StoreError, match="silence_s"):
            loaded(tiny, {"acc": there})
        assert monotonic() - began < 2 * IN_TIME_S
    finally:
        stop.cancel()
        resume.cancel()
        os.kill(pid, signal.SIGCONT)
