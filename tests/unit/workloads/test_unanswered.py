"""Statements with parameters have no answer, and are told before they are run."""

import pytest

from tests.unit.workloads.test_passing_through import query, with_data
from workloads.sql.unanswered import unanswered


@pytest.mark.parametrize(
    ("dialect", "sql", "said"),
    [
        ("postgres", "SELECT o_id FROM orders WHERE o_id = $1", "parameters"),
        ("mysql", "SELECT o_id FROM orders WHERE o_id IN (?, ?)", "parameters"),
        ("duckdb", "SELECT o_id FROM orders WHERE o_id = ?", "parameters"),
        ("duckdb", "SELECT o_id FROM orders LIMIT :most", "parameters"),
        ("postgres", "SELECT ctid, o_id FROM orders", "where or since when a row lies"),
        ("postgres", "SELECT c_id FROM customer WHERE c_name = '$1 ctid ?'", ""),
        ("postgres", 'SELECT c_id AS "ctid" FROM customer', ""),
        ("duckdb", "SELECT o_id FROM orders WHERE o_day > DATE '2024-01-01'", ""),
        ("duckdb", "SELECT nothing FROM orders WHERE o_id = ?", ""),
    ],
)
def test_what_lacks_values_has_no_answer(dialect: str, sql: str, said: str):
    found = unanswered(query(sql), with_data(), dialect)
    assert said in found
    assert bool(found) == bool(said)
