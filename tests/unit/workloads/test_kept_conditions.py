"""Conditions that a store may lack a feature of stay behind its groups: these must not mix rows."""

from pathlib import Path

import pytest

from tests.data_fixtures import statement
from workloads.catalog import Catalog, Column, Table
from workloads.sql import footprint

READINGS = Catalog(
    name="lab",
    tables={
        "readings": Table(
            name="readings",
            rows=9,
            fingerprint="readings",
            primary_key=(),
            parquet=Path("/none"),
            columns=(
                Column(name="f", type="DOUBLE", width_bytes=8.0),
                Column(name="x", type="INTEGER", width_bytes=4.0),
            ),
        )
    },
)


@pytest.mark.parametrize(
    ("condition", "is_aggregated"),
    [("f > 1", True), ("x > 1", True), ("CAST(f AS VARCHAR) <> '-0.0'", False)],
)
def test_a_condition_that_tells_zeros_apart_hinders_groups(condition: str, is_aggregated: bool):
    """Groups of f hold 0.0 and -0.0 together, which the condition keeps one of."""
    sql = f"SELECT sum(x) AS s, count(*) AS n FROM readings WHERE {condition}"
    (block,) = footprint(statement(sql), READINGS, "duckdb").blocks
    assert (block.aggregation is not None) == is_aggregated
