"""What one query asks of the object store says nothing of what the next one is given."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from evaluation.kinds import BACKENDS
from evaluation.running.execution import Federation
from evaluation.store_protocol.connection import Connection
from placement.stores import Capability
from tests.known_kinds import ROWS, catalog
from tests.stores.awkward_values import routed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.stores, pytest.mark.spark]


def test_rows_that_one_query_leaves_out_are_there_for_the_next(
    spark: "SparkSession", objects: Mapping[str, Connection], tmp_path: Path
):
    tables = catalog(tmp_path)
    connection = replace(objects["mem"], namespace="again")
    backend = BACKENDS[connection.kind]
    backend.prepare(connection)
    backend.load(connection, tables.tables["nums"])
    inner, outer = (
        routed(
            f"SELECT a.k FROM nums AS a {side} JOIN nums AS b ON a.k = b.id",
            tables,
            Capability.SCAN,
            connection,
        )
        for side in ("", "LEFT")
    )
    assert [each.sql for each in inner.fragments] == [each.sql for each in outer.fragments]
    with Federation(spark, {connection.store: connection}, timeout_s=120) as federation:
        assert len(federation.run(inner).rows) < ROWS
        assert len(federation.run(outer).rows) == ROWS
    backend.drop(connection, "nums")
