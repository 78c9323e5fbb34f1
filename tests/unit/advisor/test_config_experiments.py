"""``[experiments]``: numbered experiments with their placements, and the engines of all."""

import pytest

from tests.unit.advisor.project_files import error, load


def test_a_project_names_no_experiments_unless_it_says_so(tmp_path):
    found = load(tmp_path).experiments
    assert (found.numbered, found.engines) == ({}, ("fragments",))


def test_an_experiment_has_placements_workers_and_joins(tmp_path):
    said = {
        "engines": ["fragments", "trino"],
        "3": {"placements": ["naive"], "workers": [1, 3]},
        "5": {"placements": ["naive"], "join_strategies": ["broadcast", "automatic"]},
    }
    found = load(tmp_path, {"experiments": said}).experiments
    assert found.engines == ("fragments", "trino")
    assert found.numbered[3].workers == (1, 3)
    assert found.numbered[3].join_strategies == ("automatic",)
    assert found.numbered[5].join_strategies == ("broadcast", "automatic")
    assert found.numbered[5].workers == ()


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"6": {"placements": ["naive"]}}, "'6'"),
        ({"1": {"placements": []}}, "[experiments.1].placements"),
        ({"1": {}}, "this key is needed"),
        ({"1": {"placements": ["niave"]}}, "did you mean 'naive'?"),
        ({"1": {"placements": ["naive"], "worker": [1]}}, "did you mean 'workers'?"),
        ({"3": {"placements": ["naive"], "workers": [0]}}, "[experiments.3].workers"),
        ({"5": {"placements": ["naive"], "join_strategies": ["hash"]}}, "join_strategies"),
        ({"engines": ["presto"]}, "[experiments].engines"),
        ({"worker_memory": "much"}, "[experiments].worker_memory"),
        ({"1": 3}, "this is a section, not the value 3"),
        ({"numbered": {}}, "'numbered'"),
    ],
)
def test_nonsense_is_refused_with_a_sentence(tmp_path, said, told):
    assert told in error(tmp_path, {"experiments": said})
