"""The fuzzer itself: what it draws, what it takes for equal, and how it makes failures small."""

import random
from datetime import date
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from tests.fuzzing.asked import answer, is_determined, ordered_by
from tests.fuzzing.campaigns import Tally, Tried, statement
from tests.fuzzing.comparing import Answer, wrong
from tests.fuzzing.in_duckdb import InDuckDB
from tests.fuzzing.literals import Redrawing
from tests.fuzzing.outcomes import Kind, Outcome
from tests.fuzzing.schemas import ColumnSpec, Database, TableSpec, draw_database
from tests.fuzzing.shrinking import shrunk_data, shrunk_sql
from workloads.catalog import Catalog

NUMBERS = Database(
    tables=(
        TableSpec(
            name="t",
            columns=(ColumnSpec(name="k", type="INTEGER"), ColumnSpec(name="s", type="VARCHAR")),
            rows=tuple((str(number), "'a'") for number in range(16)),
        ),
    )
)


def answered(rows, ordered_by=()):
    return Answer(rows=rows, ordered_by=ordered_by)


def test_the_same_seed_gives_the_same_database_and_statement():
    assert draw_database(3) == draw_database(3)
    assert statement(3, 4, draw_database(3)) == statement(3, 4, draw_database(3))
    assert statement(3, 4, draw_database(3)) != statement(3, 5, draw_database(3))


def test_duckdb_answers_most_of_what_is_drawn():
    database = draw_database(1)
    with database.connect() as connection:
        answers = [answer(connection, statement(1, number, database)) for number in range(60)]
    assert sum(each is not None for each in answers) >= 36


def test_values_of_other_types_or_digits_are_not_equal():
    for expected, actual in (
        (True, 1),
        (1, 1.0),
        (2**63 - 1, 2**63 - 2),
        (Decimal("0.10"), Decimal("0.11")),
        ("a", "a "),
        (date(2000, 1, 1), "2000-01-01"),
        (1.0, 1.0 + 1e-8),
        (None, ""),
    ):
        assert wrong(answered([(expected,)]), answered([(actual,)])) is not None
    assert wrong(answered([(1.0, float("nan"))]), answered([(1.0 + 1e-12, float("nan"))])) is None


def test_rows_count_as_often_as_they_are_there():
    assert wrong(answered([(1,), (1,)]), answered([(1,), (2,)])) is not None
    assert wrong(answered([(1,), (2,)]), answered([(2,), (1,)])) is None


def test_the_order_counts_where_a_statement_fixes_it():
    assert ordered_by("SELECT k AS a, s AS b FROM t ORDER BY 2 DESC, a, k + 1") == (1, 0)
    rows = [(1, "x"), (1, "y"), (2, "z")]
    assert wrong(answered(rows, (0,)), answered([rows[1], rows[0], rows[2]])) is None
    assert wrong(answered(rows, (0,)), answered(rows[::-1])) is not None


def test_a_limit_without_an_order_is_not_determined():
    with NUMBERS.connect() as connection:
        for sql, determined in (
            ("SELECT k FROM t LIMIT 3", False),
            ("SELECT k FROM t ORDER BY k LIMIT 3", True),
            ("SELECT first(k) FROM t", False),
            ("(SELECT 1 AS a, 'x' AS b) UNION (SELECT 1, 'y') ORDER BY a LIMIT 1", False),
            ("(SELECT 1 AS a, 'x' AS b) UNION (SELECT 1, 'y') ORDER BY a, b LIMIT 1", True),
        ):
            expected = answer(connection, sql)
            assert expected is not None
            assert is_determined(NUMBERS, sql, expected) is determined


def test_an_answer_that_hangs_on_what_duckdb_knows_is_not_determined():
    with NUMBERS.connect() as connection:
        for sql, determined in (
            ("SELECT substr(s, -9, 2) FROM t", False),
            ("SELECT substr(s, 1, 2) FROM t", True),
        ):
            expected = answer(connection, sql)
            assert expected is not None
            assert is_determined(NUMBERS, sql, expected) is determined


def test_a_failure_keeps_only_the_words_and_rows_that_it_needs():
    with NUMBERS.connect() as connection:

        def fails(sql: str) -> bool:
            found = answer(connection, sql)
            return found is not None and "LENGTH" in sql and len(found.rows) > 0

        long = (
            "WITH c AS (SELECT k FROM t) SELECT upper(s) AS a, LENGTH(s) + k AS b FROM t JOIN c "
            "USING (k) WHERE k > 3 AND s LIKE 'a%' ORDER BY 1"
        )
        assert fails(long)
        small = shrunk_sql(long, fails)
    assert small.startswith("SELECT LENGTH(")
    assert len(small) < 40

    def needs_seven(database: Database) -> bool:
        return any(row[0] == "7" for table in database.tables for row in table.rows)

    assert [row[0] for row in shrunk_data(NUMBERS, needs_seven).tables[0].rows] == ["7"]


def test_literals_are_drawn_from_the_column_that_they_are_compared_with(tmp_path):
    catalog = NUMBERS.catalog(tmp_path / "data")
    redrawing = Redrawing(
        catalog=Catalog(name="n", tables=catalog.tables), connection=duckdb.connect()
    )
    sql = "SELECT k FROM t WHERE k BETWEEN 100 AND 200 AND s = 'zzz' LIMIT 77"
    for seed in range(5):
        other, changed = redrawing.redrawn(sql, random.Random(seed))
        assert changed == 3
        assert "s = 'a'" in other
        assert "LIMIT 77" in other
        low, high = other.split("BETWEEN ")[1].split(" AND ")[:2]
        assert 0 <= int(low) <= int(high) < 16


def test_second_tries_are_counted_by_their_reasons_and_are_no_failures():
    tally = Tally()
    for second_try in ("", "'a' is no number", "'b' is no number"):
        outcome = Outcome(kind=Kind.RIGHT, second_try=second_try)
        tally.add(Tried(seed=0, number=0, sql="", outcome=outcome))
    tally.add(Tried(seed=0, number=0, sql="", outcome=Outcome(kind=Kind.REFUSED)))
    assert tally.second_tries == {" is no number": 2}
    assert (tally.run, tally.second_try_share, tally.bad) == (3, 2 / 3, [])


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (duckdb.ConversionException("'x' is no number"), Kind.ORDER),
        (duckdb.BinderException("there is no column x"), Kind.FAILED),
    ],
)
def test_an_error_in_the_data_where_whole_tables_have_an_answer_is_one_of_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: duckdb.Error, kind: Kind
):
    def broken(*_: object) -> None:
        raise error

    here = InDuckDB.of_database(NUMBERS, tmp_path)
    assert here.tried("SELECT k FROM t", 0).kind is Kind.RIGHT
    monkeypatch.setattr(InDuckDB, "_answered", broken)
    assert here.tried("SELECT k FROM t", 0).kind is kind
