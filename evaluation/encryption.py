"""The outcome of `tls = "prefer"`: TLS where a server has it, clear text where it has none."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace

from evaluation.kinds import KINDS
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.tls import TlsMode
from workloads.errors import StoreError

_AT_ONCE = 8


def settled(connections: Mapping[str, Connection]) -> Mapping[str, Connection]:
    """Return store → connection, with `require` or `disable` for each `prefer`.

    MariaDB's driver has no such mode, and a run should be encrypted as a whole or not at all.
    Each server is asked within a few seconds; one that does not answer keeps its `prefer`.
    """
    asked = {name: each for name, each in connections.items() if _prefers(each)}
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        found = dict(zip(asked, threads.map(_settled, asked.values()), strict=True))
    return {**connections, **found}


def _prefers(connection: Connection) -> bool:
    return connection.tls.mode == "prefer" and KINDS[connection.kind].encryption is not None


def _settled(connection: Connection) -> Connection:
    encryption = KINDS[connection.kind].encryption
    with suppress(StoreError):
        protocol = None if encryption is None else encryption(connection)
        mode: TlsMode = "disable" if protocol is None else "require"
        return replace(connection, tls=replace(connection.tls, mode=mode))
    return connection
