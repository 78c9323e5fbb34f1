"""Calibrations: kept beside the older ones, read by `place`, and of no other store than theirs."""

import json
from dataclasses import replace

import pytest

from advisor.analysis.analyze import analyze
from advisor.commands import cli
from advisor.measuring.calibrate import calibrating
from advisor.pipeline import prepare
from advisor.problem.calibrations import calibration_of, calibrations_folder
from advisor.problem.rates import combiner_of, rates_of, strength_of
from advisor.report.text.calibration_text import calibration_document
from advisor.report.text.plan_text import rates_sentence
from evaluation.calibration.behaviour import Behaviour, Together
from evaluation.calibration.calibration import latest_calibration, write_calibration
from evaluation.calibration.core_use import CoreUse
from evaluation.calibration.disk import DiskProfile, ReadRate
from evaluation.calibration.links import LinkCalibration
from evaluation.calibration.observation import Observation
from evaluation.calibration.scan_cache import ScanCache
from evaluation.calibration.uncached_file import PageCache
from evaluation.kinds import BACKENDS
from placement.costs import DEFAULT_COSTS
from placement.fragment_work import FragmentWork
from placement.stores import DRIVER
from tests.mind_thesis import LOW_BANDWIDTH
from tests.unit.advisor.calibrated import calibration, rate, shown
from tests.unit.advisor.project_files import BASE, load, write
from workloads.errors import ConfigurationError
from workloads.progress import Silent


def test_the_newest_is_read_and_the_older_are_kept(project):
    folder = calibrations_folder(project)
    old = write_calibration(calibration(project), folder)
    new = calibration(project, started_at="2026-02-02T03:04:05+00:00", seconds=1.0)
    write_calibration(new, folder)
    assert calibration_of(project) == new
    assert old.is_file()
    assert len(list(folder.iterdir())) == 2


def test_a_calibration_keeps_what_its_rates_were_fitted_to(project):
    work = FragmentWork(
        scanned_bytes=1e6,
        join_rows=0.0,
        aggregate_rows=10.0,
        rows_out=1.0,
        bytes_out=8.0,
        reducers=0,
        keys=0.0,
        combining=0.0,
        arriving=1,
        combined_rows=0.0,
    )
    seen = Observation(candidate="split_1", query="q1", work=(("pg", work),), seconds=0.25)
    found = calibration(project, observations=(seen,))
    write_calibration(found, calibrations_folder(project))
    assert calibration_of(project).observations == (seen,)


def test_without_one_there_is_none_and_a_damaged_one_is_told(project):
    assert calibration_of(project) is None
    file = write_calibration(calibration(project), calibrations_folder(project))
    file.write_text("{")
    with pytest.raises(ConfigurationError, match="advisor calibrate"):
        latest_calibration(calibrations_folder(project))


def test_rates_of_an_earlier_format_are_not_taken_for_these(project):
    old = replace(calibration(project), format=1)
    write_calibration(old, calibrations_folder(project))
    assert calibration_of(project) is None


def test_measured_rates_stand_for_defaults_and_the_projects_own_for_both(project, tmp_path):
    found = calibration(project)
    default = BACKENDS["postgresql"].strength
    measured = strength_of(project.stores[0], found)
    assert (measured.start_s, measured.scan_bytes_per_s) == (0.011, 2e9)
    assert measured.load_bytes_per_s == 33e6
    assert measured.join_rows_per_s == default.join_rows_per_s
    assert measured.source == "calibrated 2026-01-02 03:04, ±18 %"
    body = BASE["stores.pg"] + "\nstrength = { start_s = 1.0 }"
    said = strength_of(load(tmp_path, stores__pg=body).stores[0], found)
    assert (said.start_s, said.scan_bytes_per_s, said.source) == (1.0, 2e9, "project file")


def test_what_is_known_of_a_store_s_memory_is_in_its_strength(project):
    found = calibration(project)
    assert strength_of(project.stores[0], found).kept_bytes is None
    cache = ScanCache(kept_bytes=1e8, missed_bytes_per_s=2e8, stored_bytes_per_byte=1.2)
    store = replace(found.stores["pg"], scan_cache=cache)
    measured = strength_of(project.stores[0], replace(found, stores={"pg": store}))
    assert (measured.kept_bytes, measured.missed_bytes_per_s) == (1e8, 2e8)
    assert measured.scan_bytes_per_s == 2e9
    assert "kept_bytes" in shown(replace(found, stores={"pg": store}))


def test_a_pool_that_holds_every_table_is_what_scans_find_unless_the_project_says_otherwise(
    project, tmp_path
):
    found = calibration(project)
    cache = ScanCache(
        kept_bytes=1.0,
        missed_bytes_per_s=2e8,
        stored_bytes_per_byte=1.2,
        pool_bytes=1e12,
        missed_pages_per_s=1e4,
    )
    store = replace(found.stores["pg"], scan_cache=cache)
    write_calibration(replace(found, stores={"pg": store}), calibrations_folder(project))

    def kept_bytes(asked):
        return prepare(asked, analyze(asked, Silent())).problem.stores[0].strength.kept_bytes

    assert strength_of(project.stores[0], calibration_of(project)).kept_bytes == 1.0
    assert kept_bytes(project) is None
    body = BASE["stores.pg"] + "\nstrength = { kept_bytes = 5.0 }"
    assert kept_bytes(load(tmp_path, stores__pg=body)) == 5.0


