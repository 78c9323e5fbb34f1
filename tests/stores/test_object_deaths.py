"""The object store when readers, writers and nodes end or are killed."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from evaluation.objects import holds
from evaluation.objects.errors import (
    FullError,
    NodeLostError,
    NotThereError,
)
from evaluation.objects.link import Link
from tests.stores.object_nodes import MIB, SECRET, put, started, wait_until

pytestmark = pytest.mark.stores


@pytest.mark.parametrize("mapped", [True, False], ids=["mapped", "fetched"])
def test_nothing_in_use_is_evicted(tmp_path: Path, *, mapped: bool):
    with (
        started(tmp_path, "ann", "bob") as nodes,
        nodes.client() as writer,
        nodes.client(mapped=mapped, at="bob") as reader,
    ):
        ids = [writer.put(bytes([number]) * 5 * MIB, node="ann") for number in range(3)]
        used = reader.get(ids[:2])
        in_use = used.buffers()
        writer.put(bytes(5 * MIB), node="ann")
        with pytest.raises(NotThereError):
            reader.get([ids[2]])
        assert [bytes(each[:1]) for each in (used.buffers() if mapped else in_use)] == [
            b"\0",
            b"\1",
        ]
        with pytest.raises(FullError, match="in use"):
            writer.put(bytes(10 * MIB), node="ann")
        del used, in_use
        wait_until(lambda: put(writer, 10 * MIB))


_HOLDS = """
import sys, time
from evaluation.objects.client import ObjectClient
client = ObjectClient([sys.argv[1]], sys.argv[2], mapped=False)
kept = client.get([bytes.fromhex(sys.argv[3])])
print("held", flush=True)
time.sleep(60)
"""


def test_a_reader_elsewhere_that_dies_holds_nothing(tmp_path: Path):
    with started(tmp_path, "ann") as nodes, nodes.client() as client:
        one = client.put(bytes(10 * MIB))
        command = [sys.executable, "-c", _HOLDS, nodes.addresses["ann"], SECRET, one.hex()]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as reader:
            assert reader.stdout is not None
            assert reader.stdout.readline() == "held\n"
            assert not put(client, 10 * MIB)
            reader.kill()
        # Before the lease is over.
        wait_until(lambda: put(client, 10 * MIB), holds.LEASE_S * 2 / 3)


def test_a_reader_keeps_what_it_holds_for_longer_than_a_lease(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    with started(tmp_path, "ann") as nodes, nodes.client() as writer:
        one = writer.put(bytes(10 * MIB))
        monkeypatch.setattr("evaluation.objects.cluster.LEASE_S", 0.3)
        with nodes.client(mapped=False) as reader:
            asked = []

            def keep_alive(link: Link) -> None:
                asked.append(link)

            monkeypatch.setattr(Link, "keep_alive", keep_alive)
            kept = reader.get([one])
            wait_until(lambda: len(asked) >= 3)
            assert len(kept.buffers()) == 1


def test_what_a_killed_writer_began_is_dropped(tmp_path: Path):
    begins = _HOLDS.replace("client.get([bytes.fromhex(sys.argv[3])])", "client.create(10 << 20)")
    begins = begins.replace(", mapped=False", "")
    with started(tmp_path, "ann") as nodes, nodes.client() as client:
        command = [sys.executable, "-c", begins, nodes.addresses["ann"], SECRET]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "held\n"
            assert not put(client, 10 * MIB)
            writer.kill()
        wait_until(lambda: put(client, 10 * MIB))
        assert client.objects() == {"ann": {}}


@pytest.mark.parametrize("mapped", [True, False], ids=["mapped", "fetched"])
def test_a_nodes_death_is_an_error_with_its_name_for_what_it_held(tmp_path: Path, *, mapped: bool):
    with started(tmp_path, "ann", "bob") as nodes, nodes.client(mapped=mapped) as client:
        on_ann, on_bob = client.put(b"a", node="ann"), client.put(b"b", node="bob")
        assert len(client.get([on_ann, on_bob]).buffers()) == 2
        nodes.end("bob", signal.SIGKILL)
        with pytest.raises(NodeLostError, match=r"node 'bob' \(127.0.0.1:\d+\) does not answer"):
            client.get([on_ann, on_bob])
        assert bytes(client.get([on_ann]).buffers()[0]) == b"a"
        nodes.start("bob")
        with nodes.client(mapped=mapped) as later:
            assert bytes(later.get([on_bob]).buffers()[0]) == b"b"


def test_a_node_that_was_killed_has_its_objects_again_and_one_that_ended_has_not(tmp_path: Path):
    with started(tmp_path, "ann") as nodes:
        with nodes.client() as client:
            one = client.put(b"x" * MIB, node="ann")
            client.bind("ann", "space", "name", "value")
        nodes.end("ann", signal.SIGKILL)
        nodes.start("ann")
        with nodes.client() as client:
            assert bytes(client.get([one]).buffers()[0]) == b"x" * MIB
            assert client.named("space") == {"ann": {"name": "value"}}
        nodes.end("ann", signal.SIGTERM)
        assert not (tmp_path / "ann").exists()
        nodes.start("ann")
        with nodes.client() as client, pytest.raises(NotThereError):
            client.get([one])


def test_a_client_finds_a_node_again_that_was_started_anew(tmp_path: Path):
    with started(tmp_path, "ann") as nodes, nodes.client() as client:
        before = client.put(b"before")
        assert client.get([before])
        nodes.end("ann", signal.SIGTERM)
        nodes.start("ann")
        with pytest.raises(NotThereError):
            client.get([before])
        with nodes.client() as other:
            after = other.put(b"after")
        assert bytes(client.get([after]).buffers()[0]) == b"after"
