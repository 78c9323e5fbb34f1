"""Plans of experiments are kept for what they depend on, and for nothing else."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from advisor.experiments.laboratory import _folder
from tests.unit.placement.problems import problem, query, store

ASKED = problem({"t": 10}, [store("a"), store("b")], [query("q", ["t"], executions=2.0)])
PROJECT = SimpleNamespace(
    place=SimpleNamespace(indexes="source"),
    catalog=SimpleNamespace(scale_factor=1.0),
    folder=Path("/kept"),
)


def folder(made):
    analysis = SimpleNamespace(
        catalog=SimpleNamespace(tables={}), workload=SimpleNamespace(queries=())
    )
    return _folder(PROJECT, SimpleNamespace(problem=made, analysis=analysis))


ENGINE = replace(ASKED.costs.engine, start_s=9.0)


@pytest.mark.parametrize(
    "changes",
    [
        {"queries": (query("q", ["t"], executions=3.0),)},
        {"objective": "latency"},
        {"costs": replace(ASKED.costs, engine=ENGINE)},
        {"current": {"t": ("b",)}},
        {"clients": 8},
        {"graph": replace(ASKED.graph, writes={"t": 5.0})},
    ],
)
def test_what_a_plan_depends_on_has_a_folder_of_its_own(changes):
    assert folder(ASKED) == folder(replace(ASKED))
    assert folder(replace(ASKED, **changes)) != folder(ASKED)
    # How long it is searched for says nothing of what is found.
    assert folder(replace(ASKED, time_limit_s=1.0)) == folder(ASKED)
