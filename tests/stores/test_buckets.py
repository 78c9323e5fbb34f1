"""A catalog in object storage is fetched once, and read as a folder of Parquet."""

import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

import duckdb
import pytest
from pyarrow import fs

from advisor.commands import cli
from advisor.project.bucket_settings import bucket_access
from workloads.catalog import Catalog
from workloads.errors import CatalogError, ConfigurationError, SetUpError
from workloads.progress import Silent
from workloads.sources import buckets, parquet

pytestmark = pytest.mark.stores

KEYS = {"AWS_ACCESS_KEY_ID": "an-access-key", "AWS_SECRET_ACCESS_KEY": "a-secret-key"}
STARTED_S = 60
SHOP = "s3://shop/data/warehouse"


@contextmanager
def served(checked_after: str, folder: Path) -> Iterator[Mapping[str, str]]:
    """Run moto's server, which checks keys after so many requests; give the environment for it."""
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", "0"]
    environment = {**os.environ, "INITIAL_NO_AUTH_ACTION_COUNT": checked_after}
    log = folder / "log"
    with (
        log.open("wb") as stream,
        subprocess.Popen(command, env=environment, stdout=stream, stderr=stream) as process,
    ):
        try:
            deadline = monotonic() + STARTED_S
            while not (found := re.search(r"http://127[\d.:]+", log.read_text())):
                assert process.poll() is None, log.read_text()
                assert monotonic() < deadline, log.read_text()
                sleep(0.05)
            yield {**KEYS, "AWS_ENDPOINT_URL": found[0]}
        finally:
            process.kill()


@pytest.fixture(scope="module")
def storage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, str]]:
    with served("inf", tmp_path_factory.mktemp("storage")) as environment:
        yield environment


@pytest.fixture
def written(
    storage: Mapping[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Mapping[str, str]:
    """A bucket with a table of one object, and one of partitioned folders; an empty cache."""
    monkeypatch.setenv("PLACEMENT_ADVISOR_CACHE", str(tmp_path / "cache"))
    with writable(storage) as files:
        files.create_dir("shop")
        files.delete_dir_contents("shop")
    put(storage, "customer.parquet", "SELECT 1 AS id, 'Ann' AS name", tmp_path)
    put(storage, "orders/year=2024/p.parquet", "SELECT 1 AS id, TIME '10:00' AS t", tmp_path)
    put(storage, "orders/year=2025/a b+%2Fc.parquet", "SELECT 2 AS id, NULL AS t", tmp_path)
    put(storage, "orders/_temporary/p.parquet", "SELECT 'x' AS id", tmp_path)
    return storage


@contextmanager
def writable(environment: Mapping[str, str]) -> Iterator[fs.S3FileSystem]:
    yield fs.S3FileSystem(
        access_key="an-access-key",
        secret_key="a-secret-key",
        region="us-east-1",
        scheme="http",
        endpoint_override=environment["AWS_ENDPOINT_URL"].removeprefix("http://"),
        allow_bucket_creation=True,
    )


def put(environment: Mapping[str, str], key: str, sql: str, tmp_path: Path) -> None:
    local = tmp_path / "local.parquet"
    duckdb.sql(f"COPY ({sql}) TO '{local}' (FORMAT parquet)")
    with (
        writable(environment) as files,
        files.open_output_stream(f"shop/data/warehouse/{key}") as stream,
    ):
        stream.write(local.read_bytes())


def catalog(environment: Mapping[str, str], tmp_path: Path, url: str = SHOP) -> Catalog:
    folder = buckets.fetched(url, bucket_access(environment), Silent())
    return parquet.catalog(folder, cache=tmp_path / "cache", progress=Silent())


def test_tables_and_partitioned_folders_are_read_from_a_bucket(written, tmp_path):
    found = catalog(written, tmp_path)
    assert found.name == "warehouse"
    assert {table.name: table.rows for table in found.tables.values()} == {
        "customer": 1,
        "orders": 2,
    }
    orders = duckdb.sql(f"FROM '{found.table('orders').parquet}' ORDER BY id").fetchall()
    assert orders == [(1, "10:00:00.000000", 2024), (2, None, 2025)]
    assert catalog(written, tmp_path, f"{SHOP}/") == found


def test_an_object_is_fetched_again_only_when_it_has_changed(written, tmp_path, monkeypatch):
    first = catalog(written, tmp_path)
    asked = []
    fetch = buckets._fetch
    monkeypatch.setattr(buckets, "_fetch", lambda *each: asked.append(each[1].path) or fetch(*each))
    assert catalog(written, tmp_path) == first
    assert asked == []
    put(written, "customer.parquet", "SELECT 1 AS id, 'Bob' AS name UNION SELECT 2, ''", tmp_path)
    with writable(written) as files:
        files.delete_file("shop/data/warehouse/orders/year=2025/a b+%2Fc.parquet")
    second = catalog(written, tmp_path)
    assert asked == ["shop/data/warehouse/customer.parquet"]
    assert (second.table("customer").rows, second.table("orders").rows) == (2, 1)


def test_a_project_names_a_bucket_as_its_catalog(written, tmp_path, monkeypatch, capsys):
    for name, value in written.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "q.sql").write_text("SELECT name FROM customer JOIN orders USING (id);")
    assert cli.main(["analyze", str(tmp_path / "q.sql"), "--catalog", SHOP]) == 0
    shown = capsys.readouterr()
    assert "customer" in shown.out
    assert "a-secret-key" not in shown.out + shown.err


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("s3://nowhere/data", "There is no bucket 'nowhere' in http://127.0.0.1"),
        ("s3://shop/other", "There is nothing at s3://shop/other"),
        ("s3://shop/data/warehouse/orders/_temporary", "has no Parquet"),
    ],
)
def test_what_is_not_there_is_told_in_one_line(written, tmp_path, url, message):
    if "_temporary" in url:
        with writable(written) as files, files.open_output_stream(f"{url[5:]}/x.csv") as stream:
            stream.write(b"1")
            files.delete_file("shop/data/warehouse/orders/_temporary/p.parquet")
    with pytest.raises(CatalogError, match=message) as told:
        catalog(written, tmp_path, url)
    assert "\n" not in str(told.value)


