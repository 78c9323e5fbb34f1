"""A link as a calibration probes it: real portions of a real server's rows."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pytest

from evaluation.calibration.links import FETCH_ROWS, MESSAGE_BYTES, RESULTS, links
from evaluation.installation.artifacts import cache_folder
from evaluation.kinds import BACKENDS
from evaluation.running.job import Job
from evaluation.store_protocol.connection import Connection
from workloads.benchmarks.tpch import generate
from workloads.progress import Silent
from workloads.workload import Workload

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.stores, pytest.mark.spark]


def test_links_are_probed_where_a_driver_waits_and_nowhere_else(
    spark: "SparkSession", embedded: Mapping[str, Connection]
):
    catalog = generate(0.01, cache_folder(), Silent())
    pg, duck = embedded["pg"], embedded["duck"]
    backend = BACKENDS["postgresql"]
    backend.prepare(pg)
    backend.load(pg, catalog.table("lineitem"))
    job = Job(
        workload=Workload(name="none", dialect="duckdb", queries=()),
        catalog=catalog,
        connections={"pg": pg, "duck": duck},
    )
    try:
        found = links(spark, job, Silent())
    finally:
        backend.drop(pg, "lineitem")
    assert found.failed == {}
    (probed,) = found.stores.values()
    assert list(found.stores) == ["pg"]
    assert probed.probes == len(RESULTS) * len(FETCH_ROWS) * len(MESSAGE_BYTES)
    assert probed.link.trip_s(max(MESSAGE_BYTES)) >= 0
    assert probed.error < 1
