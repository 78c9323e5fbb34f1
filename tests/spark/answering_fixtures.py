"""Stores that answer alone, and an engine that must not be asked."""

from collections.abc import Mapping
from typing import Any

import pytest

from evaluation.kinds import BACKENDS
from evaluation.running.federated_query import Reading
from evaluation.store_protocol.connection import Connection

ANSWERING = ("pg", "maria", "mysql8")


@pytest.fixture
def answering_stores(
    embedded: Mapping[str, Connection], others: Mapping[str, Connection]
) -> Mapping[str, Connection]:
    found = {name: {**embedded, **others}[name] for name in ANSWERING}
    for connection in found.values():
        BACKENDS[connection.kind].prepare(connection)
    return found


@pytest.fixture
def no_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the engine have no frame of its own."""

    def frame(*_: Any) -> None:
        raise AssertionError("Spark was asked")

    monkeypatch.setattr(Reading, "frame", frame)
    monkeypatch.setattr(Reading, "read", frame)
