"""Columns that a query calls as an earlier version of the table's definition did."""

import duckdb
import pytest

from evaluation.judging.oracle import Oracle
from tests.data_fixtures import statement
from workloads.catalog import Catalog
from workloads.errors import SqlError
from workloads.sql import footprint
from workloads.sql.canonical.rules import canonical

STATEMENTS = [
    "SELECT c_last_review_date FROM customer",
    "SELECT count(*), c_last_review_date AS d FROM customer GROUP BY c_last_review_date ORDER BY 2",
    "SELECT max(C_LAST_REVIEW_DATE) FROM customer AS c WHERE c.c_last_review_date > 0",
    "SELECT t.c_last_review_date FROM (SELECT c_last_review_date FROM customer) AS t",
    "WITH t AS (SELECT c_last_review_date FROM customer) SELECT max(c_last_review_date) FROM t",
    """SELECT d_year FROM customer JOIN date_dim ON c_last_review_date = d_date_sk
       WHERE c_customer_sk IN (SELECT c_customer_sk FROM customer WHERE c_last_review_date > 0)""",
]


@pytest.mark.parametrize("sql", STATEMENTS)
def test_a_former_name_is_the_present_column_and_stays_the_name_of_the_result(
    sql: str, tiny: Catalog, tiny_oracle: Oracle
):
    query = statement(sql, name=sql)
    rewritten = canonical(query, tiny, "duckdb")
    present = sql.replace("c_last_review_date", "c_last_review_date_sk")
    present = present.replace("C_LAST_REVIEW_DATE", "c_last_review_date_sk")
    with duckdb.connect() as connection:
        connection.execute(f"CREATE VIEW customer AS FROM '{tiny.table('customer').parquet}'")
        connection.execute(f"CREATE VIEW date_dim AS FROM '{tiny.table('date_dim').parquet}'")
        expected = sorted(connection.execute(present).fetchall(), key=str)
        assert sorted(connection.execute(rewritten.sql("duckdb")).fetchall(), key=str) == expected
    assert sorted(tiny_oracle.answer(query).rows, key=str) == expected
    assert "c_last_review_date_sk" in {
        column
        for source in footprint(query, tiny, "duckdb").sources()
        for column in source.columns
        if source.table == "customer"
    }
    if sql.startswith("SELECT c_last"):
        assert rewritten.named_selects == ["c_last_review_date"]


def test_a_column_of_a_derived_table_is_not_taken_for_a_former_name(tiny: Catalog):
    own = statement("SELECT x.c_last_review_date FROM (SELECT 1 AS c_last_review_date) AS x")
    assert canonical(own, tiny, "duckdb").named_selects == ["c_last_review_date"]
    with pytest.raises(SqlError, match="unknown column 'c_last_review_date'"):
        canonical(statement("SELECT c_last_review_date FROM item"), tiny, "duckdb")
