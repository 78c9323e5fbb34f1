"""The object store on real nodes: who sees what, and what is refused."""

import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from evaluation.embedded import EmbeddedRequest, running
from evaluation.kinds import BACKENDS
from evaluation.objects import node
from evaluation.objects.client import ObjectClient
from evaluation.objects.errors import (
    ExistsError,
    FullError,
    NotThereError,
    ObjectError,
    RefusedError,
)
from evaluation.objects.node import SECRET_VARIABLE
from evaluation.objects.retrieval import cut
from evaluation.objects.tables import group_of
from evaluation.processes.folder import ServerFolder
from evaluation.servers.objects import memory_folder
from evaluation.store_protocol.connection import Connection
from tests.stores.object_nodes import MIB, SECRET, Nodes, started, wait_until
from tests.stores.parquet_tables import numbers, write
from workloads.errors import StoreError
from workloads.progress import Silent

pytestmark = pytest.mark.stores


NAMES = ("ann", "bob", "cid")

# As the kernel writes 127.0.0.1, alone and within IPv6.
LOOPBACK = {"0100007F", "0000000000000000FFFF00000100007F"}


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nodes]:
    with started(tmp_path_factory.mktemp("three"), *NAMES) as nodes:
        yield nodes


@pytest.fixture(params=[True, False], ids=["mapped", "fetched"])
def client(three: Nodes, request: pytest.FixtureRequest) -> Iterator[ObjectClient]:
    with three.client(mapped=request.param) as found:
        yield found


def test_objects_of_every_node_are_retrieved_in_the_order_asked_for(client: ObjectClient):
    data = [secrets.token_bytes(size) for size in (0, 1, 1000, 3 * MIB, 70_000, 5 * MIB)]
    ids = [client.put(each, node=NAMES[index % 3]) for index, each in enumerate(data)]
    assert [bytes(each) for each in client.get(ids[::-1]).buffers()] == data[::-1]
    assert [bytes(each) for each in client.get([ids[3]] * 2).buffers()] == [data[3]] * 2
    assert client.delete(ids) == len(ids)
    with pytest.raises(NotThereError, match=r"is in no node, and 5 more"):
        client.get(ids)


def test_what_one_client_makes_another_sees_wherever_it_is(three: Nodes):
    with three.client() as here, three.client(mapped=False, at="cid") as there:
        one, other = here.put(b"from here", node="bob"), there.put(b"from there", node="bob")
        for client in (here, there):
            assert [bytes(each) for each in client.get([one, other]).buffers()] == [
                b"from here",
                b"from there",
            ]
            assert {one, other} <= client.objects()["bob"].keys()


def test_mapped_objects_are_not_copied(three: Nodes):
    with three.client() as client:
        one = client.put(bytes(2 * MIB), node="ann")
        first, second = (client.get([one]).buffers()[0] for _ in range(2))
        assert first.address == second.address
        assert not first.is_mutable


def test_an_id_that_another_node_has_is_refused(client: ObjectClient):
    chosen = secrets.token_bytes(16)
    assert client.put(b"x", node="ann", object_id=chosen) == chosen
    with pytest.raises(ExistsError, match="on 'ann'"):
        client.put(b"y", node="bob", object_id=chosen)
    assert bytes(client.get([chosen]).buffers()[0]) == b"x"
    client.delete([chosen])
    client.put(b"z", node="bob", object_id=chosen)
    assert bytes(client.get([chosen]).buffers()[0]) == b"z"


def test_an_object_is_not_seen_until_it_is_sealed(client: ObjectClient):
    creation = client.create(6, node="bob")
    creation.write(b"abc")
    with pytest.raises((ValueError, RefusedError)):
        creation.seal()
    creation.write(b"def")
    one = creation.seal()
    assert bytes(client.get([one]).buffers()[0]) == b"abcdef"


def test_a_wrong_secret_is_refused_and_not_repeated(three: Nodes):
    address = three.addresses["ann"]
    for wrong in ("", "another", SECRET + "x"):
        with pytest.raises(RefusedError, match="refuses the secret") as refused:
            ObjectClient([address], wrong)
        assert SECRET not in str(refused.value)


def test_a_lock_is_one_clients_until_it_gives_it_back_or_ends(three: Nodes):
    with three.client() as one, three.client(mapped=False) as other:
        assert one.lock("space")
        assert not other.lock("space")
        assert other.lock("another")
        one.unlock("space")
        assert other.lock("space")
        assert not one.lock("space")
    with three.client() as third:
        wait_until(lambda: third.lock("space"))


def test_a_node_tells_why_it_does_not_start(three: Nodes, tmp_path: Path):
    def said(*more: str, secret: str = SECRET) -> str:
        command = [sys.executable, "-m", "evaluation.objects.node", "--name", "dan"]
        command += ["--memory", "16MiB", "--folder", str(tmp_path / "dan"), *more]
        environment = {**os.environ, SECRET_VARIABLE: secret}
        ended = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=120, check=False
        )
        assert ended.returncode == 1
        return ended.stderr

    assert "is taken" in said("--listen", three.addresses["ann"])
    assert SECRET_VARIABLE in said(secret=" ")
    assert "another node has its memory" in said("--folder", str(three.folder / "ann"))


def test_bytes_that_came_in_pieces_are_put_together():
    chunks = [pa.py_buffer(each) for each in (b"ab", b"cdef", b"", b"gh")]
    assert [bytes(each) for each in cut(chunks, [1, 0, 4, 0, 3])] == [
        b"a", b"", b"bcde", b"", b"fgh",
    ]  # fmt: skip


