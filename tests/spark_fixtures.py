"""One Spark session for all tests: each costs ten seconds."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from evaluation.installation.jars import jars
from evaluation.installation.java import java_home
from evaluation.kinds import BACKENDS
from evaluation.spark.class_sharing import class_sharing
from evaluation.spark.session import session
from workloads.progress import Silent

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def spark() -> Iterator["SparkSession"]:
    """A local session with every back end's drivers."""
    names = sorted({jar for backend in BACKENDS.values() for jar in backend.jars})
    found = jars(names, Silent())
    java = java_home(Silent())
    options = class_sharing(java, found, Silent())
    with session(
        master="local[2]", jars=found, java_home=java, driver_memory="1g", java_options=options
    ) as running:
        yield running
