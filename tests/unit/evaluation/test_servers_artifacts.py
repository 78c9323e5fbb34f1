import errno
import hashlib
import os
import shutil
import threading
import zipfile
from contextlib import contextmanager
from pathlib import Path

import pytest

from evaluation.installation import artifacts, ivy
from evaluation.installation.artifacts import ARTIFACTS, Artifact, fetch, unpacked
from workloads import cache
from workloads.errors import SetUpError
from workloads.progress import Silent

COORDINATES = ivy.Coordinates(group="org.example", name="thing", version="1.2")


@pytest.fixture(autouse=True)
def cache_folder(tmp_path, monkeypatch):
    monkeypatch.setenv(cache.CACHE_VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def mirror(tmp_path, monkeypatch):
    """A repository in a folder, with a zip `org.example:thing:1.2` in it."""
    file = tmp_path / "mirror" / "org" / "example" / "thing" / "1.2" / "thing-1.2.jar"
    file.parent.mkdir(parents=True)
    with zipfile.ZipFile(file, "w") as zipped:
        zipped.writestr("deep/inside/bin/server", "#!/bin/sh\necho served\n")
        zipped.writestr("deep/inside/share/words", "hello")
        zipped.writestr("META-INF/MANIFEST.MF", "")
    name_mirror(tmp_path, monkeypatch, (tmp_path / "mirror").as_uri())
    content = file.read_bytes()
    artifact = Artifact(
        coordinates=COORDINATES,
        sha256=hashlib.sha256(content).hexdigest(),
        size_bytes=len(content),
    )
    monkeypatch.setattr(artifacts, "ARTIFACTS", {"thing": artifact})
    return file


@pytest.fixture
def fetched(mirror, cache_folder):
    """The file of `mirror`, as an earlier fetch left it in the cache: Ivy takes a second."""
    name = artifacts.ARTIFACTS["thing"].coordinates.file_name
    file = cache_folder / "artifacts" / name
    file.parent.mkdir(parents=True)
    shutil.copyfile(mirror, file)
    return file


def name_mirror(tmp_path, monkeypatch, root):
    settings = tmp_path / "ivysettings.xml"
    settings.write_text(
        f"""<ivysettings>
          <settings defaultResolver="mirror"/>
          <resolvers><ibiblio name="mirror" m2compatible="true" root="{root}"/></resolvers>
        </ivysettings>"""
    )
    monkeypatch.setenv(ivy.SETTINGS_VARIABLE, str(settings))


class Recorder:
    """A progress that keeps what it is told."""

    def __init__(self):
        self.advanced = {}

    @contextmanager
    def task(self, description, total=None):
        self.advanced.setdefault(description, 0)
        self.description = description
        yield self

    def advance(self, amount=1):
        self.advanced[self.description] += amount


def test_every_artifact_is_pinned_by_version_checksum_and_size():
    assert set(ARTIFACTS) >= {"mariadb-server", "postgresql-jdbc", "mariadb-jdbc", "duckdb-jdbc"}
    for artifact in ARTIFACTS.values():
        assert len(artifact.sha256) == 64
        assert artifact.size_bytes > 0
        assert artifact.coordinates.version[0].isdigit()


def test_the_cache_is_where_the_user_says_or_in_the_users_cache(monkeypatch, tmp_path):
    monkeypatch.setenv(cache.CACHE_VARIABLE, str(tmp_path / "mine"))
    assert cache.cache_folder() == tmp_path / "mine"
    monkeypatch.delenv(cache.CACHE_VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache.cache_folder() == tmp_path / "xdg" / "placement-advisor"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache.cache_folder() == tmp_path / ".cache" / "placement-advisor"


def test_a_mirror_in_a_settings_file_serves_the_artifact_once(mirror):
    progress = Recorder()
    file = fetch("thing", progress)
    assert file.read_bytes() == mirror.read_bytes()
    assert "Fetching org.example:thing:1.2" in progress.advanced
    assert progress.advanced["Checking thing-1.2.jar"] == file.stat().st_size
    mirror.unlink()
    assert fetch("thing", Silent()) == file


def test_only_the_file_stays_of_what_ivy_wrote(mirror, cache_folder):
    file = fetch("thing", Silent())
    left = {path for path in cache_folder.rglob("*") if path.is_file()}
    assert left == {file, cache_folder / "locks" / "thing.lock"}


@pytest.mark.parametrize("damage", [b"", b"shorter"])
def test_a_truncated_file_is_fetched_again(mirror, fetched, damage):
    fetched.write_bytes(damage)
    assert fetch("thing", Silent()).read_bytes() == mirror.read_bytes()


def test_a_file_with_one_changed_byte_is_fetched_again(mirror, fetched):
    fetched.write_bytes(b"X" + fetched.read_bytes()[1:])
    assert fetch("thing", Silent()).read_bytes() == mirror.read_bytes()


def test_a_repository_that_serves_another_file_is_refused(mirror, cache_folder):
    mirror.write_bytes(b"X" + mirror.read_bytes()[1:])
    with pytest.raises(SetUpError, match=r"org\.example:thing:1\.2 came with checksum .* expected"):
        fetch("thing", Silent())
    assert not list(cache_folder.rglob("*.jar"))


def test_an_unreachable_repository_names_the_way_out_and_no_password(mirror, tmp_path, monkeypatch):
    name_mirror(tmp_path, monkeypatch, "http://me:hush@127.0.0.1:9/")
    with pytest.raises(SetUpError, match="Connect to the network") as failure:
        fetch("thing", Silent())
    assert ivy.SETTINGS_VARIABLE in str(failure.value)
    assert "org.example:thing:1.2" in str(failure.value)
    assert "hush" not in str(failure.value)


def test_a_settings_file_that_is_not_there_is_named(mirror, monkeypatch):
    monkeypatch.setenv(ivy.SETTINGS_VARIABLE, "/not/there.xml")
    with pytest.raises(SetUpError, match=r"/not/there\.xml, which is not a file"):
        fetch("thing", Silent())


def test_an_unknown_artifact_names_the_known_ones():
    with pytest.raises(SetUpError, match="known are mariadb-server"):
        fetch("oracle-jdbc", Silent())


def test_what_a_killed_fetch_left_is_no_obstacle(mirror, cache_folder):
    left = cache_folder / "ivy" / "thing" / "cache" / "half.jar.part"
    left.parent.mkdir(parents=True)
    left.write_bytes(b"half")
    assert fetch("thing", Silent()).read_bytes() == mirror.read_bytes()
    assert not left.exists()


def test_two_at_once_fetch_it_once(mirror, monkeypatch):
    fetches = []

    def counted(*arguments, **options):
        fetches.append(arguments)
        return real(*arguments, **options)

    real = ivy.retrieve
    monkeypatch.setattr(ivy, "retrieve", counted)
    threads = [threading.Thread(target=fetch, args=("thing", Silent())) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(fetches) == 1


def test_a_classifier_and_a_type_are_part_of_the_file_name():
    coordinates = ivy.Coordinates(
        group="g", name="n", version="1", type="tar.gz", classifier="linux"
    )
    assert coordinates.file_name == "n-1-linux.tar.gz"
    assert str(coordinates) == "g:n:1:linux/tar.gz"


def test_unpacking_keeps_what_is_below_the_prefix_and_marks_programs(fetched):
    folder = unpacked("thing", "deep/inside/", Silent())
    assert os.access(folder / "bin" / "server", os.X_OK)
    assert (folder / "share" / "words").read_text() == "hello"
    assert not (folder / "META-INF").exists()


def test_unpacking_leaves_out_what_is_not_asked_for(fetched):
    folder = unpacked("thing", "deep/inside/", Silent(), only=("bin/", "none"))
    assert (folder / "bin" / "server").is_file()
    assert not (folder / "share").exists()


def test_a_half_unpacked_folder_is_never_taken_for_a_whole_one(
    mirror, fetched, cache_folder, monkeypatch
):
    def killed(*arguments, **options):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(zipfile.ZipFile, "open", killed)
        with pytest.raises(KeyboardInterrupt):
            unpacked("thing", "deep/inside/", Silent())
    assert not list((cache_folder / "servers").glob("*"))
    left = (
        cache_folder / "servers" / f"thing-{hashlib.sha256(mirror.read_bytes()).hexdigest()[:12]}"
    )
    half = Path(f"{left}.unfinished") / "bin" / "other"
    half.parent.mkdir(parents=True)
    half.write_text("half")
    assert unpacked("thing", "deep/inside/", Silent()) == left
    assert sorted(path.name for path in (left / "bin").iterdir()) == ["server"]


def test_a_full_disk_while_unpacking_is_a_clear_error(fetched, monkeypatch):
    def full(*arguments, **options):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(zipfile.ZipFile, "open", full)
    with pytest.raises(SetUpError, match=r"the disk of .* is full .* MB free\): make room"):
        unpacked("thing", "deep/inside/", Silent())


def test_a_cache_that_cannot_be_made_names_the_variable(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(cache.CACHE_VARIABLE, str(tmp_path / "file" / "cache"))
    with pytest.raises(SetUpError, match=cache.CACHE_VARIABLE):
        fetch("postgresql-jdbc", Silent())