def test_a_probed_link_is_in_a_store_s_strength_and_shown(project, tmp_path):
    link = LinkCalibration(link=LOW_BANDWIDTH, probes=24, error=0.13)
    found = calibration(project)
    unknown = strength_of(project.stores[0], found)
    assert unknown.link == BACKENDS["postgresql"].strength.link
    assert not unknown.link_measured
    assert "portion" not in shown(found)
    store = replace(found.stores["pg"], link=link)
    found = replace(found, stores={"pg": store})
    measured = strength_of(project.stores[0], found)
    assert (measured.link, measured.link_measured) == (LOW_BANDWIDTH, True)
    (row,) = [line for line in shown(found).splitlines() if "0.129 ms" in line]
    assert "24" in row
    assert "13 %" in row
    # What the project says comes first.
    body = BASE["stores.pg"] + "\nstrength = { round_trip_s = 1.0 }"
    said = strength_of(load(tmp_path, stores__pg=body).stores[0], found)
    assert said.link == replace(LOW_BANDWIDTH, first=replace(LOW_BANDWIDTH.first, start_s=1.0))
    # A wait that is only said is no link that was measured.
    assert not strength_of(load(tmp_path, stores__pg=body).stores[0], None).link_measured


def test_statements_at_the_same_time_are_kept_and_shown(project):
    behaviour = Behaviour(at_once_s={1: 0.2, 2: 0.3, 4: 0.7})
    found = calibration(project, together=Together(all_at_once_s=0.6, one_by_one_s=1.0))
    assert "times one" not in shown(found)
    store = replace(found.stores["pg"], behaviour=behaviour)
    found = replace(found, stores={"pg": store})
    write_calibration(found, calibrations_folder(project))
    assert calibration_of(project) == found
    text = " ".join(shown(found).split())
    assert "takes 60 % of running them one after another" in " ".join(text.split())
    assert "pg 4 0.700 s 3.5 times one" in text
    strength = strength_of(project.stores[0], calibration_of(project))
    assert dict(strength.at_once) == pytest.approx({1: 1.0, 2: 1.5, 4: 3.5})


def test_busy_cores_are_kept_and_shown(project):
    found = calibration(project)
    assert "Busy" not in shown(found)
    store = replace(found.stores["pg"], core_use=CoreUse(computing=1.66, handing=1.93))
    none = replace(store, core_use=None)
    found = replace(found, stores={"pg": store, "none": none})
    write_calibration(found, calibrations_folder(project))
    assert calibration_of(project) == found
    text = " ".join(shown(found).split())
    cores = found.machine.cores
    assert f"Busy, of {cores} cores, until the rows of a store are there: 1.7 in pg." in text
    assert "Busy while rows are handed over to the engine: 1.9 of pg." in text


def test_figures_that_are_no_longer_measured_are_ignored_in_older_files(project):
    behaviour = Behaviour(at_once_s={1: 0.2, 2: 0.3, 4: 0.7})
    rate = ReadRate(reads=7, block_bytes=16384, seconds=1.0, page_cache=PageCache.BYPASSED)
    disk = DiskProfile(file_bytes=1 << 20, sequential_read=rate, single_read=rate)
    found = calibration(project, disks={"/data": disk})
    store = replace(found.stores["pg"], behaviour=behaviour, disk="/data")
    found = replace(found, stores={"pg": store})
    file = write_calibration(found, calibrations_folder(project))
    older = json.loads(file.read_text())
    indexes = {"stream_rows_per_s": {"1": 9e5}, "with_index_s": 0.02, "without_index_s": 0.31}
    older["stores"]["pg"]["behaviour"] |= indexes
    profile = older["disks"]["/data"]
    for each in (profile["sequential_read"], profile["single_read"]):
        each |= {"writes": 0, "queue_depth": 1}
    profile |= dict.fromkeys(("sequential_write", "random_read", "mixed"), profile["single_read"])
    file.write_text(json.dumps(older))
    assert calibration_of(project) == found


@pytest.mark.parametrize(("page_cache", "said"), [("bypassed", "pg 700 20"), ("kept", "in memory")])
def test_the_disk_s_rates_are_shown_where_they_are_the_disk_s(project, page_cache, said):
    rate = ReadRate(reads=700, block_bytes=1_000_000, seconds=1.0, page_cache=PageCache(page_cache))
    disk = DiskProfile(
        file_bytes=1 << 20, sequential_read=rate, single_read=replace(rate, reads=20)
    )
    found = calibration(project, disks={"/data": disk})
    found = replace(found, stores={"pg": replace(found.stores["pg"], disk="/data")})
    assert said in " ".join(shown(found).split())


