"""What a Spark session is set to, without Spark."""

import socket
from pathlib import Path

import pytest

from evaluation.spark.settings import (
    Executors,
    before_spark,
    class_path_after_spark,
    contradiction,
    driver_address,
    own,
)
from workloads.errors import SetUpError

BEHIND = "SPARK_DIST_CLASSPATH"
JARS = (Path("/jars/one.jar"), Path("/jars/two.jar"))
CLUSTER = "spark://10.0.0.1:7077"


def settings(master: str, executors: Executors, address: str | None = "127.0.0.1"):
    return own(
        Path("/scratch"),
        JARS,
        master=master,
        address=address,
        driver_memory="1g",
        executors=executors,
    )


@pytest.mark.parametrize(
    ("master", "workers", "expected"),
    [
        ("local[*]", None, "local[*]"),
        ("local[*]", 3, "local[3]"),
        ("local", 2, "local[2]"),
        ("local[4]", None, "local[4]"),
        (CLUSTER, 2, CLUSTER),
    ],
)
def test_workers_are_threads_of_a_local_master(master, workers, expected):
    assert settings(master, Executors(workers=workers))["spark.master"] == expected


def test_so_many_workers_are_executors_of_equal_cores():
    found = settings(CLUSTER, Executors(workers=3, cores=4, memory="6g"))
    assert found["spark.executor.cores"] == "4"
    assert found["spark.cores.max"] == "12"
    assert found["spark.executor.instances"] == "3"
    assert found["spark.executor.memory"] == "6g"
    assert found["spark.sql.shuffle.partitions"] == "24"


def test_workers_alone_have_a_core_each():
    assert settings(CLUSTER, Executors(workers=2))["spark.cores.max"] == "2"


def test_without_workers_a_cluster_gives_what_it_has():
    found = settings(CLUSTER, Executors(cores=2))
    assert found["spark.executor.cores"] == "2"
    assert not {"spark.cores.max", "spark.executor.instances", "spark.executor.memory"} & set(found)


def test_drivers_reach_the_executors_of_a_cluster_alone():
    assert settings(CLUSTER, Executors())["spark.jars"] == "/jars/one.jar,/jars/two.jar"
    assert "spark.jars" not in settings("local[2]", Executors())


def test_jars_come_behind_sparks_own_unless_they_replace_some(monkeypatch):
    monkeypatch.delenv(BEHIND, raising=False)
    newer = Path("/jars/libthrift-0.17.0.jar")
    assert before_spark([*JARS, newer]) == [newer]
    assert class_path_after_spark([*JARS, newer])[BEHIND] == "/jars/one.jar:/jars/two.jar"
    assert not class_path_after_spark([newer])
    monkeypatch.setenv(BEHIND, "/theirs.jar")
    assert class_path_after_spark(JARS)[BEHIND] == "/theirs.jar:/jars/one.jar:/jars/two.jar"


def test_every_java_that_reads_from_stores_is_in_utc():
    found = settings(CLUSTER, Executors())
    assert "-Duser.timezone=UTC" in found["spark.driver.extraJavaOptions"]
    assert "-Duser.timezone=UTC" in found["spark.executor.extraJavaOptions"]


@pytest.mark.parametrize(
    ("master", "chosen", "ours"),
    [
        ("local[*]", "", True),
        ("local[*]", "-Xlog:disable", True),
        ("local[*]", "-XX:+UseG1GC", False),
        (CLUSTER, "", False),
    ],
)
def test_a_driver_that_runs_all_collects_in_pauses_unless_told_otherwise(
    monkeypatch, master, chosen, ours
):
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", chosen)
    monkeypatch.delenv("JDK_JAVA_OPTIONS", raising=False)
    options = settings(master, Executors())["spark.driver.extraJavaOptions"]
    assert ("-XX:+UseParallelGC" in options) == ours


def test_threads_of_one_process_begin_with_small_pages():
    assert settings("local[2]", Executors())["spark.buffer.pageSize"] == "2m"
    assert "spark.buffer.pageSize" not in settings(CLUSTER, Executors())


@pytest.mark.parametrize("master", ["local[2]", CLUSTER])
def test_a_java_that_is_slow_to_answer_is_waited_for_in_minutes(master: str):
    """PySpark's 15 seconds end in a wait for Java that never ends."""
    timeout = settings(master, Executors())["spark.python.authenticate.socketTimeout"]
    assert timeout.endswith("m")
    assert int(timeout.removesuffix("m")) >= 10


@pytest.mark.parametrize("master", ["local[2]", CLUSTER])
def test_what_is_kept_for_a_query_is_not_packed(master: str):
    assert settings(master, Executors())["spark.sql.inMemoryColumnarStorage.compressed"] == "false"


def test_the_driver_is_bound_where_executors_reach_it():
    found = settings(CLUSTER, Executors(), "10.0.0.7")
    assert found["spark.driver.host"] == found["spark.driver.bindAddress"] == "10.0.0.7"
    assert "spark.driver.host" not in settings("yarn", Executors(), None)


@pytest.mark.parametrize(
    ("master", "executors", "why"),
    [
        ("local[4]", Executors(workers=2), "'local[4]' says already how many threads"),
        ("local[*]", Executors(cores=2), "no executors: take executor_cores"),
        ("local", Executors(memory="1g"), "no executors"),
    ],
)
def test_what_a_master_cannot_give_is_told(master, executors, why):
    assert why in (contradiction(master, executors) or "")


@pytest.mark.parametrize("master", ["local", "local[*]", CLUSTER, "yarn"])
def test_workers_are_taken_by_every_other_master(master):
    assert contradiction(master, Executors(workers=2)) is None


def test_the_drivers_address_is_the_one_that_the_master_sees():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert driver_address(f"spark://127.0.0.1:{port}") == "127.0.0.1"
        assert driver_address(f"spark://127.0.0.1:1,127.0.0.1:{port}") == "127.0.0.1"
    assert driver_address("local[2]") == "127.0.0.1"
    assert driver_address("k8s://https://10.0.0.1:6443") is None


@pytest.mark.parametrize("master", ["spark://127.0.0.1:1", "spark://127.0.0.1", "spark://:x"])
def test_a_master_that_does_not_answer_is_told(master):
    with pytest.raises(SetUpError, match=r"does not answer .*\[evaluate\]\.master"):
        driver_address(master)