def test_wrong_keys_are_told_without_them(tmp_path, monkeypatch):
    monkeypatch.setenv("PLACEMENT_ADVISOR_CACHE", str(tmp_path / "cache"))
    with served("0", tmp_path) as environment:
        with pytest.raises(CatalogError, match="refuses the keys in AWS_ACCESS_KEY_ID") as told:
            catalog(environment, tmp_path)
        assert not any(key in str(told.value) for key in KEYS.values())


def test_a_server_that_is_not_there_or_silent_is_told_in_time(tmp_path, monkeypatch):
    monkeypatch.setenv("PLACEMENT_ADVISOR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(buckets, "SILENCE_S", 1)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        for backlog in (None, 8):
            if backlog is not None:
                listener.listen(backlog)
            with pytest.raises(CatalogError, match=f"{address} does not answer for {SHOP}"):
                catalog({**KEYS, "AWS_ENDPOINT_URL": address}, tmp_path)


@pytest.mark.parametrize("url", ["s3://", "s3://shop/..", "s3://shop//data", "s3://./data"])
def test_what_names_no_folder_of_a_bucket_is_refused(tmp_path, url):
    with pytest.raises(ConfigurationError, match="names no folder of a bucket"):
        catalog({}, tmp_path, url)


@pytest.mark.parametrize("path", ["orders/../../t.parquet", "orders//t.parquet", "./t.parquet"])
def test_an_object_that_no_file_can_be_called_is_refused(path):
    class Listed:
        def get_file_info(self, selector: fs.FileSelector) -> list[fs.FileInfo]:
            return [fs.FileInfo(f"{selector.base_dir}/{path}", fs.FileType.File, size=1)]

    with pytest.raises(CatalogError, match="an object that no file can be called"):
        buckets._objects(Listed(), "shop/data", "s3://shop/data")


def test_a_disk_without_room_is_told_before_anything_is_fetched(written, tmp_path, monkeypatch):
    usage = type("Usage", (), {"free": 3})
    monkeypatch.setattr("workloads.sources.buckets.shutil.disk_usage", lambda _: usage)
    with pytest.raises(SetUpError, match="to fetch into"):
        catalog(written, tmp_path)
    assert not list((tmp_path / "cache").rglob("*.parquet"))
