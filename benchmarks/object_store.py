"""Retrieval latency and read throughput of the object store, as in the paper that it follows.

python -m benchmarks.object_store [--repetitions N] [-o results.json]

Abrahamse, Hadnagy and Al-Ars (2022), table I: so many objects of so many bytes, repeated a hundred
times. Two embedded nodes hold them. `retrieve` is one call for all of them: look-up, and mapping
(local) or holding (remote). `read` is every byte summed as words of eight, after it: of the
mapping, or of what is fetched over gRPC for it. Fetched bytes are fetched anew each time; a client
keeps its mappings for some seconds, so that the first one, which has their page faults, is the
warm-up's. The paper does not say how long its client keeps them. Nothing is compared with the
paper's machine: this one's limits are measured beside (a copy in one thread, the same sum over
private memory, and a plain socket on loopback).
"""

import argparse
import json
import multiprocessing
import os
import platform
import socket
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.provenance import provenance
from benchmarks.tables.object_store import cells, table_i, verdicts
from evaluation.embedded import EmbeddedRequest, running
from evaluation.objects.client import ObjectClient
from evaluation.store_protocol.connection import Connection
from workloads.progress import Silent

TABLE_I = (
    (1000, 1_000), (500, 10_000), (200, 100_000), (100, 1_000_000), (50, 10_000_000),
    (10, 100_000_000),
)  # fmt: skip
GIB = 1 << 30
MEMORY = 3 * GIB
NODE = "node-1"


def seconds(act: Callable[[], object]) -> float:
    started = time.perf_counter()
    act()
    return time.perf_counter() - started


def summed(buffers: list[pa.Buffer]) -> int:
    """Read every byte; return a sum that is right only if all were read."""
    return sum(int(np.frombuffer(each, np.uint64).sum()) for each in buffers)


def spread(values: list[float]) -> dict[str, float]:
    return {"median": statistics.median(values), "least": min(values), "most": max(values)}


def measured(
    client: ObjectClient, ids: list[bytes], size: int, expected: int, repetitions: int
) -> dict[str, Any]:
    """Retrieve and read, so many times after a first that does not count."""
    retrieve, read = [], []
    for repetition in range(repetitions + 1):
        started = time.perf_counter()
        found = client.get(ids)
        retrieved = time.perf_counter()
        total = summed(found.buffers())
        ended = time.perf_counter()
        assert total == expected, "what was read is not what was written"
        del found
        if repetition:
            retrieve.append(1e3 * (retrieved - started))
            read.append(len(ids) * size / (ended - retrieved) / GIB)
    return {"retrieve_ms": spread(retrieve), "read_gib_s": spread(read)}


def memory_limits(repetitions: int) -> dict[str, float]:
    """The rates of one thread on private memory: a copy, and the sum that `read` makes."""
    source, target = np.ones(GIB // 8, np.uint64), np.zeros(GIB // 8, np.uint64)
    copies = [1 / seconds(lambda: np.copyto(target, source)) for _ in range(repetitions)]
    sums = [1 / seconds(source.sum) for _ in range(repetitions)]
    return {"memcpy_gib_s": statistics.median(copies), "sum_gib_s": statistics.median(sums)}


def _send(port: int, size: int) -> None:
    data = memoryview(bytearray(4 << 20))
    with socket.create_connection(("127.0.0.1", port)) as sender:
        for _ in range(size // len(data)):
            sender.sendall(data)


def loopback_limit(repetitions: int) -> float:
    """GiB/s of a plain socket from another process, into memory that is used again and again."""
    rates = []
    target = memoryview(bytearray(4 << 20))
    for _ in range(repetitions):
        with socket.create_server(("127.0.0.1", 0)) as server:
            sender = multiprocessing.get_context("spawn").Process(
                target=_send, args=(server.getsockname()[1], GIB)
            )
            sender.start()
            with server.accept()[0] as receiver:
                left = GIB - receiver.recv_into(target)
                started, whole = time.perf_counter(), left
                while left:
                    left -= receiver.recv_into(target)
                rates.append(whole / (time.perf_counter() - started) / GIB)
            sender.join()
    return statistics.median(rates)


def measured_rows(connection: Connection, repetitions: int) -> list[dict[str, Any]]:
    rows = []
    secret = connection.password or ""
    with (
        ObjectClient(connection.nodes, secret) as local,
        ObjectClient(connection.nodes, secret, mapped=False) as remote,
    ):
        for count, size in TABLE_I:
            one = np.random.default_rng(size).integers(0, 1 << 63, size // 8, np.uint64)
            created, ids = [], []
            for number in range(count):
                one[0] = number
                started = time.perf_counter()
                ids.append(local.put(pa.py_buffer(one), node=NODE))
                created.append(time.perf_counter() - started)
            rest = int(one[1:].sum())
            expected = sum((rest + number) % (1 << 64) for number in range(count))
            rows.append(
                {
                    "objects": count,
                    "bytes": size,
                    "create_ms_each": 1e3 * statistics.median(created),
                    "local": measured(local, ids, size, expected, repetitions),
                    "remote": measured(remote, ids, size, expected, repetitions),
                }
            )
            local.delete(ids)
            print(" | ".join(cells(rows[-1])), flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=100)
    parser.add_argument("-o", "--output", type=Path)
    given = parser.parse_args()
    before = os.getloadavg()[0]
    limits = {**memory_limits(5), "loopback_gib_s": loopback_limit(5)}
    print({name: round(rate, 2) for name, rate in limits.items()}, flush=True)
    request = EmbeddedRequest(store="mem", kind="objects", nodes=2, memory_bytes=MEMORY)
    with (
        tempfile.TemporaryDirectory() as folder,
        running((request,), Path(folder), Silent()) as connections,
    ):
        rows = measured_rows(connections["mem"], given.repetitions)
    result = {
        **provenance("benchmarks.object_store", before),
        "repetitions": given.repetitions,
        "limits": limits,
        "rows": rows,
        "met": verdicts(rows, limits),
        "versions": {"python": platform.python_version(), "pyarrow": pa.__version__},
    }
    print(table_i(result))
    if given.output:
        given.output.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
