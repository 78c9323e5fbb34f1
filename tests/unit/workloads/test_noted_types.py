"""The types that are noted at the columns of a query."""

import pytest
from sqlglot import exp
from sqlglot.optimizer.annotate_types import annotate_types

from tests.catalogs import shop
from tests.data_fixtures import statement
from workloads.sql.canonical.rules import canonical
from workloads.sql.typing.noted_types import note_types
from workloads.sql.typing.value_kinds import named, type_of_kind


def noted(sql: str, column: str) -> str | None:
    tree = canonical(statement(sql), shop(), "duckdb")
    tree = note_types(annotate_types(tree, dialect="duckdb"), shop())
    found = next(each for each in tree.find_all(exp.Column) if each.name == column)
    return found.type.sql("duckdb") if found.type is not None else None


@pytest.mark.parametrize(
    ("inner", "type_"),
    [
        ("SELECT round(o_total, 1) AS x FROM orders", "DECIMAL(9, 1)"),
        ("SELECT coalesce(o_total, 4.5) AS x FROM orders", "DECIMAL(9, 2)"),
        ("SELECT CASE WHEN o_id > 1 THEN 0.5 END AS x FROM orders", "DECIMAL(1, 1)"),
        ("SELECT o_total / 2 AS x FROM orders", "DOUBLE"),
        ("SELECT 0.1 AS x UNION ALL SELECT o_total FROM orders", "DECIMAL(9, 2)"),
        ("SELECT coalesce(o_day, DATE '2000-01-01') AS x FROM orders", "DATE"),
        ("SELECT coalesce(o_id > 1, false) AS x FROM orders", "BOOLEAN"),
        ("SELECT max(o_id) AS x FROM orders GROUP BY o_day", "BIGINT"),
    ],
)
def test_a_column_of_a_derived_table_has_the_type_that_duckdb_gives_it(inner: str, type_: str):
    assert noted(f"SELECT q.x FROM ({inner}) AS q", "x") == type_


def test_a_column_of_rows_that_are_written_out_is_a_decimal():
    sql = "SELECT v.x FROM orders, (VALUES (0.1), (-2.55), (NULL)) AS v(x)"
    assert noted(sql, "x") == "DECIMAL(3, 2)"


@pytest.mark.parametrize(
    "type_",
    ["TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UBIGINT", "HUGEINT", "DECIMAL(9, 2)", "FLOAT",
     "DOUBLE", "VARCHAR", "DATE", "TIMESTAMP", "TIMESTAMPTZ", "BOOLEAN", "INTERVAL"],
)  # fmt: skip
def test_a_kind_has_a_type_of_that_kind(type_: str):
    assert type_of_kind(named(type_)) == type_
