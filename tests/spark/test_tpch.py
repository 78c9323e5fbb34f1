"""TPC-H end to end: every query split over two stores, and right."""

import json

import pytest

from tests.spark.command import advisor, project_file

pytestmark = [pytest.mark.stores, pytest.mark.spark]

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
quick_rates = false
[evaluate]
repeats = 1
"""


def test_all_22_queries_verify_over_a_split_placement(tmp_path):
    with project_file(tmp_path, "tpch.toml", PROJECT) as file:
        done = advisor("run", file.name, "--json", "-o", "report", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (candidate,) = json.loads(done.stdout)["candidates"]
    assert {store for stores in candidate["placement"].values() for store in stores} == {
        "pg",
        "duck",
    }
    outcomes = {query["name"]: query["outcome"] for query in candidate["queries"]}
    assert outcomes == {f"q{number}": "verified" for number in range(1, 23)}
