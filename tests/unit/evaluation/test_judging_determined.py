"""A statement with several answers in DuckDB itself is undetermined, and is called nothing else."""

from collections.abc import Iterator

import duckdb
import pytest

from evaluation.judging.database import Database
from evaluation.judging.determined import tables_read
from evaluation.judging.oracle import Oracle
from evaluation.judging.verdict import verdict
from evaluation.measuring.measurement import QueryOutcome
from tests.data_fixtures import statement
from tests.unit.evaluation.judged import Court, catalog_of, court
from workloads.catalog import View

ROWS = "SELECT i AS id, i % 4 AS k, sin(i)::DOUBLE * 1e6 AS x FROM range(3000) t(i)"
MOMENTS = "SELECT * FROM (VALUES (1, TIMESTAMP '2000-02-29'), (2, NULL)) AS v(id, moment)"
SMALL = 'SELECT i AS id, i % 3 AS "row", i AS "Odd name" FROM range(9) t(i)'


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Court]:
    folder = tmp_path_factory.mktemp("determined")
    with court(folder, {"r": ROWS, "s": SMALL, "m": MOMENTS}) as found:
        yield found


UNDETERMINED = [
    ("SELECT count(*) AS n, sum(id) AS s FROM (SELECT id FROM r LIMIT 3)", "LIMIT without"),
    ("SELECT sum(id) AS s FROM (SELECT id FROM r ORDER BY k LIMIT 3)", "LIMIT without"),
    ("SELECT k, first(id) AS f FROM r GROUP BY k", "an aggregate that takes any value"),
    ("SELECT k, any_value(id) AS f FROM r GROUP BY k", "an aggregate that takes any value"),
    ("SELECT string_agg(id, ',') AS f FROM r", "an aggregate that takes any value"),
    ("SELECT arg_max(id, k) AS f FROM r", "an aggregate that takes any value"),
    ("SELECT DISTINCT ON (k) k, id FROM r", "DISTINCT ON"),
    ("SELECT id, row_number() OVER (ORDER BY k) AS n FROM r", "a window whose order has ties"),
    ("SELECT sum(x) * 1e9 % 1000 AS s FROM r", "sums of floating-point numbers"),
    ("SELECT id FROM r USING SAMPLE 3", "a sample"),
    ("SELECT id, random() AS f FROM r", "random() has another value"),
    ("SELECT id, now() AS f FROM r", "now() has another value"),
    ("SELECT current_date AS d, id FROM r", "current_date() has another value"),
    ("SELECT uuid()::VARCHAR AS u", "uuid() has another value"),
    ("SELECT DISTINCT ON (k) k, id FROM r ORDER BY k", "not determined"),
    ("SELECT k, random() AS f FROM r ORDER BY k", "not determined"),
    (
        "SELECT id, moment FROM m WHERE date_trunc('month', moment) <> TIMESTAMP '2000-02-29'",
        "without its optimizer DuckDB answers otherwise",
    ),
]


@pytest.mark.parametrize(("sql", "reason"), UNDETERMINED, ids=[each[0] for each in UNDETERMINED])
def test_a_statement_with_several_answers_is_never_wrong(judge: Court, sql: str, reason: str):
    width = len(judge.answer(sql).columns)
    found = judge.on(sql, [(None,) * width] * len(judge.answer(sql).rows))
    assert found.outcome is QueryOutcome.UNDETERMINED
    assert reason in found.message


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT sum(id) AS s FROM (SELECT id FROM r ORDER BY id LIMIT 3)",
        "SELECT k, max(id) AS f FROM r GROUP BY k",
        "SELECT string_agg(id, ',' ORDER BY id) AS f FROM s",
        "SELECT first(id ORDER BY id DESC) AS f FROM s",
        "SELECT avg(x) AS a, stddev(x) AS d FROM r WHERE id < 700",
        "SELECT k, row_number() OVER (ORDER BY k, id) AS n FROM s JOIN r USING (id)",
        'SELECT "Odd name", "row" FROM s',
        "SELECT 'random()' AS now, id FROM s",
        "SELECT id FROM s LIMIT 3",
        "SELECT id, k FROM r ORDER BY k LIMIT 3",
    ],
)
def test_a_statement_with_one_answer_has_wrong_ones(judge: Court, sql: str):
    rows = [list(row) for row in judge.answer(sql).rows]
    assert judge.on(sql, rows).outcome is QueryOutcome.VERIFIED
    rows[0][0] = None
    assert judge.on(sql, rows).outcome is QueryOutcome.WRONG


