"""A driver on a cluster: runs a job by several settings and tells what Spark made of it.

python -m tests.spark.cluster_driver job.json plan.json

Standard output has one JSON object: what each setting measured, with the joins of all queries and
the executors that had tasks; and what a Python task answers, which there should be none for.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args
from unittest.mock import patch

from py4j.protocol import Py4JError

from evaluation.evaluate import evaluate, measure, open_session, stores_held
from evaluation.load import load
from evaluation.measuring.measurement import Measurements
from evaluation.measuring.plan_metrics import PlanMetrics, _nodes, plan_metrics
from evaluation.running import bounded_frames
from evaluation.running.job import Job, read_job
from evaluation.spark.joins import JoinStrategy
from evaluation.spark.settings import Executors
from placement.plan import PlacementPlan
from placement.plan_file import read_plan
from workloads.progress import Silent

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class Seen:
    """What was seen of the engine while a job ran."""

    def __init__(self) -> None:
        self.joins: Counter[str] = Counter()
        self.executors: set[str] = set()

    def metrics(self, frame: "DataFrame", views: Mapping[int, str]) -> PlanMetrics:
        """Look at a finished query before its figures are taken."""
        plan: Any = frame._jdf.queryExecution().executedPlan()
        names = [node.nodeName() for node in _nodes(plan) if node.nodeName() != "AdaptiveSparkPlan"]
        self.joins.update(name for name in names if "Join" in name)
        self.executors |= with_tasks(frame.sparkSession)
        return plan_metrics(frame, views)


def with_tasks(spark: "SparkSession") -> set[str]:
    """Return the executors, and the driver, that have finished tasks."""
    context: Any = spark.sparkContext._jsc
    found = context.sc().statusStore().executorList(False)
    summaries = [found.apply(number) for number in range(found.size())]
    return {str(each.id()) for each in summaries if each.completedTasks() > 0}


@contextmanager
def watched() -> Iterator[Seen]:
    seen = Seen()
    with patch.object(bounded_frames, "plan_metrics", seen.metrics):
        yield seen


def told(measurements: Measurements, seen: Seen) -> dict[str, Any]:
    assert measurements.spark is not None
    (candidate,) = measurements.candidates
    return {
        "workers": measurements.spark.workers,
        "master": measurements.spark.master,
        "join_strategy": measurements.spark.join_strategy,
        "outcomes": {each.query: str(each.outcome) for each in candidate.queries},
        "messages": [each.message for each in candidate.queries if each.message],
        "joins": seen.joins,
        "executors": sorted(seen.executors),
    }


def strategies(job: Job, plans: Sequence[PlacementPlan]) -> Iterator[dict[str, Any]]:
    """Compare the join strategies in one session."""
    with stores_held(job, plans):
        loaded = load(job.catalog, plans, job.connections, Silent())
        with open_session(job, Silent()) as spark:
            for strategy in get_args(JoinStrategy):
                one = replace(job, join_strategy=strategy)
                with watched() as seen:
                    yield told(measure(spark, one, plans, loaded, Silent()), seen)
            yield {"python": python_task(spark)}


def python_task(spark: "SparkSession") -> str:
    try:
        return str(spark.sparkContext.parallelize([1], 1).map(lambda one: one + 1).collect())
    except Py4JError as error:
        return next(line for line in str(error).splitlines() if "Cannot run program" in line)


def main() -> None:
    job = read_job(Path(sys.argv[1]))
    plans = [read_plan(Path(name).read_text("utf-8")) for name in sys.argv[2:]]
    with watched() as seen:
        alone = told(evaluate(replace(job, executors=Executors(workers=1)), plans, Silent()), seen)
    answer = {"alone": alone, "strategies": list(strategies(job, plans))}
    sys.stdout.write(json.dumps(answer))


if __name__ == "__main__":
    main()
