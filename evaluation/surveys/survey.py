"""The facts that a server in use tells of itself for a new project file."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from evaluation.store_protocol.connection import Connection

Recorded = Literal["all", "slow", "none"]
"""Which statements a log has: all, those that took long, or none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaFound:
    """A schema of the users' own, or a database of MySQL.

    Of its `tables` the account may read those that are `readable`. `bytes` are those of the data
    on the server's disk, without indexes.
    """

    name: str
    tables: int
    readable: int
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerLog:
    """A log that a server says it writes, such as a `csvlog`.

    The files are those in `folder`, on the server's machine, whose names match `pattern`; `folder`
    is None where the account may not know. `settings` are those that `recorded` follows from.
    """

    name: str
    folder: Path | None
    pattern: str
    recorded: Recorded
    settings: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """A server as an account sees it.

    `databases` are the others that the account may log in to. `counted_s` is for how long the
    server has counted statements, None where it does not say or counts none.
    """

    version: str
    schemas: tuple[SchemaFound, ...]
    logs: tuple[ServerLog, ...] = ()
    databases: tuple[str, ...] = ()
    counted_s: float | None = None


Surveyor = Callable[[Connection], Survey]
"""Asks a server, within seconds and in a session that only reads; StoreError where it fails."""