def test_columns_are_wrong_whatever_the_rows(judge: Court):
    assert judge.on("SELECT random() AS f", "SELECT random() AS g").outcome is QueryOutcome.WRONG
    other = judge.on("SELECT first(id) AS f FROM r", "SELECT first(id)::INT AS f FROM r")
    assert other.outcome is QueryOutcome.WRONG


def test_the_answer_that_duckdb_gives_is_verified_also_if_it_has_others(judge: Court):
    sql = "SELECT k, first(id) AS f FROM r GROUP BY k"
    assert judge.on(sql, sql).outcome is QueryOutcome.VERIFIED


def test_a_sum_that_cancels_is_undetermined_and_no_bound_is_invented_for_it(judge: Court):
    # The terms add up to nothing but what was rounded, in each order of theirs something else.
    sql = "SELECT sum(x) - (SELECT sum(x) FROM (SELECT x FROM r ORDER BY x)) AS s FROM r"
    ((rounded,),) = judge.answer(sql).rows
    found = judge.on(sql, [(rounded + 1e-6,)])
    assert found.outcome is QueryOutcome.UNDETERMINED


def test_what_duckdb_cannot_run_has_no_answer_to_compare_with(judge: Court):
    found = judge.on("SELECT nope FROM r", "SELECT id FROM r")
    assert found.outcome is QueryOutcome.FAILED
    assert "no answer to compare with" in found.message


def test_a_fault_of_the_judge_is_an_outcome(judge: Court, monkeypatch: pytest.MonkeyPatch):
    def broken(*_: object) -> None:
        raise OverflowError("too large")

    monkeypatch.setattr("evaluation.judging.oracle.rows_difference", broken)
    found = judge.on("SELECT id + 1 AS n FROM s", "SELECT id + 1 AS n FROM s")
    assert found.outcome is QueryOutcome.FAILED
    assert found.message == "its answer cannot be compared (OverflowError: too large)"


def test_tables_behind_views_and_with_odd_names_are_permuted_too(
    tmp_path_factory: pytest.TempPathFactory,
):
    folder = tmp_path_factory.mktemp("views")
    catalog = catalog_of(folder, {"deep": SMALL, "beside": SMALL})
    inner = View(name="inner_view", sql="SELECT id FROM deep", dialect="duckdb")
    outer = View(name="outer_view", sql="SELECT id FROM inner_view", dialect="duckdb")
    catalog = replace_views(catalog, inner, outer)
    sql = "SELECT first(id) AS f FROM outer_view"
    assert tables_read(sql, catalog) == {"deep"}
    oracle = Oracle(catalog)
    query = statement(sql)
    expected = oracle.answer(query)
    other = expected.__class__(columns=expected.columns, rows=[(8,)])
    assert verdict(oracle, query, other).outcome is QueryOutcome.UNDETERMINED
    oracle.close()


def replace_views(catalog, *views: View):
    from dataclasses import replace

    return replace(catalog, views={each.name: each for each in views})


def test_a_statement_reads_the_files_of_its_catalog_alone(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("shut")
    catalog = catalog_of(folder, {"s": SMALL})
    outside = tmp_path_factory.mktemp("outside") / "secret.csv"
    outside.write_text("a\n1\n")
    database = Database(catalog)
    assert database.answer("SELECT count(*) FROM s").rows == [(9,)]
    with pytest.raises(duckdb.Error, match="disabled"):
        database.answer(f"SELECT * FROM read_csv('{outside}')")
    database.close()


def test_a_value_that_no_row_of_the_answer_has_does_not_end_it(tmp_path):
    # DuckDB joins from the smaller table on, and casts the value that is too large for that first.
    large = "SELECT 99999999999999999999999999999999999998::DECIMAL(38, 0) AS s"
    tables = {"one": large, "many": "SELECT i AS k, i::DECIMAL(9, 1) AS x FROM range(5000) t(i)"}
    sql = "SELECT count(*) AS n FROM one JOIN many ON s = x AND x + k > 50000"
    with court(tmp_path, tables) as found:
        with pytest.raises(duckdb.ConversionException):
            found.answer(sql)
        assert found.on(sql, "SELECT 0::BIGINT AS n").outcome is QueryOutcome.VERIFIED
        assert found.on(sql, "SELECT 1::BIGINT AS n").outcome is QueryOutcome.WRONG
