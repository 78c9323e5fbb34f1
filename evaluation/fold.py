"""Folding a log into templates as a Spark job, for logs that one machine is too small for.

The pieces of the log are those of `workloads.sources.logs.recorded`, and each is folded by the same
function: a task folds its pieces, then what the tasks have of one template is folded together.
Sums are exact and the example is the first by file and line, so that the result equals the local
one however Spark deals the pieces out. Each executor opens the files by their path: the log lies
in a folder that all of them see. A file that cannot be cut (compressed, or a server's log) is one
piece.
"""

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workloads.counting.counting import EVERYTHING, Counting
from workloads.errors import SetUpError
from workloads.folding.processes import answer
from workloads.folding.templates import Folding
from workloads.progress import Progress, Silent
from workloads.search_path import NOWHERE, Searching
from workloads.sources.logs.formats import Task
from workloads.sources.logs.formats import fold as fold_task
from workloads.workload import Workload

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Tasks a core: short ones even out what long ones leave.
_WAVES = 4


def fold(
    paths: Path | Sequence[Path],
    dialect: str | None = None,
    *,
    frequencies: Path | None = None,
    counting: Counting = EVERYTHING,
    searching: Searching = NOWHERE,
    master: str = "local[*]",
    driver_memory: str = "2g",
    progress: Progress | None = None,
) -> Workload:
    """Return what `logs.recorded.workload` does, folded in a Spark session of its own.

    Under spark-submit the session is the submitted one.

    Raises:
        ConfigurationError, SqlError: As `workloads.sources.logs.recorded.workload`.
        SetUpError: There is no usable Java, or Spark does not start or fails.
    """
    from evaluation.installation.java import java_home
    from evaluation.spark.class_sharing import class_sharing
    from evaluation.spark.session import session

    progress = progress or Silent()
    java = java_home(progress)
    options = class_sharing(java, (), progress)
    with session(
        master=master, java_home=java, driver_memory=driver_memory, java_options=options
    ) as spark:
        return fold_in(
            spark,
            paths,
            dialect,
            frequencies=frequencies,
            counting=counting,
            searching=searching,
            progress=progress,
        )


def fold_in(
    spark: "SparkSession",
    paths: Path | Sequence[Path],
    dialect: str | None = None,
    *,
    frequencies: Path | None = None,
    counting: Counting = EVERYTHING,
    searching: Searching = NOWHERE,
    progress: Progress | None = None,
) -> Workload:
    """Return the same in a session that runs already.

    Raises:
        ConfigurationError, SqlError: As `workloads.sources.logs.recorded.workload`.
        SetUpError: A Spark task failed otherwise.
    """
    from workloads.sources.logs.recorded import workload

    return workload(
        paths,
        dialect,
        frequencies=frequencies,
        counting=counting,
        searching=searching,
        progress=progress,
        runner=SparkRunner(spark=spark),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SparkRunner:
    """A `workloads.sources.logs.runners.Runner` whose tasks are Spark's."""

    spark: "SparkSession"

    def each(self, function: Callable[[Any], Any], tasks: Sequence[Any]) -> Iterator[Any]:
        """Yield what `function` makes of each task."""
        if not tasks:
            return
        context = self.spark.sparkContext
        slices = min(len(tasks), _WAVES * context.defaultParallelism)
        done = context.parallelize(tasks, slices).map(lambda task: answer(function, task))
        for succeeded, result in _collected(done):
            if not succeeded:
                raise result
            yield result

    def folded(self, tasks: Sequence[Task]) -> Iterator[Folding]:
        """Yield foldings that share no template."""
        context = self.spark.sparkContext
        cores = context.defaultParallelism
        slices = min(len(tasks), _WAVES * cores)
        folded = context.parallelize(tasks, slices).mapPartitions(
            lambda some: _partition(some, cores)
        )
        for _, packed in _collected(folded.reduceByKey(_together, cores)):
            result = pickle.loads(packed)  # noqa: S301 - our own tasks'
            if not isinstance(result, Folding):
                raise result
            yield result


def _partition(tasks: Iterable[Task], parts: int) -> Iterator[tuple[int, bytes]]:
    """Fold the tasks of a partition, and yield the result in parts by template."""

    def folded(_: None) -> Folding:
        folding = Folding()
        for task in tasks:
            folding.absorb(fold_task(task))
        return folding

    succeeded, result = answer(folded, None)
    if not succeeded:
        yield 0, pickle.dumps(result)
        return
    for number, part in result.parts(parts).items():
        yield number, pickle.dumps(part)


def _together(first: bytes, second: bytes) -> bytes:
    """Fold two foldings, or keep the first of two errors."""
    one, other = pickle.loads(first), pickle.loads(second)  # noqa: S301 - our own tasks'
    for packed, result in ((first, one), (second, other)):
        if not isinstance(result, Folding):
            return packed

    def absorbed(_: None) -> Folding:
        whole = Folding()
        whole.absorb(one)
        whole.absorb(other)
        return whole

    return pickle.dumps(answer(absorbed, None)[1])


def _collected(results: Any) -> list[Any]:  # noqa: ANN401 - an RDD of PySpark
    from py4j.protocol import Py4JError

    try:
        return list(results.collect())
    except Py4JError as error:
        said = [line.strip() for line in str(error).splitlines() if line.strip()]
        raise SetUpError(f"Spark failed while folding the log: {said[-1]}.") from None
