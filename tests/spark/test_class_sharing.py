"""Sessions map their classes from an archive."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from evaluation.installation.jars import jars
from evaluation.installation.java import java_home, version_of
from evaluation.kinds import BACKENDS
from evaluation.spark.class_sharing import class_sharing
from workloads.cache import cache_folder
from workloads.progress import Silent

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def test_a_session_maps_the_archive_of_its_classes(spark: "SparkSession") -> None:
    found = jars(sorted({jar for each in BACKENDS.values() for jar in each.jars}), Silent())
    home = java_home(Silent())
    options = class_sharing(home, found, Silent())
    if version_of(home) != 17:
        assert options == ""
        return
    (archive,) = (each for each in options.split('"') if each.endswith(".jsa"))
    gateway: Any = spark.sparkContext._gateway
    mapped = Path(f"/proc/{gateway.proc.pid}/maps").read_text()
    assert archive.removeprefix("-XX:SharedArchiveFile=") in mapped
    # It is of the cache, beside the jars that are compiled.
    assert str(cache_folder() / "java") in archive
