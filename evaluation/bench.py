"""Sessions of Spark that stay open while jobs are measured one after the other."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
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


class KeptBench:
    """A session that is opened when it is first asked for, and kept until it was asked for last.

    All jobs have the same master, memory and stores. `stack` ends it at the latest.
    """

    def __init__(self, progress: Progress, stack: ExitStack) -> None:
        self._progress = progress
        self._stack = stack
        self._bench: Bench | None = None

    def opened(self, job: Job) -> Bench:
        """Return the session; another one where its Java was killed.

        Raises:
            SetUpError: Spark does not start.
        """
        if self._bench is not None and self._bench.has_ended:
            self._end()
        if self._bench is None:
            self._bench = self._stack.enter_context(open_bench(job, self._progress))
        return self._bench

    @contextmanager
    def last(self, job: Job) -> Iterator["SparkSession"]:
        """Yield the session, which ends with the block."""
        try:
            yield self.opened(job).spark
        finally:
            self._end()

    def _end(self) -> None:
        self._bench = None
        self._stack.close()
