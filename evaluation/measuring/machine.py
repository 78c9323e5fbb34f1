"""Where a run was measured: its machine, and how Spark ran on it."""

from dataclasses import dataclass

from evaluation.spark.combining import Combine
from evaluation.spark.joins import JoinStrategy


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """The machine of the measurement: `load_average` over one minute at its start and end."""

    cores: int
    memory_bytes: int
    system: str
    load_average: tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class SparkSetting:
    """The cluster that Spark ran on: `workers` are its executors, or a local master's threads.

    Runs of earlier versions were combined by Spark.
    """

    master: str
    workers: int
    join_strategy: JoinStrategy
    combine: Combine = "spark"
