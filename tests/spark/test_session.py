"""The Spark session, each in a process of its own: there can be only one in a process."""

import gc
import json
import os
import signal
import subprocess
import sys
import threading
import time
from importlib.util import find_spec
from pathlib import Path

import pytest
from pyspark import SparkContext

from evaluation.installation import artifacts
from evaluation.installation.java import java_home
from evaluation.spark.session import session
from workloads.errors import SetUpError
from workloads.progress import Silent

_TWICE = """
import json, os, signal, sys
from pathlib import Path
from evaluation.spark.session import session

def once(home):
    with session(master="local[2]", java_home=Path(home), driver_memory="512m") as spark:
        context = spark.sparkContext
        return {
            "rows": spark.sql("SELECT explode(sequence(1, 5)) AS n").count(),
            "python": context.parallelize([1], 1).map(lambda _: sys.executable).collect()[0],
            "ui": context.uiWebUrl,
            "zone": spark.conf.get("spark.sql.session.timeZone"),
            "host": context.getConf().get("spark.driver.host"),
            "pid": context._gateway.proc.pid,
        }

before = dict(os.environ)
handler = signal.getsignal(signal.SIGINT)
answers = [once(sys.argv[1]), once(sys.argv[1])]
assert os.environ.get("JAVA_HOME") == before.get("JAVA_HOME")
assert signal.getsignal(signal.SIGINT) is handler
print(json.dumps(answers))
"""

_SUBMITTED = """
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from evaluation.store_protocol.connection import Connection
from evaluation.spark.session import session
from evaluation.kinds import BACKENDS

connection = Connection(store="duck", kind="duckdb", path=Path(sys.argv[1]))
backend = BACKENDS["duckdb"]
backend.prepare(connection)
with session(master="local[7]", jars=[Path(sys.argv[2])]) as spark:
    options = backend.jdbc(connection, timeout_s=10, fetch_size=100)
    def ask(number):
        reader = spark.read.format("jdbc").options(**options)
        return reader.option("query", f"SELECT {number} AS n").load().collect()[0][0]
    with ThreadPoolExecutor(2) as pool:
        print("ANSWER", spark.sparkContext.master, ask(42), *pool.map(ask, (43, 44)))
"""


def alive(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


@pytest.mark.spark
def test_a_session_is_quiet_local_and_leaves_nothing_behind(tmp_path: Path) -> None:
    work, temporary, programs = (tmp_path / name for name in ("work", "tmp", "bin"))
    for folder in (work, temporary, programs):
        folder.mkdir()
    for name in ("bash", "dirname", "env"):
        found = next(p for p in (Path("/bin") / name, Path("/usr/bin") / name) if p.exists())
        (programs / name).symlink_to(found)
    environment = {
        name: value for name, value in os.environ.items() if name not in {"JAVA_HOME", "PYTHONPATH"}
    }
    ended = subprocess.run(
        [sys.executable, "-W", "error", "-c", _TWICE, str(java_home(Silent()))],
        cwd=work,
        env=environment | {"PATH": str(programs), "TMPDIR": str(temporary)},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert ended.stderr == ""
    assert ended.returncode == 0
    for answer in json.loads(ended.stdout):
        assert answer["rows"] == 5
        assert answer["python"] == sys.executable
        assert answer["ui"] is None
        assert answer["zone"] == "UTC"
        assert answer["host"] == "127.0.0.1"
        assert not alive(answer["pid"])
    assert list(work.iterdir()) == []
    assert list(temporary.iterdir()) == []


@pytest.mark.spark
def test_under_spark_submit_the_submitted_session_is_used(tmp_path: Path) -> None:
    script = tmp_path / "job.py"
    script.write_text(_SUBMITTED)
    spec = find_spec("pyspark")
    assert spec is not None
    assert spec.origin is not None
    jar = artifacts.fetch("duckdb-jdbc", Silent())
    ended = subprocess.run(
        [
            str(Path(spec.origin).parent / "bin" / "spark-submit"),
            *("--master", "local[1]", "--driver-memory", "512m"),
            *("--conf", "spark.ui.enabled=false", "--conf", "spark.driver.host=127.0.0.1"),
            *(str(script), str(tmp_path / "store.duckdb"), str(jar)),
        ],
        cwd=tmp_path,
        env=os.environ | {"JAVA_HOME": str(java_home(Silent())), "PYSPARK_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert "ANSWER local[1] 42 43 44" in ended.stdout, ended.stderr[-2000:]


def test_a_java_that_does_not_start_is_an_error_with_its_words(tmp_path: Path) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'this Java is broken' >&2\nexit 1\n")
    java.chmod(0o755)
    before = os.environ.get("JAVA_HOME")
    with pytest.raises(SetUpError, match="this Java is broken"), session(java_home=tmp_path):
        pass
    gc.collect()
    assert os.environ.get("JAVA_HOME") == before


def test_an_interruption_while_java_starts_ends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_another_session = object()
    monkeypatch.setattr(SparkContext, "_gateway", of_another_session)
    java, written = tmp_path / "bin" / "java", tmp_path / "pid"
    java.parent.mkdir()
    # What Spark asks for its command answers; the driver's own never does, nor reads its input.
    java.write_text(
        '#!/bin/sh\ncase "$*" in\n'
        f'  *launcher.Main*) exec "{java_home(Silent())}/bin/java" "$@" ;;\n'
        f'esac\necho $$ >"{written}.new"\nmv "{written}.new" "{written}"\nexec sleep 600\n'
    )
    java.chmod(0o755)

    def interrupt() -> None:
        deadline = time.monotonic() + 60
        while not written.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        if written.exists():
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt), session(java_home=tmp_path):
        pass
    thread.join()
    assert not alive(int(written.read_text()))
    assert SparkContext._gateway is of_another_session
