"""A value at fault in rows that an answer has no use for: another of DuckDB's plans is asked."""

from collections.abc import Iterator

import duckdb
import pytest

from evaluation.judging.answer import Answer
from evaluation.judging.database import Database
from evaluation.judging.duckdb_answer import answer_as_written, duckdb_answer, settled_answer
from evaluation.measuring.measurement import QueryOutcome
from tests.unit.evaluation.judged import court

ONE = "SELECT 10 + i AS id, i::INTEGER AS n FROM range(3) t(i)"
OTHER = "SELECT i AS id, DATE '2020-01-01' AS n, 'x' || i AS s FROM range(3) t(i)"
# No row of one has the id of a row of the other, and no number is a day.
FAULTY = "SELECT count(*) FROM other RIGHT JOIN one USING (n, id)"


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as found:
        found.execute(f"CREATE TABLE one AS {ONE}; CREATE TABLE other AS {OTHER}")
        yield found


def test_what_a_part_of_the_optimizer_avoids_is_answered_with_that_part(
    connection: duckdb.DuckDBPyConnection,
):
    connection.execute("SET disabled_optimizers = 'statistics_propagation'")
    with pytest.raises(duckdb.ConversionException):
        duckdb_answer(connection, FAULTY)
    assert settled_answer(connection, FAULTY).rows == [(3,)]
    # The next query is planned as the connection was set.
    with pytest.raises(duckdb.ConversionException):
        duckdb_answer(connection, FAULTY)


def test_who_ends_a_query_ends_all_of_its_plans(
    connection: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
):
    connection.execute("SET disabled_optimizers = 'statistics_propagation'")
    asked = []

    def interrupted(_: object, sql: str) -> Answer:
        asked.append(sql)
        if len(asked) == 1:
            raise duckdb.ConversionException("a value of another row")
        raise duckdb.InterruptException("by the time limit")

    monkeypatch.setattr("evaluation.judging.duckdb_answer.duckdb_answer", interrupted)
    with pytest.raises(duckdb.InterruptException):
        settled_answer(connection, FAULTY)
    assert len(asked) == 2


@pytest.mark.parametrize("read", ["(SELECT id FROM one) a ASOF JOIN other b USING (id)", "v"])
def test_an_asof_join_is_never_planned_without_the_optimizer(
    connection: duckdb.DuckDBPyConnection, read: str
):
    """Some of them end the process."""
    connection.execute(
        "CREATE VIEW v AS SELECT a.id FROM (SELECT id FROM one) a ASOF JOIN other b USING (id)"
    )
    sql = f"SELECT count(*) FROM {read}"
    assert answer_as_written(connection, sql) is None
    assert duckdb_answer(connection, sql).rows == [(3,)]
    connection.execute("DROP VIEW v")
    found = answer_as_written(connection, "SELECT count(*) FROM one")
    assert found is not None
    assert found.rows == [(3,)]


def test_no_plan_is_tried_twice(
    connection: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
):
    asked = []

    def failing(_: object, sql: str) -> Answer:
        asked.append(sql)
        raise duckdb.ConversionException("a value of another row")

    monkeypatch.setattr("evaluation.judging.duckdb_answer.duckdb_answer", failing)
    with pytest.raises(duckdb.ConversionException):
        settled_answer(connection, FAULTY)
    assert len(asked) == 2


def test_what_every_plan_meets_is_an_error(connection: duckdb.DuckDBPyConnection):
    with pytest.raises(duckdb.ConversionException, match="'x0'"):
        settled_answer(connection, "SELECT CAST(s AS INTEGER) FROM other")


def test_the_judge_asks_tables_in_memory_where_parquet_gives_an_error(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
):
    answered = Database.answer
    asked: list[Database] = []

    def first_fails(database: Database, sql: str, *, threads: int | None = None) -> Answer:
        asked.append(database)
        if database is asked[0]:
            raise duckdb.ConversionException("a value of another row")
        return answered(database, sql, threads=threads)

    with court(tmp_path_factory.mktemp("plans"), {"one": ONE, "other": OTHER}) as judge:
        monkeypatch.setattr(Database, "answer", first_fails)
        right = judge.on("SELECT id FROM one", [(10,), (11,), (12,)])
        wrong = judge.on("SELECT id FROM one", [(10,), (11,)])
        found = judge.on("SELECT nope FROM one", "SELECT id FROM one")
    assert (right.outcome, wrong.outcome) == (QueryOutcome.VERIFIED, QueryOutcome.WRONG)
    assert found.outcome is QueryOutcome.FAILED
    assert "no answer to compare with, DuckDB says: Binder Error" in found.message
