"""The time of an analysis grows with its text, whatever the text nests, joins or defines."""

import gc
import re
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from advisor.analysis.analyze import analyze
from advisor.project.config import load_project
from advisor.project.project import Project
from benchmarks.long_statements import ctes, joins, subqueries, unions, views
from workloads.progress import Silent

PROJECT = """
[workload]
source = "q.sql"
dialect = "duckdb"
[catalog]
source = "schema.sql"
[stores.duck]
kind = "duckdb"
embedded = true
"""
SMALL, LARGE = 50, 200
SHAPES = (subqueries, ctes, unions, joins, views)


@pytest.fixture(scope="module", autouse=True)
def as_on_the_command_line(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let Python nest as deep, and take what only the first analysis takes, such as imports."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(10_000)
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("growth")
        patch.setenv("PLACEMENT_ADVISOR_CACHE", str(folder / "cache"))
        for shape in SHAPES:
            seconds(folder, shape(2))
        yield
    sys.setrecursionlimit(before)


def seconds(folder: Path, text: str) -> float:
    """Return the CPU seconds of an analysis, the fewer of two.

    Garbage is left meanwhile: collecting it takes as long as all that other tests have made.
    """
    named = sorted(set(re.findall(r"\bt\d+\b", text)))
    tables = (f"CREATE TABLE {name} (id INT PRIMARY KEY, x INT, y INT);" for name in named)
    (folder / "schema.sql").write_text("\n".join(tables))
    (folder / "q.sql").write_text(f"{text};\n")
    (folder / "p.toml").write_text(PROJECT)
    project = load_project(folder / "p.toml")
    gc.disable()
    try:
        return min(_analysed_s(project) for _ in range(2))
    finally:
        gc.enable()


def _analysed_s(project: Project) -> float:
    began = time.process_time()
    analyze(project, Silent())
    return time.process_time() - began


@pytest.mark.parametrize("shape", SHAPES)
def test_four_times_the_text_takes_less_than_ten_times_as_long(
    shape: Callable[[int], str], tmp_path: Path
) -> None:
    assert seconds(tmp_path, shape(LARGE)) < 10 * seconds(tmp_path, shape(SMALL))
