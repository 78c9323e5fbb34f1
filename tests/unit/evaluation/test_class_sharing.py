"""Which archive of classes a session maps; a real one is mapped in tests/spark."""

import os
import time
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import Mock

import pytest

from evaluation.spark import class_sharing as module
from evaluation.spark.class_sharing import class_sharing
from evaluation.spark.java import killed_if_failing
from workloads.errors import SetUpError
from workloads.progress import Silent


@pytest.fixture
def made(tmp_path, monkeypatch):
    """Sessions that were run to make archives, in a cache whose name has to be quoted."""
    seen = []

    def make(target, java_home, jars):
        seen.append(jars)
        target.write_bytes(b"classes")

    monkeypatch.setattr(module, "_make", make)
    monkeypatch.setattr(module, "version_of", lambda home: 17)
    monkeypatch.setenv("PLACEMENT_ADVISOR_CACHE", str(tmp_path / 'two "words"'))
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    monkeypatch.delenv("SPARK_CONF_DIR", raising=False)
    return seen


def options(*jars: Path, home: Path = Path("/no/java")) -> str:
    return class_sharing(home, jars, Silent())


def archive(said: str) -> Path:
    found = said.removeprefix('"-XX:SharedArchiveFile=').removesuffix('"')
    return Path(found.replace('\\"', '"'))


def jar(folder: Path, name: str, size: int = 1) -> Path:
    (folder / name).write_bytes(b"j" * size)
    return folder / name


def test_an_archive_is_made_once_and_named_in_quotes(made):
    first = options()
    assert options() == first
    assert len(made) == 1
    assert 'two \\"words\\"' in first
    assert archive(first).read_bytes() == b"classes"


def test_drivers_behind_sparks_own_jars_share_the_archive(made, tmp_path):
    alone = options()
    assert options(jar(tmp_path, "postgresql-42.jar")) == alone
    assert options(jar(tmp_path, "libthrift-0.17.jar")) != alone
    assert len(made) == 2


def test_another_class_path_has_another_archive(made, monkeypatch):
    monkeypatch.delenv("SPARK_DIST_CLASSPATH", raising=False)
    before = options()
    monkeypatch.setenv("SPARK_DIST_CLASSPATH", "/theirs.jar")
    assert options() != before


def test_a_jar_that_was_replaced_has_another_archive(made, tmp_path):
    before = options(jar(tmp_path, "libthrift-0.17.jar", size=1 << 17))
    assert options(jar(tmp_path, "libthrift-0.17.jar", size=(1 << 17) + 1)) != before


def test_there_is_none_where_java_runs_already(made, monkeypatch):
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "1234")
    assert options() == ""
    assert not made


def test_there_is_none_where_java_could_not_map_it(made, monkeypatch):
    monkeypatch.setattr(module, "version_of", lambda home: 21)
    assert options() == ""
    assert not made


def test_there_is_none_beside_the_users_settings_of_spark(made, monkeypatch, tmp_path):
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    assert options()
    (tmp_path / "spark-env.sh").touch()
    assert options() == ""


def test_only_the_archives_used_last_are_kept(made, tmp_path):
    names = [f"libthrift-{number}.jar" for number in range(6)]
    found = []
    for age, name in enumerate(names):
        found.append(archive(options(jar(tmp_path, name))))
        os.utime(found[-1], (age, age))
    options(tmp_path / names[2])
    options(jar(tmp_path, "libthrift-new.jar"))
    assert [each.is_file() for each in found] == [False, False, True, False, True, True]


@pytest.fixture
def tried(tmp_path, monkeypatch):
    """Sessions that were to make archives, each of which fails as the first item says."""
    seen = [SetUpError("Spark does not start.")]

    @contextmanager
    def session(**arguments):
        seen.append(arguments)
        raise seen[0]
        yield

    monkeypatch.setattr(module, "session", session)
    monkeypatch.setattr(module, "version_of", lambda home: 17)
    monkeypatch.setenv("PLACEMENT_ADVISOR_CACHE", str(tmp_path))
    for name in ("PYSPARK_GATEWAY_PORT", "SPARK_CONF_DIR"):
        monkeypatch.delenv(name, raising=False)
    return seen


def test_where_spark_does_not_start_no_second_try_is_made_that_day(tried, tmp_path):
    assert options() == options() == ""
    assert len(tried) == 1 + 1
    assert "ArchiveClassesAtExit" in tried[1]["java_options"]
    (marker,) = (tmp_path / "java").glob("spark-*")
    day_ago = time.time() - 90_000
    os.utime(marker, (day_ago, day_ago))
    assert options() == options() == ""
    assert len(tried) == 1 + 2


def test_an_interrupt_is_no_failure_and_is_passed_on(tried, tmp_path):
    tried[0] = KeyboardInterrupt()
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            options()
    assert len(tried) == 1 + 2
    assert not list((tmp_path / "java").iterdir())


def test_what_a_killed_process_left_of_an_archive_goes(made, tmp_path):
    folder = archive(options()).parent
    (folder / "spark-0123.unfinished").write_bytes(b"half")
    (folder / "pool.jar").write_bytes(b"jar")
    options()
    assert {each.suffix for each in folder.iterdir()} == {".jsa", ".jar"}


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ValueError()])
def test_java_is_killed_where_it_would_be_waited_for_in_vain(error):
    java = Mock()
    with pytest.raises(type(error)), killed_if_failing(java):
        raise error
    java.sparkContext._gateway.proc.kill.assert_called_once()
    other = Mock()
    with killed_if_failing(other):
        pass
    other.sparkContext._gateway.proc.kill.assert_not_called()
