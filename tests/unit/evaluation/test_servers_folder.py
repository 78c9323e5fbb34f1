import json
import os
import subprocess
import sys

import pytest

from evaluation.embedded import EmbeddedRequest, up
from evaluation.processes import launch, process
from evaluation.processes.folder import ServerFolder
from evaluation.running.job import Job, read_job, write_job
from evaluation.store_protocol.connection import Connection
from workloads.catalog import Catalog
from workloads.errors import ConfigurationError, StoreError
from workloads.progress import Silent
from workloads.workload import Workload


@pytest.fixture
def folder(tmp_path):
    one = ServerFolder.of(tmp_path, "pg", "postgresql")
    one.create(None)
    return one


@pytest.mark.parametrize("name", ["", "../up", "a/b", "a b", ".hidden", "-x"])
def test_a_store_name_that_is_no_folder_name_is_refused(tmp_path, name):
    with pytest.raises(StoreError, match="consists of letters"):
        ServerFolder.of(tmp_path, name, "postgresql")


def test_the_password_is_generated_once_for_the_owner_alone(folder):
    password = folder.password()
    folder.create(None)
    assert folder.password() == password
    assert len(password) >= 32
    assert folder.password_file.stat().st_mode & 0o777 == 0o600
    assert folder.path.stat().st_mode & 0o777 == 0o700
    assert password not in repr(folder)


def test_two_folders_have_two_passwords(tmp_path, folder):
    other = ServerFolder.of(tmp_path, "other", "postgresql")
    other.create(None)
    assert other.password() != folder.password()


def test_a_half_written_password_is_no_password(folder):
    folder.password_file.rename(folder.path / "password.unfinished")
    folder.create(None)
    assert len(folder.password()) >= 32


@pytest.mark.parametrize("kind", ["postgresql", "mysql", "accumulo", "objects"])
def test_an_emptied_password_file_is_named_at_once_with_the_way_out(tmp_path, kind):
    one = ServerFolder.of(tmp_path, "shop", kind)
    one.create(None)
    one.password_file.write_text("\n")
    with pytest.raises(StoreError) as raised:
        up((EmbeddedRequest(store="shop", kind=kind),), tmp_path, Silent())
    said = str(raised.value)
    assert f"its password file {one.password_file} is empty" in said
    assert f"remove {one.path}" in said
    assert not one.data.exists()


def test_a_job_does_not_take_an_emptied_file_for_a_password(folder):
    folder.password_file.write_text("")
    login = Connection(store="pg", kind="postgresql", password_file=folder.password_file)
    job = Job(
        workload=Workload(name="w", dialect="duckdb", queries=()),
        catalog=Catalog(name="c", tables={}),
        connections={"pg": login},
    )
    file = folder.path / "job.json"
    file.write_text(write_job(job))
    with pytest.raises(ConfigurationError, match=r"password in .*, which is empty"):
        read_job(file)


def test_a_folder_in_use_names_the_process_that_uses_it(folder):
    code = f"""
import sys
from pathlib import Path
from evaluation.processes.folder import ServerFolder
with ServerFolder.of(Path({str(folder.path.parent)!r}), "pg", "postgresql").locked():
    print("locked", flush=True)
    sys.stdin.read()
"""
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"locked\n"
        refusal = f"Store 'pg': process {other.pid} is using"
        with pytest.raises(StoreError, match=refusal), folder.locked():
            pass
        other.kill()
        other.wait()
        with folder.locked():
            pass


def test_a_server_that_does_not_stop_is_said(folder):
    with (
        folder.server_lock(timeout_s=0),
        pytest.raises(StoreError, match=r"an earlier server of .* has not stopped"),
        folder.server_lock(timeout_s=0.1),
    ):
        pass


@pytest.mark.parametrize("text", ["", "{", "{}", "[]", '{"pid": 1}'])
def test_a_damaged_record_is_no_server(folder, text):
    folder.state_file.write_text(text)
    assert folder.running() is None


def test_a_record_counts_as_long_as_its_process_runs(folder):
    record = {
        "pid": os.getpid(),
        "start_ticks": launch.start_ticks(os.getpid()),
        "boot": process.boot_id(),
        "port": 5432,
        "kept": True,
        "stop_signal": 2,
    }
    folder.state_file.write_text(json.dumps(record))
    found = folder.running()
    assert found is not None
    assert found.port == 5432
    folder.state_file.write_text(json.dumps({**record, "start_ticks": 1}))
    assert folder.running() is None


def test_a_failure_shows_the_end_of_the_log_without_the_password(folder):
    folder.log.write_text("\n".join([*map(str, range(50)), f"login with {folder.password()}"]))
    message = str(folder.failure("it stopped"))
    assert "login with ***" in message
    assert folder.password() not in message
    assert "\n49\n" in message
    assert "\n30\n" not in message


def test_a_full_disk_in_the_log_is_said_instead_of_the_log(folder):
    folder.log.write_text("FATAL: could not write: No space left on device\n")
    assert "is full" in str(folder.failure("it stopped"))
    assert "FATAL" not in str(folder.failure("it stopped"))


def test_a_failure_without_any_log_is_still_a_failure(folder):
    assert "it stopped" in str(folder.failure("it stopped"))
