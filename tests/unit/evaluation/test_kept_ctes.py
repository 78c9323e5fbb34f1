"""Whether a CTE is kept is said only in SQL that has words for it."""

import pytest
from sqlglot import exp, parse_one

from evaluation.federation.dialects import STORE_RULES

SQL = (
    "WITH a AS MATERIALIZED (SELECT 1 AS n), b AS NOT MATERIALIZED (SELECT n FROM a) "
    "SELECT b.n FROM b, (WITH c AS MATERIALIZED (SELECT 2 AS m) SELECT m FROM c) AS d"
)
PLAIN = SQL.replace("NOT MATERIALIZED ", "").replace("MATERIALIZED ", "")


@pytest.mark.parametrize(
    ("dialect", "written"),
    [("postgres", SQL), ("duckdb", SQL), ("mysql", PLAIN), ("spark", PLAIN)],
)
def test_a_store_is_sent(dialect: str, written: str):
    tree = parse_one(SQL, dialect="duckdb")
    assert isinstance(tree, exp.Query)
    for rule in STORE_RULES[dialect]:
        tree = rule(tree)
    assert tree.sql("duckdb") == written
