"""Spark's Java is killed amid a run, as by the system when memory is short."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from advisor.project.config import load_project
from tests.spark.command import project_file

pytestmark = [pytest.mark.stores, pytest.mark.spark]

PROJECT = """
[workload]
source = "tpcds"
queries = [1, 9, 12, 15, 62, 80, 84, 86, 90, 91]
[catalog]
source = "tpcds"
scale_factor = 0.01
[stores.duck]
kind = "duckdb"
[place]
strategies = ["single_store"]
quick_rates = false
[evaluate]
repeats = 100
"""


def java_of(process: int) -> int | None:
    """The Java that a process has started, by the system's list of its children."""
    for children in Path(f"/proc/{process}/task").glob("*/children"):
        for child in map(int, children.read_text().split()):
            if Path(f"/proc/{child}/comm").read_text().strip() == "java":
                return child
            if (found := java_of(child)) is not None:
                return found
    return None


def test_what_was_measured_before_stays(tmp_path: Path) -> None:
    with project_file(tmp_path, "killed.toml", PROJECT) as file:
        said = tmp_path / "said.txt"
        with said.open("w") as stream:
            command = [sys.executable, "-m", "advisor", "run", file.name, "--json", "--debug"]
            process = subprocess.Popen(
                command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=stream, text=True
            )
            ends = time.monotonic() + 200
            # The warm-up and some rounds of 1,010 executions.
            while not re.search("[3-9]%", said.read_text()) and time.monotonic() < ends:
                assert process.poll() is None, said.read_text()
                time.sleep(0.2)
            java = java_of(process.pid)
            assert java is not None
            os.kill(java, signal.SIGKILL)
            printed, _ = process.communicate(timeout=240)
        assert process.returncode == 0, said.read_text()
        (candidate,) = json.loads(printed)["candidates"]
        assert {each["outcome"] for each in candidate["queries"]} == {"verified"}
        assert candidate["measured_s"] > 0
        reports = load_project(file).folder / "reports"
        assert len(list(reports.glob("*/measurements.json"))) == 1
