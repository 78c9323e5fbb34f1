"""A session of Spark that stays open while jobs are measured one after the other."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evaluation.evaluate import measure, open_session
from evaluation.load import LoadedStores
from evaluation.measuring.measurement import Measurements
from evaluation.running.job import Job
from evaluation.spark.java import has_ended
from placement.plan import PlacementPlan
from workloads.progress import Progress

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """A session on which jobs are measured whose stores have their copies already."""

    spark: "SparkSession"

    @property
    def has_ended(self) -> bool:
        """Whether Spark's Java was killed: nothing can be measured any more."""
        return has_ended(self.spark)

    def measure(
        self, job: Job, plans: Sequence[PlacementPlan], loaded: LoadedStores, progress: Progress
    ) -> Measurements:
        """Run the job's workload on `plans`."""
        return measure(self.spark, job, plans, loaded, progress)


@contextmanager
def open_bench(job: Job, progress: Progress) -> Iterator[Bench]:
    """Open a session with the master, executors and stores of a job.

    Raises:
        SetUpError: Spark does not start.
    """
    with open_session(job, progress) as spark:
        yield Bench(spark=spark)
