"""What ``[evaluate]`` says of Spark: its workers and how it joins."""

import pytest

from evaluation.spark.settings import Executors
from tests.unit.advisor.project_files import error, load


def test_workers_and_joins_are_sparks_own_choice_unless_the_file_says(tmp_path):
    settings = load(tmp_path).evaluate
    assert settings.executors == Executors()
    assert settings.join_strategy == "automatic"


def test_a_cluster_is_asked_for_its_executors(tmp_path):
    said = {
        "master": "spark://127.0.0.1:7077",
        "workers": 2,
        "executor_cores": 4,
        "executor_memory": "6g",
        "join_strategy": "broadcast",
    }
    settings = load(tmp_path, {"evaluate": said}).evaluate
    assert settings.executors == Executors(workers=2, cores=4, memory="6g")
    assert settings.join_strategy == "broadcast"


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"workers": 0}, r"[evaluate].workers = 0"),
        ({"workers": "two"}, r"[evaluate].workers = 'two'"),
        ({"executor_memory": "much"}, r"[evaluate].executor_memory = 'much'"),
        ({"join_strategy": "sorted"}, r"[evaluate].join_strategy = 'sorted'"),
        ({"master": "local[4]", "workers": 2}, "'local[4]' says already how many threads"),
        ({"executor_cores": 2}, "which has no executors"),
    ],
)
def test_nonsense_is_refused_with_a_sentence(tmp_path, said, told):
    assert told in error(tmp_path, {"evaluate": said})
