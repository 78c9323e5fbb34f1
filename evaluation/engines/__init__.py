"""Engines that answer the queries of a run, and their registry."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from evaluation.engines.engine import Engine
from evaluation.engines.fragments import open_fragments
from evaluation.engines.spark_native import open_spark_native
from evaluation.engines.trino import open_trino
from evaluation.judging.oracle import Oracle
from evaluation.running.job import EngineName, Job

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Opener = Callable[["SparkSession", Job, Oracle], AbstractContextManager[Engine]]

ENGINES: Mapping[EngineName, Opener] = {
    "fragments": open_fragments,
    "spark-native": open_spark_native,
    "trino": open_trino,
}
"""An engine's name → what opens it for the length of a block, once the stores are loaded."""
