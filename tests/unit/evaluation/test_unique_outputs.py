"""Names that a store can tell apart."""

import pytest
from sqlglot import exp, parse_one

from evaluation.federation.rewrites.unique_outputs import (
    LONGEST_NAME,
    unique_inner_outputs,
    unique_names,
    unique_outputs,
)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["a", "b"], ["a", "b"]),
        (["a", "A", "a"], ["a", "A_1", "a_2"]),
        # A number that makes a name which another column has is no help.
        (["a", "a", "a_1"], ["a", "a_4", "a_1"]),
    ],
)
def test_repeated_names_are_numbered(names: list[str], expected: list[str]):
    assert unique_names(names) == expected


def test_names_that_begin_alike_are_cut_to_different_ones():
    found = unique_names(["x" * 80, "x" * 81, "\u00e9" * 70, "x" * 80])
    assert len({name.lower() for name in found}) == 4
    assert all(len(name.encode()) <= LONGEST_NAME for name in found)


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT t.a, u.a FROM t, u", 'SELECT t.a, u.a AS "a_1" FROM t, u'),
        (
            "(SELECT a, a FROM t) UNION SELECT b, c FROM u",
            '(SELECT a, a AS "a_1" FROM t) UNION SELECT b, c FROM u',
        ),
        ("SELECT a FROM t UNION BY NAME SELECT b FROM u", None),
    ],
)
def test_the_outputs_of_a_query_get_them(sql: str, expected: str | None):
    tree = parse_one(sql, dialect="duckdb")
    assert isinstance(tree, exp.Query)
    assert unique_outputs(tree) == parse_one(expected or sql, dialect="duckdb")


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        (
            "WITH c AS (SELECT t.a, u.a FROM t, u) SELECT c.a, c.a FROM c",
            'WITH c AS (SELECT t.a, u.a AS "a_1" FROM t, u) SELECT c.a, c.a FROM c',
        ),
        (
            "SELECT q.b FROM (SELECT b, b AS B, b FROM t UNION SELECT 1, 2, 3) AS q",
            'SELECT q.b FROM (SELECT b, b AS "B_1", b AS "b_2" FROM t UNION SELECT 1, 2, 3) AS q',
        ),
        (f"SELECT a FROM (SELECT a, b AS {'x' * 80} FROM t) AS q", None),
        ("SELECT a FROM (SELECT a FROM t UNION BY NAME SELECT b AS a FROM u) AS q", None),
    ],
)
def test_the_outputs_of_inner_queries_get_them_and_none_is_cut(sql: str, expected: str | None):
    tree = parse_one(sql, dialect="duckdb")
    assert isinstance(tree, exp.Query)
    assert unique_inner_outputs(tree) == parse_one(expected or sql, dialect="duckdb")
