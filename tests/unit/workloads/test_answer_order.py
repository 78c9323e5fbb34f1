"""The order that a statement fixes is read from its outermost clauses, and from nothing else."""

import pytest

from tests.data_fixtures import statement
from workloads.errors import SqlError
from workloads.sql.answer_order import answer_order
from workloads.sql.parsing.words_used import called_names, keywords, names_written


@pytest.mark.parametrize(
    ("sql", "uncut"),
    [
        ("SELECT a FROM t ORDER BY a", "SELECT a FROM t ORDER BY a, 1 ASC NULLS FIRST "),
        (
            "SELECT a FROM t ORDER BY a DESC NULLS LAST LIMIT 3 OFFSET 2",
            "SELECT a FROM t ORDER BY a DESC NULLS LAST, 1 ASC NULLS FIRST  ",
        ),
        (
            "SELECT a FROM t ORDER BY f(a, [b, c]) /* x */ -- y\n LIMIT 3;",
            "SELECT a FROM t ORDER BY f(a, [b, c]), 1 ASC NULLS FIRST /* x */ -- y\n  ;",
        ),
        (
            "((SELECT a FROM t ORDER BY a)) OFFSET 2",
            "((SELECT a FROM t ORDER BY a, 1 ASC NULLS FIRST))  ",
        ),
        (
            "SELECT a AS limit FROM t ORDER BY a",
            "SELECT a AS limit FROM t ORDER BY a, 1 ASC NULLS FIRST ",
        ),
    ],
)  # fmt: skip
def test_ties_are_sorted_by_all_columns_without_the_limit(sql: str, uncut: str):
    order = answer_order(statement(sql))
    assert order.is_ordered
    assert order.uncut(1, "ASC") == uncut


def test_the_other_direction_is_the_reverse():
    order = answer_order(statement("SELECT a, b FROM t ORDER BY a"))
    assert order.uncut(2, "DESC").endswith("a, 1 DESC NULLS LAST, 2 DESC NULLS LAST ")


@pytest.mark.parametrize(
    ("sql", "skipped"),
    [
        ("SELECT a FROM t LIMIT 3", ""),
        ("SELECT a FROM t OFFSET 2", "2"),
        ("SELECT a FROM t OFFSET 2 + 3 ROWS LIMIT 4", "2 + 3"),
        ("SELECT a FROM t LIMIT 4 OFFSET (SELECT max(b) FROM u)", "(SELECT max(b) FROM u)"),
        ("SELECT a FROM t OFFSET 7 FETCH NEXT 2 ROWS ONLY", "7"),
    ],
)
def test_what_is_skipped_is_the_offsets_text(sql: str, skipped: str):
    order = answer_order(statement(sql))
    assert order.skipped == skipped
    assert order.cut is not None
    assert not order.is_ordered
    assert order.uncut(1, "ASC").strip() == "SELECT a FROM t"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT a FROM (SELECT a FROM t ORDER BY a LIMIT 3)",
        "SELECT rank() OVER (ORDER BY a) FROM t",
        "SELECT string_agg(a ORDER BY a) FROM t",
        "(SELECT a FROM t ORDER BY a LIMIT 1) UNION ALL (SELECT a FROM t ORDER BY a LIMIT 1)",
        "SELECT a AS limit FROM t",
        "SELECT 'ORDER BY a LIMIT 3' AS \"ORDER BY\" FROM t",
    ],
)
def test_an_inner_order_or_limit_is_none_of_the_statement(sql: str):
    order = answer_order(statement(sql))
    assert not order.is_ordered
    assert order.cut is None


@pytest.mark.parametrize(
    "sql", ["SELECT a FROM t ORDER BY ALL", "SELECT a FROM t ORDER BY ALL DESC LIMIT 2"]
)
def test_by_all_columns_only_equal_rows_tie(sql: str):
    order = answer_order(statement(sql))
    assert order.is_total
    assert order.is_ordered
    assert order.uncut(1, "ASC").strip() == sql.removesuffix(" LIMIT 2")


def test_a_text_that_does_not_end_is_no_sql():
    with pytest.raises(SqlError):
        answer_order(statement("SELECT 'a"))


def test_functions_and_words_are_told_apart_from_names_and_text():
    query = statement(
        "SELECT DISTINCT ON (a) now(), \"random\", 'uuid()', b.Limit FROM first LIMIT 2"
    )
    assert "now" in called_names(query)
    assert not {"random", "uuid", "first", "limit"} & called_names(query)
    assert {"DISTINCT ON", "LIMIT"} <= keywords(query)
    assert {"random", "a"} <= names_written(query)
    assert called_names(statement("SELECT current_date")) == {"current_date"}
