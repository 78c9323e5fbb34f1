"""TPC-H end to end: every query split over two stores, and right."""

import json
import subprocess
import sys

import pytest

pytestmark = [pytest.mark.stores, pytest.mark.spark, pytest.mark.timeout(900)]

PROJECT = """
[workload]
source = "tpch"
[catalog]
source = "tpch"
scale_factor = 0.01
[stores.pg]
kind = "postgresql"
embedded = true
capacity = "80%"
[stores.duck]
kind = "duckdb"
capacity = "80%"
[place]
strategies = ["naive"]
[evaluate]
repeats = 1
"""


def test_all_22_queries_verify_over_a_split_placement(tmp_path):
    (tmp_path / "tpch.toml").write_text(PROJECT)
    done = subprocess.run(
        [sys.executable, "-m", "advisor", "run", "tpch.toml", "--json", "-o", "report"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=800,
    )
    assert done.returncode == 0, done.stderr
    (candidate,) = json.loads(done.stdout)["candidates"]
    assert {store for stores in candidate["placement"].values() for store in stores} == {
        "pg",
        "duck",
    }
    outcomes = {query["name"]: query["outcome"] for query in candidate["queries"]}
    assert outcomes == {f"q{number}": "verified" for number in range(1, 23)}
