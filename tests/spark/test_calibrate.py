"""A calibration as a user runs it: on real servers, with the tables gone afterwards."""

import json
from pathlib import Path

import duckdb
import pytest

from advisor.measuring.calibrate import SUFFIX
from advisor.project.config import load_project
from evaluation.calibration.probes import calibration_workload
from evaluation.store_protocol.connection import NAMESPACE
from tests.spark.command import advisor, project_file

pytestmark = [pytest.mark.stores, pytest.mark.spark]

PROJECT = """
[workload]
source = "tpcds"
queries = [1, 15]
[catalog]
source = "tpcds"
scale_factor = 0.01
[stores.pg]
kind = "postgresql"
embedded = true
[stores.duck]
kind = "duckdb"
path = "stores.duckdb"
[place]
strategies = ["single_store", "optimal"]
"""


@pytest.fixture
def project(tmp_path):
    with project_file(tmp_path, "shop.toml", PROJECT) as file:
        yield file


def test_rates_are_measured_kept_and_used_and_no_table_is_left(tmp_path, project):
    before = advisor("place", "shop.toml", "--json", cwd=tmp_path)
    assert before.returncode == 0, before.stderr
    done = advisor(
        "calibrate", "shop.toml", "--scale-factor", "0.01", "--repeats", "1", "--json", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)

    statements = len(calibration_workload().queries)
    assert (
        found["observed"]
        + sum(each["query"] not in ("disk", "memory") for each in found["left_out"])
        == 4 * statements
    )
    assert not [each for each in found["left_out"] if each["outcome"] == "wrong"]
    for store in ("pg", "duck"):
        rates = found["stores"][store]["rates"]
        # A store's own part of it is a hundredth of a second at most.
        assert rates["start_s"]["seen"] > 0.001
        assert rates["start_s"]["low"] <= rates["start_s"]["value"] <= rates["start_s"]["high"]
        assert found["stores"][store]["load_bytes_per_s"] > 0
        assert found["stores"][store]["errors"]["number"] >= statements
        at_once_s = found["stores"][store]["behaviour"]["at_once_s"]
        assert set(at_once_s) == {"1", "2", "4"}
        assert min(at_once_s.values()) > 0
    # So little of DuckDB's seconds is its own that these need not tell which cores it uses.
    assert 0 < found["stores"]["pg"]["core_use"]["computing"] <= found["machine"]["cores"]
    assert found["together"]["all_at_once_s"] > 0
    # DuckDB is in the engine's process, and hands over all that it has.
    assert found["stores"]["duck"]["link"] is None
    # Only PostgreSQL's sessions have a setting of it. So few rows are joined here that what else
    # the machine does may be more than a setting makes of them: then it is said, and not used.
    assert found["stores"]["duck"]["memory"] is None
    memory = found["stores"]["pg"]["memory"]
    disturbed = [each["message"] for each in found["left_out"] if each["query"] == "memory"]
    assert (memory is None) == any("its joins" in each and "off by" in each for each in disturbed)
    if memory is not None:
        assert memory["set_bytes"] == 64 << 20
        assert memory["joins"]["table_share"] == 2.0
        assert memory["caches"]
    link = found["stores"]["pg"]["link"]
    assert 0 < link["probes"] <= 30
    assert link["link"]["first"]["start_s"] >= link["link"]["further"]["start_s"] >= 0
    assert Path(found["file"]).is_relative_to(load_project(project).folder)

    after = advisor("place", "shop.toml", "--json", cwd=tmp_path)
    assert after.returncode == 0, after.stderr
    placed = [json.loads(each.stdout) for each in (before, after)]
    assert placed[0]["rates"]["pg"] == "default"
    assert {each[:10] for each in placed[1]["rates"].values()} == {"calibrated"}
    assert placed[0]["predicted_s"] != placed[1]["predicted_s"]

    with duckdb.connect(str(tmp_path / "stores.duckdb"), read_only=True) as connection:
        kept = connection.execute(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = ?",
            [NAMESPACE + SUFFIX],
        ).fetchall()
    assert not {name for (name,) in kept} & {"lineitem", "orders", "region"}
