"""Whether a CTE is kept is said only in SQL that has words for it."""

import pytest
from sqlglot import exp, parse_one

from evaluation.kinds import KINDS

SQL = (
    "WITH a AS MATERIALIZED (SELECT 1 AS n), b AS NOT MATERIALIZED (SELECT n FROM a) "
    "SELECT b.n FROM b, (WITH c AS MATERIALIZED (SELECT 2 AS m) SELECT m FROM c) AS d"
)
PLAIN = SQL.replace("NOT MATERIALIZED ", "").replace("MATERIALIZED ", "")


@pytest.mark.parametrize(
    ("kind", "written"),
    [("postgresql", SQL), ("duckdb", SQL), ("mysql", PLAIN), ("accumulo", PLAIN)],
)
def test_a_store_is_sent(kind: str, written: str):
    tree = parse_one(SQL, dialect="duckdb")
    assert isinstance(tree, exp.Query)
    for rule in KINDS[kind].rules:
        tree = rule(tree)
    assert tree.sql("duckdb") == written
