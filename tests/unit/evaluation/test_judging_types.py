"""Columns have the names and types that DuckDB gives them, also of no rows."""

from dataclasses import replace

import duckdb
import pytest

from evaluation.judging.answer import Answer, AnswerColumn
from evaluation.judging.comparison import difference
from evaluation.judging.duckdb_answer import duckdb_answer
from evaluation.judging.given_names import with_given_names
from evaluation.judging.types import CARRIERS, TypeRule, carrier, may_have
from tests.data_fixtures import statement


def empty(*columns: tuple[str, str]) -> Answer:
    return Answer(columns=tuple(AnswerColumn(name=n, type=t) for n, t in columns), rows=[])


@pytest.mark.parametrize(
    ("expected", "actual", "said"),
    [
        (empty(("a", "INTEGER")), empty(("b", "INTEGER")), "column 1 is called 'b'"),
        (empty(("a", "INTEGER")), empty(("a", "INTEGER"), ("b", "INTEGER")), "2 columns where 1"),
        (empty(("a", "INTEGER")), empty(), "0 columns where 1"),
        (empty(("a", "INTEGER")), empty(("a", "BIGINT")), "of type BIGINT where INTEGER"),
        (empty(("a", "BOOLEAN")), empty(("a", "INTEGER")), "of type INTEGER where BOOLEAN"),
        (empty(("a", "X"), ("b", "X")), empty(("b", "X"), ("a", "X")), "column 1 is called 'b'"),
    ],
)
def test_columns_of_no_rows_are_compared(expected: Answer, actual: Answer, said: str):
    assert said in (difference(expected, actual) or "")


def test_a_name_is_the_same_in_any_case_and_names_may_repeat():
    expected = empty(("Total", "INTEGER"), ("total", "INTEGER"))
    assert difference(expected, empty(("total", "INTEGER"), ("TOTAL", "INTEGER"))) is None


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("INTEGER", "BIGINT"), ("INTEGER", "SMALLINT"), ("BIGINT", "DECIMAL(19,0)"),
        ("DECIMAL(9,2)", "DECIMAL(10,2)"), ("DECIMAL(9,2)", "DECIMAL(9,3)"), ("DOUBLE", "FLOAT"),
        ("DOUBLE", "DECIMAL(9,2)"), ("BOOLEAN", "TINYINT"), ("VARCHAR", "BLOB"),
        ("DATE", "TIMESTAMP"), ("TIMESTAMP", "TIMESTAMP WITH TIME ZONE"), ("DATE", "VARCHAR"),
        ("HUGEINT", "BIGINT"), ("HUGEINT", "DECIMAL(38,1)"), ("UTINYINT", "TINYINT"),
        ("UBIGINT", "BIGINT"), ("INTEGER[]", "BIGINT[]"), ("INTEGER", "NULL"), ("TIME", "VARCHAR"),
        ("VARCHAR", "CHAR(3)"), ("VARCHAR", "UUID"), ("DECIMAL(38,0)", "HUGEINT"),
    ],
)  # fmt: skip
def test_another_type_is_wrong(expected: str, actual: str):
    assert not may_have(expected, actual, TypeRule.EXACT)


@pytest.mark.parametrize("type_", CARRIERS)
def test_what_cannot_be_carried_has_one_carrier_and_may_be_itself(type_: str):
    assert may_have(type_, type_, TypeRule.EXACT)
    assert may_have(type_, CARRIERS[type_], TypeRule.EXACT)
    assert may_have(f"{type_}[]", f"{CARRIERS[type_]}[]", TypeRule.EXACT)
    assert not may_have(type_, "BOOLEAN", TypeRule.EXACT)


def test_an_enum_and_an_array_are_carried_as_text_and_a_list():
    assert carrier("ENUM('a', 'b')") == "VARCHAR"
    assert carrier("INTEGER[3]") == "INTEGER[]"
    assert carrier("HUGEINT[2][]") == "DECIMAL(38,0)[][]"
    assert may_have("DECIMAL(9, 2)", "DECIMAL(9,2)", TypeRule.EXACT)


@pytest.mark.parametrize(
    ("expected", "actual", "allowed"),
    [
        ("INTEGER", "BIGINT", True), ("HUGEINT", "BIGINT", True),
        ("HUGEINT", "DECIMAL(38,0)", True),
        ("DECIMAL(9,2)", "DECIMAL(38,6)", True), ("FLOAT", "DOUBLE", True), ("FLOAT", "REAL", True),
        ("VARCHAR", "VARCHAR(20)", True), ("VARCHAR", "CHAR(2)", True), ("BLOB", "VARBINARY", True),
        ("TIMESTAMP", "TIMESTAMP(6)", True), ("DOUBLE", "DECIMAL(9,2)", False),
        ("INTEGER", "DECIMAL(9,2)", False), ("BOOLEAN", "INTEGER", False),
        ("DATE", "TIMESTAMP", False),
        ("VARCHAR", "VARBINARY", False), ("DATE", "VARCHAR", False), ("INTEGER", "DOUBLE", False),
    ],
)  # fmt: skip
def test_a_peer_has_types_of_the_same_family(expected: str, actual: str, allowed: bool):
    assert may_have(expected, actual, TypeRule.FAMILY) is allowed


def test_duckdbs_answer_keeps_what_its_client_would_lose():
    sql = (
        "SELECT INTERVAL 1 MONTH AS m, DATE 'infinity' AS i, DATE '9999-12-31' AS d,"
        " DATE '10000-01-01' AS y, 1 AS n UNION ALL SELECT INTERVAL 30 DAY, DATE '2000-01-01',"
        " NULL, NULL, NULL"
    )
    with duckdb.connect() as connection:
        answer = duckdb_answer(connection, sql + ";")
    (first, second) = answer.rows
    assert first[0] == "1 month"
    assert second[0] == "30 days"
    assert first[1] == "infinity"
    assert str(first[2]) == "9999-12-31"
    assert first[3] == "10000-01-01"
    assert [each.type for each in answer.columns] == ["INTERVAL", "DATE", "DATE", "DATE", "INTEGER"]


@pytest.mark.parametrize(
    ("sql", "named"),
    [
        ("SELECT a + 1, a, b AS \"odd name\", 1, NULL, 'x', current_date FROM t",
         [False, True, True, False, False, False, False]),
        ("SELECT count(*) FROM t", [False]),
        ("SELECT *, max(a) OVER () FROM t", [True, True, False]),
        ("SELECT (SELECT max(a) FROM t) AS Count, CAST(a AS DOUBLE) FROM t", [True, False]),
    ],
)  # fmt: skip
def test_a_name_counts_where_the_statement_gives_it(sql: str, named: list[bool]):
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t (a INTEGER, b INTEGER)")
        answer = with_given_names(duckdb_answer(connection, sql), statement(sql))
    assert [each.is_named for each in answer.columns] == named
    empty_ = replace(answer, rows=[])
    renamed = [replace(each, name="other") for each in answer.columns]
    said = difference(empty_, Answer(columns=tuple(renamed), rows=[]))
    assert (said is not None) == any(named)