def test_embedded_nodes_are_on_loopback_and_leave_no_memory(tmp_path: Path):
    request = EmbeddedRequest(store="mem", kind="objects", nodes=3, memory_bytes=48 * MIB)
    folder = memory_folder(ServerFolder.of(tmp_path, "mem", "objects"))
    with running((request,), tmp_path, Silent()) as connections:
        connection = connections["mem"]
        with ObjectClient(connection.nodes, connection.password or "") as client:
            addresses = [each.address for each in client.members]
            assert len(addresses) == 3
            assert all(each.startswith("127.0.0.1:") for each in addresses)
            assert {each.capacity_bytes for each in client.usage().values()} == {16 * MIB}
            client.put(bytes(MIB), node="node-2")
        ports = {int(each.rsplit(":", 1)[1]) for each in addresses}
        assert sorted(port for port, _ in listening() if port in ports) == sorted(ports)
        assert {address for port, address in listening() if port in ports} <= LOOPBACK
        assert folder.is_dir()
        assert folder.stat().st_mode & 0o777 == 0o700
    assert not folder.exists()


def listening() -> list[tuple[int, str]]:
    """The ports that something listens at, and at which address."""
    found = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            address, port = fields[1].split(":")
            if fields[3] == "0A":
                found.append((int(port, 16), address))
    return found


def test_an_embedded_node_that_is_killed_is_named(tmp_path: Path):
    request = EmbeddedRequest(store="mem", kind="objects", nodes=2, memory_bytes=48 * MIB)
    with running((request,), tmp_path, Silent()) as connections:
        connection, backend = connections["mem"], BACKENDS["objects"]
        backend.load(connection, numbers(tmp_path, "numbers", 10))
        assert backend.answers(connection)
        pid = ServerFolder.of(tmp_path, "mem", "objects").running().handle.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
        os.kill(int(children[1]), signal.SIGKILL)
        wait_until(lambda: not backend.answers(connection))
        with pytest.raises(StoreError, match=r"Store 'mem': .*node 'node-2' .* does not answer"):
            backend.loaded(connection)
    assert not memory_folder(ServerFolder.of(tmp_path, "mem", "objects")).exists()


@pytest.fixture
def mem(objects: Mapping[str, Connection]) -> Connection:
    return replace(objects["mem"], namespace="test_objects")


def test_a_table_that_does_not_fit_is_an_error_and_leaves_the_others(tmp_path: Path):
    small = EmbeddedRequest(store="mem", kind="objects", nodes=2, memory_bytes=128 * MIB)
    backend = BACKENDS["objects"]
    large = write(
        tmp_path, "large", {"text": "VARCHAR"},
        "SELECT repeat(chr(65 + (range % 26)::INTEGER), 100000) AS text FROM range(1500)",
    )  # fmt: skip
    with running((small,), tmp_path / "servers", Silent()) as connections:
        mem = connections["mem"]
        backend.prepare(mem)
        backend.load(mem, numbers(tmp_path, "small", 10))
        with pytest.raises(StoreError, match=r"'large' cannot be loaded .* has no room for"):
            backend.load(mem, large)
        assert set(backend.loaded(mem)) == {"small"}
        with ObjectClient(mem.nodes, mem.password or "") as client:
            assert sum(map(len, client.objects(group_of(mem.namespace)).values())) == 1
            assert sum(each.used_bytes for each in client.usage().values()) < 64 * MIB
            backend.drop(mem, "small")
            assert not any(client.objects(group_of(mem.namespace)).values())


def test_a_large_table_lies_on_every_node(
    mem: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("evaluation.stores.objects._ROWS_PER_OBJECT", 4096)
    backend = BACKENDS["objects"]
    backend.prepare(mem)
    with ObjectClient(mem.nodes, mem.password or "") as client:
        before = {name: set(ids) for name, ids in client.objects().items()}
        backend.load(mem, numbers(tmp_path, "numbers", 30_000))
        added = {name: len(set(ids) - before[name]) for name, ids in client.objects().items()}
        assert sum(added.values()) > 4
        assert max(added.values()) - min(added.values()) <= 1
        backend.drop(mem, "numbers")
        assert {name: set(ids) for name, ids in client.objects().items()} == before


def test_the_address_of_a_node_is_one_of_this_machine_unless_another_is_named():
    assert node.parsed(["--name", "a", "--memory", "4GiB"]).listen == "127.0.0.1:0"
    assert node.parsed(["--name", "a", "--memory", "1.5 GiB"]).memory == 3 << 29


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("--name a --memory parsecs", "'parsecs' is no amount of memory such as 4GiB"),
        ("--name a --memory 0", "'0' is no amount of memory such as 4GiB"),
        ("--name ../a --memory 4MiB", "'../a' is no name"),
        ("--name a --memory 4MiB --secret-file /nowhere", "cannot be read from /nowhere"),
        ("--name a --memory 900TiB", "MiB in all: ask for less in --memory"),
    ],
)
def test_a_node_that_cannot_be_says_why_in_one_line(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: str,
    told: str,
):
    monkeypatch.setattr(sys, "argv", ["node", *arguments.split()])
    with pytest.raises(SystemExit) as ended:
        node.main()
    assert told in f"{ended.value} {capsys.readouterr().err}"


def test_every_error_of_a_node_keeps_its_kind():
    kinds = {ObjectError, NotThereError, ExistsError, FullError, RefusedError}
    from evaluation.objects.errors import KINDS

    assert set(KINDS.values()) == kinds