@pytest.mark.parametrize(
    "body",
    [
        'kind = "mysql"\nembedded = true',
        'kind = "postgresql"\nhost = "db"\nuser = "u"\npassword_env = "X"',
    ],
)
def test_another_store_of_the_same_name_takes_no_rates(project, tmp_path, body):
    other = load(tmp_path, stores__pg=body).stores[0]
    assert strength_of(other, calibration(project)) == BACKENDS[other.kind].strength


def test_the_engine_is_calibrated_too(project):
    engine = calibration(project).calibrated_engine(DEFAULT_COSTS.engine, "duckdb")
    assert (engine.start_s, engine.rows_per_s) == (0.4, 1e6)
    assert engine.fragment_s == DEFAULT_COSTS.engine.fragment_s
    assert engine.source == "calibrated 2026-01-02 03:04, ±30 %"


def test_rates_of_another_combiner_are_not_taken_for_those_of_the_engine(project, tmp_path):
    write_calibration(calibration(project), calibrations_folder(project))
    assert rates_of(project).engine.start_s == 0.4
    by_spark = load(tmp_path, evaluate='combine = "spark"')
    assert calibrations_folder(by_spark) == calibrations_folder(project)
    rates = rates_of(by_spark)
    source = "default, as DuckDB in the driver was calibrated"
    assert rates.engine == replace(DEFAULT_COSTS.engine, source=source)
    assert rates.strengths["pg"].scan_bytes_per_s == 2e9
    assert "with the same `combine`" in rates_sentence({"the engine": rates.engine.source})


@pytest.mark.parametrize("other", ['engine = "spark-native"', 'combine = "spark"', "repeats = 2"])
def test_a_calibration_is_combined_as_the_project_s_own_queries(tmp_path, other):
    asked = load(tmp_path, evaluate=other)
    measured = calibrating(asked, scale_factor=0.01, repeats=1)
    assert combiner_of(measured) == combiner_of(asked)


def test_default_rates_are_those_of_who_combines_small_queries(tmp_path):
    assert rates_of(load(tmp_path)).engine == DRIVER
    for other in ('master = "spark://10.0.0.1:7077"', 'engine = "spark-native"'):
        assert rates_of(load(tmp_path, evaluate=other)).engine == DEFAULT_COSTS.engine


def test_place_predicts_by_the_newest_and_says_so(project, tmp_path, capsys):
    (tmp_path / "schema.sql").write_text("-- rows: 1_000_000\nCREATE TABLE t (a BIGINT, b BIGINT);")
    (tmp_path / "queries.sql").write_text("SELECT a, sum(b) FROM t GROUP BY a;")
    sections = {
        "workload": 'source = "queries.sql"', "catalog": 'source = "schema.sql"',
        "stores.pg": 'kind = "postgresql"\nembedded = true', "place": 'strategies = ["optimal"]',
    }  # fmt: skip
    file = write(tmp_path, sections)

    def placed():
        assert cli.main(["place", str(file), "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    before = placed()
    assert before["rates"] == {"pg": "default", "the engine": "default"}
    slow = calibration(project)
    slow = replace(
        slow,
        stores={"pg": replace(slow.stores["pg"], rates={"start_s": rate(5.0)})},
    )
    write_calibration(slow, calibrations_folder(project))
    after = placed()
    assert after["rates"]["pg"].startswith("calibrated 2026-01-02")
    assert after["predicted_s"] > 5.0 > before["predicted_s"]
    assert cli.main(["place", str(file)]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "Rates of pg: calibrated 2026-01-02 03:04, ±18 %" in text


def test_it_is_shown_with_its_bounds_its_errors_and_what_was_left_out(project):
    text = shown(calibration(project))
    assert "11" in text
    assert "18 %" in text
    assert "q9 on pg alone, timeout: late" in text
    rows = [line for line in text.splitlines() if "rows_per_s" in line]
    assert "nothing" in rows[0]
    document = calibration_document(calibration(project), file="x.json")
    assert document["stores"]["pg"]["rates"]["start_s"]["low"] == pytest.approx(0.0099)
    assert json.loads(json.dumps(document))["left_out"][0]["query"] == "q9"


def test_rates_that_contradict_an_earlier_calibration_are_named(project):
    old = calibration(project)
    near = replace(old.stores["pg"], rates={"start_s": rate(0.0112), "scan_bytes_per_s": rate(2e9)})
    far = replace(near, rates={"start_s": rate(0.05), "scan_bytes_per_s": rate(9e9, seen=0.0)})
    assert "do not meet" not in shown(replace(old, stores={"pg": near}), old)
    text = " ".join(shown(replace(old, stores={"pg": far}), old).split())
    assert "pg: start_s is 0.050 s, and was 0.011 s on 2026-01-02" in text
    assert text.count("do not meet") == 1
