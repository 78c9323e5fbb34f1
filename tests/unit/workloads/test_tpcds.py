import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from workloads.benchmarks import benchmark, tpcds, tpch
from workloads.catalog import Catalog
from workloads.errors import ConfigurationError, SetUpError
from workloads.progress import Silent

GENERATE = """
import sys
from pathlib import Path
from workloads.progress import Silent
from workloads.sources.benchmarks import BENCHMARKS
generate = BENCHMARKS[sys.argv[1]].generate
catalog = generate(float(sys.argv[2]), Path(sys.argv[3]), Silent())
print(sum(table.rows for table in catalog.tables.values()))
"""


class Recorder:
    """A `Progress` that remembers what was done."""

    def __init__(self):
        self.tasks = []

    def advance(self, amount=1):
        pass

    @contextmanager
    def task(self, description, total=None):
        self.tasks.append(description)
        yield self


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def recorder() -> Recorder:
    """What was done while `generated` was generated."""
    return Recorder()


@pytest.fixture(scope="module")
def generated(folder, recorder) -> Catalog:
    return tpcds.generate(0.01, folder, recorder)


def start(benchmark_name: str, scale_factor: float, folder: Path) -> "subprocess.Popen[str]":
    """Generate in a process of its own. TPC-H takes a quarter of the time of TPC-DS."""
    command = [sys.executable, "-c", GENERATE, benchmark_name, str(scale_factor), str(folder)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_the_catalog_has_all_tables_of_the_specification(generated):
    assert set(generated.tables) == set(tpcds.TPCDS.rows)
    for table in generated.tables.values():
        assert table.parquet is not None
        assert duckdb.sql(f"SELECT count(*) FROM '{table.parquet}'").fetchone() == (table.rows,)


def test_primary_keys_come_from_the_generator_and_are_unique(generated):
    assert generated.table("store_sales").primary_key == ("ss_item_sk", "ss_ticket_number")
    for table in generated.tables.values():
        assert table.primary_key
        keys = ", ".join(table.primary_key)
        sql = f"SELECT count(*) FROM (SELECT DISTINCT {keys} FROM '{table.parquet}')"
        assert duckdb.sql(sql).fetchone() == (table.rows,)


def test_a_second_call_generates_nothing(folder, generated):
    recorder = Recorder()
    assert tpcds.generate(0.01, folder, recorder) == generated
    assert recorder.tasks == []


class GeneratesError(Exception):
    pass


class Refusing(Silent):
    """A `Progress` that stops where data are generated."""

    def task(self, description, total=None):
        if description.startswith("Generating"):
            raise GeneratesError
        return super().task(description, total)


@pytest.mark.parametrize("harm", ["missing", "shorter", "same size", "no manifest", "half one"])
def test_damaged_data_are_generated_anew(folder, generated, harm):
    item = generated.table("item").parquet
    manifest = item.with_name("manifest.json")
    file = manifest if "one" in harm or "manifest" in harm else item
    before = file.read_bytes()
    match harm:
        case "missing" | "no manifest":
            file.unlink()
        case "shorter" | "half one":
            file.write_bytes(before[: len(before) // 2])
        case "same size":
            file.write_bytes(before[:-1] + b"?")
    with pytest.raises(GeneratesError):
        tpcds.generate(0.01, folder, Refusing())
    file.write_bytes(before)
    assert tpcds.generate(0.01, folder, Refusing()) == generated


def test_data_of_another_version_are_generated_anew(folder, generated, monkeypatch):
    monkeypatch.setattr(benchmark, "versions", lambda: {"duckdb": "0.0.0"})
    with pytest.raises(GeneratesError):
        tpcds.generate(0.01, folder, Refusing())


def test_generating_twice_shows_progress_and_gives_the_same_fingerprints(generated, recorder, tiny):
    """`tiny` was generated when this machine first ran the tests."""
    assert Path(tiny.table("item").parquet) != Path(generated.table("item").parquet)
    assert recorder.tasks == [
        "Generating TPC-DS at scale factor 0.01",
        "Writing Parquet",
        "Measuring tables",
    ]
    assert {n: t.fingerprint for n, t in generated.tables.items()} == {
        n: t.fingerprint for n, t in tiny.tables.items()
    }


def test_touched_but_equal_files_are_kept(folder, generated):
    os.utime(generated.table("item").parquet)
    recorder = Recorder()
    assert tpcds.generate(0.01, folder, recorder) == generated
    assert recorder.tasks == []


@pytest.mark.parametrize("until", ["generated.duckdb", "lineitem.parquet"])
def test_a_kill_in_the_middle_leaves_nothing_that_counts_as_complete(tmp_path, until):
    process = start("tpch", 0.01, tmp_path)
    partial = tmp_path / "tpch" / ".sf0.01.partial"
    while not (partial / until).exists():
        assert process.poll() is None
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert partial.exists()
    assert not (tmp_path / "tpch" / "sf0.01").exists()
    again = tpch.generate(0.01, tmp_path, Silent())
    assert again.tables.keys() == tpch.TPCH.rows.keys()
    assert not partial.exists()


def generators(folder: Path) -> list[Path]:
    """The processes that generate into `folder`."""
    found = []
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            text = process.read_text()
            if "workloads.benchmarks.generator" in text and str(folder) in text:
                found.append(process)
    return found


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_no_generator_outlives_the_process_that_wanted_it(tmp_path, how):
    process = start("tpcds", 0.05, tmp_path)
    while not generators(tmp_path):
        assert process.poll() is None
        time.sleep(0.005)
    process.send_signal(how)
    before = time.monotonic()
    process.communicate()
    while generators(tmp_path):
        assert time.monotonic() - before < 60
        time.sleep(0.005)
    assert process.returncode == -how


def test_a_generator_that_is_killed_is_an_error_that_says_why(tmp_path):
    process = start("tpcds", 0.05, tmp_path)
    while not (found := generators(tmp_path)):
        time.sleep(0.005)
    os.kill(int(found[0].parent.name), signal.SIGKILL)
    _, complaint = process.communicate()
    assert "SetUpError: The generator of TPC-DS at scale factor 0.05 was killed" in complaint
    assert not (tmp_path / "tpcds" / "sf0.05").exists()


def test_two_processes_at_once_generate_once(tmp_path):
    processes = [start("tpch", 0.01, tmp_path) for _ in range(2)]
    outputs = [process.communicate(timeout=360) for process in processes]
    assert [process.returncode for process in processes] == [0, 0], outputs
    assert len({out for out, _ in outputs}) == 1
    assert not list((tmp_path / "tpch").glob("*.partial"))


def test_a_full_disk_is_said_and_leaves_nothing(tmp_path):
    limited = (
        f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (300_000,) * 2)\n{GENERATE}"
    )
    result = subprocess.run(
        [sys.executable, "-c", limited, "tpch", "0.01", str(tmp_path)],
        check=False,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 1
    assert "workloads.errors.SetUpError: The disk of" in result.stderr
    assert not list((tmp_path / "tpch").glob("*sf0.01*/"))


def test_a_disk_that_is_too_small_is_refused_before_the_work(tmp_path):
    with pytest.raises(SetUpError, match=r"needs about .* free: free space"):
        tpcds.generate(1e6, tmp_path, Silent())


def test_a_folder_that_cannot_be_made_is_said(tmp_path):
    (tmp_path / "tpcds").write_text("in the way")
    with pytest.raises(SetUpError, match="cannot be written"):
        tpcds.generate(0.01, tmp_path, Silent())


@pytest.mark.parametrize("scale_factor", [0, -1, float("nan"), float("inf")])
def test_a_scale_factor_is_a_positive_number(tmp_path, scale_factor):
    with pytest.raises(ConfigurationError, match="not a positive number"):
        tpcds.generate(scale_factor, tmp_path, Silent())


def test_row_counts_are_compared_with_the_specification_at_scale_factor_1(generated):
    assert tpcds.TPCDS.row_count_deviations(generated) == {}
    tables = {
        name: replace(generated.table(name), rows=tpcds.TPCDS.known_deviations.get(name, rows))
        for name, rows in tpcds.TPCDS.rows.items()
    }
    sf1 = Catalog(name=tpcds.TPCDS.catalog_name(1), tables=tables)
    assert tpcds.TPCDS.row_count_deviations(sf1) == {
        "store_returns": (287_514, 287_867),
        "web_returns": (71_763, 71_654),
    }


def test_all_queries_have_their_numbers_as_names():
    workload = tpcds.queries("all")
    assert [query.name for query in workload.queries] == [f"q{n}" for n in range(1, 100)]
    assert workload.dialect == "duckdb"
    assert all(query.sql and not query.sql.endswith(";") for query in workload.queries)


def test_chosen_queries_come_in_the_order_chosen_and_once():
    assert [query.name for query in tpcds.queries([9, 1, 9]).queries] == ["q9", "q1"]


@pytest.mark.parametrize("numbers", [[0], [1, 100], []])
def test_a_query_that_does_not_exist_is_an_error(numbers):
    with pytest.raises(ConfigurationError, match="take numbers from 1 to 99"):
        tpcds.queries(numbers)


def test_a_missing_extension_names_the_package(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(SetUpError, match="pip install duckdb-extension-tpcds=="):
        tpcds.queries([1])
