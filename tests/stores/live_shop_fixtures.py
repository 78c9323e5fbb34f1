"""Fixtures of tests that measure the shop on live servers."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from evaluation.store_protocol.connection import Connection
from tests.stores.live_shop import PASSWORD, fill


@pytest.fixture(scope="module")
def live_shops(remembering: Mapping[str, Connection]) -> Mapping[str, Connection]:
    """The servers `pg`, `maria` and `mysql8`, filled anew for each module."""
    fill(remembering, "maria", "mysql8")
    return remembering


@pytest.fixture
def live_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the password of the account that only reads, and an empty cache."""
    monkeypatch.setenv("PLACEMENT_ADVISOR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("LIVE_READER_PASSWORD", PASSWORD)
