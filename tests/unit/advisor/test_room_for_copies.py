"""Free space is compared with what the copies that are not there yet may take."""

import os
import shutil
from types import SimpleNamespace

import pytest

from advisor.measuring import store_checks
from advisor.measuring.store_checks import check_stores
from tests.unit.advisor.project_files import load
from workloads.progress import Silent

MB = 1 << 20


@pytest.mark.parametrize(("free", "held", "serves"), [(4, 8, True), (12, 0, True), (4, 5, False)])
@pytest.mark.usefixtures("own_cache")
def test_copies_that_are_there_need_no_free_space(tmp_path, monkeypatch, free, held, serves):
    path = tmp_path / "shop.duckdb"
    path.write_bytes(b"x" * (held * MB))
    project = load(tmp_path, stores__pg=f'kind = "duckdb"\npath = "{path}"\ncapacity = "10 MiB"')
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=free * MB))
    (found,) = check_stores(project, Silent())
    assert found.serves == serves
    if not serves:
        assert "4.2 MB are free, 5.2 MB are taken by copies" in found.lacks[0].what


def test_the_copies_of_an_embedded_server_are_the_files_in_its_folder(tmp_path):
    (tmp_path / "base").mkdir()
    (tmp_path / "base" / "1").write_bytes(b"x" * 100)
    (tmp_path / "log").write_bytes(b"x" * 10)
    assert store_checks._bytes_below(tmp_path) == 110
    assert store_checks._bytes_below(tmp_path / "missing") == 0


@pytest.mark.usefixtures("own_cache")
def test_only_a_file_that_copies_go_into_has_to_be_writable(tmp_path, monkeypatch):
    for name in ("live", "copies"):
        (tmp_path / f"{name}.duckdb").write_bytes(b"x")
    (tmp_path / "log.sql").write_text("SELECT 1")
    project = load(
        tmp_path,
        workload='source = ["log.sql"]\ndialect = "duckdb"',
        catalog='source = ["stores.live", "stores.gone"]',
        stores__pg=f'kind = "duckdb"\npath = "{tmp_path}/copies.duckdb"\ncapacity = "10 MiB"',
        stores__live=f'kind = "duckdb"\npath = "{tmp_path}/live.duckdb"\ntables = "live"',
        stores__gone=f'kind = "duckdb"\npath = "{tmp_path}/gone.duckdb"\ntables = "live"',
    )
    monkeypatch.setattr(os, "access", lambda path, mode: path.exists() and not mode & os.W_OK)
    found = {each.store: each.error for each in check_stores(project, Silent())}
    assert not found["live"]
    assert "copies.duckdb cannot be read and written" in found["pg"]
    assert "gone.duckdb is not there" in found["gone"]


@pytest.mark.usefixtures("own_cache")
def test_a_file_that_nothing_is_read_from_yet_need_not_be_there(tmp_path):
    (tmp_path / "tables.sql").write_text("CREATE TABLE t (i INTEGER)")
    (tmp_path / "log.sql").write_text("SELECT i FROM t")
    project = load(
        tmp_path,
        workload='source = ["log.sql"]\ndialect = "duckdb"',
        catalog='source = ["tables.sql"]\ndialect = "duckdb"',
        stores__pg=f'kind = "duckdb"\npath = "{tmp_path}/none.duckdb"\ncapacity = "10 MiB"',
    )
    (found,) = check_stores(project, Silent())
    assert not found.uses.copies
    assert not found.error
