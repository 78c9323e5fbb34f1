"""Where a store's data count as here."""

import os
from pathlib import Path

import pytest

from evaluation.calibration.server_settings import data_folder
from evaluation.server_settings.settings import ServerSettings
from evaluation.store_protocol.connection import Connection


def found(folder: Path | None, host: str | None) -> Path | None:
    """Where a server at `host` that says `folder` has its data."""
    connection = Connection(store="pg", kind="postgresql", host=host, port=5432)
    return data_folder(connection, ServerSettings(cache_bytes=1, folder=folder))


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.1", "localhost", "::1", "/run/postgresql"])
def test_a_folder_of_a_server_on_loopback_is_here(tmp_path: Path, host: str) -> None:
    assert found(tmp_path, host) == tmp_path


@pytest.mark.parametrize("host", ["192.0.2.1", "2001:db8::1", "no.such.host.invalid", None])
def test_a_folder_of_a_server_elsewhere_is_not(tmp_path: Path, host: str | None) -> None:
    assert found(tmp_path, host) is None


def test_a_folder_that_only_the_server_has_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    file.touch()
    monkeypatch.chdir(tmp_path)
    for folder in (None, tmp_path / "in its container", file, Path()):
        assert found(folder, "127.0.0.1") is None


@pytest.mark.parametrize("lacking", [os.R_OK, os.W_OK, os.X_OK])
def test_a_folder_that_we_may_not_use_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lacking: int
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: not mode & lacking)
    assert found(tmp_path, "127.0.0.1") is None
