"""What arrives of a copy, and of a query over it, is what DuckDB says: in type, value and order."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from evaluation.connection import Connection
from evaluation.execution import Federation
from evaluation.stores.backend import Backend
from placement.stores import Capability
from tests.stores.awkward_values import BEYOND, EDGES, awkward, catalog_of, in_duckdb, routed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.stores, pytest.mark.spark, pytest.mark.timeout(300)]

ALL = "SELECT * FROM awkward ORDER BY id"


def ways(backend: Backend) -> list[Capability]:
    """How a query may be run: as a whole by the store, where it can, and over scans of it."""
    return [each for each in (Capability.QUERY, Capability.SCAN) if each in backend.capabilities]


def values_held(backend: Backend) -> dict[str, tuple[str, ...]]:
    more = {} if backend.kind == "mysql" else BEYOND
    return {type_: (*EDGES.get(type_, ()), *more.get(type_, ())) for type_ in {**EDGES, **more}}


def test_values_of_every_type_arrive_exactly_and_in_duckdbs_type(
    spark: "SparkSession", connection: Connection, backend: Backend, tmp_path: Path
) -> None:
    table = awkward(tmp_path, values_held(backend))
    backend.load(connection, table)
    names, types, rows = in_duckdb(ALL, [table])
    with Federation(spark, {connection.store: connection}, timeout_s=60) as federation:
        for way in ways(backend):
            done = federation.run(routed(ALL, catalog_of(table), connection, way))
            assert done.names == names
            assert done.types == types
            # NaN is not equal to itself.
            assert [list(map(repr, row)) for row in done.rows] == [
                list(map(repr, row)) for row in rows
            ]
