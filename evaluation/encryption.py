"""The outcome of `tls = "prefer"`: TLS where a server has it, clear text where it has none."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

from evaluation.kinds import KINDS
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.side_by_side import side_by_side
from evaluation.store_protocol.tls import TlsMode
from workloads.errors import StoreError


def settled(connections: Mapping[str, Connection]) -> Mapping[str, Connection]:
    """Return store → connection, with `require` or `disable` for each `prefer`.

    MariaDB's driver has no such mode, and a run should be encrypted as a whole or not at all.
    Each server is asked within a few seconds; one that does not answer keeps its `prefer`.
    """
    asked = {name: each for name, each in connections.items() if _prefers(each)}
    found = side_by_side(_settled, tuple(asked.values()))
    return {**connections, **dict(zip(asked, found, strict=True))}


def _prefers(connection: Connection) -> bool:
    return connection.tls.mode == "prefer" and KINDS[connection.kind].encryption is not None


def _settled(connection: Connection) -> Connection:
    encryption = KINDS[connection.kind].encryption
    with suppress(StoreError):
        protocol = None if encryption is None else encryption(connection)
        mode: TlsMode = "disable" if protocol is None else "require"
        return replace(connection, tls=replace(connection.tls, mode=mode))
    return connection
