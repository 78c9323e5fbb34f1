"""Ties inside a statement: whichever rows they bring is right, and what no tie explains is not."""

from collections.abc import Iterator

import pytest

from evaluation.measuring.measurement import QueryOutcome
from tests.unit.evaluation.judged import Court, court

# Of ten customers each has as much; of twelve others, no two have.
TABLES = {
    "o": "SELECT i % 10 AS c, (i // 10 + 1)::DECIMAL(9, 2) AS x FROM range(50) t(i)",
    "d": "SELECT i % 12 AS c, i::DECIMAL(9, 2) AS x FROM range(36) t(i)",
    "c": "SELECT i AS id, 'name ' || i AS name FROM range(20) t(i)",
}


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Court]:
    with court(tmp_path_factory.mktemp("ties"), TABLES) as found:
        yield found


def best(table: str, cut: str = "LIMIT 3") -> str:
    """The customers of a table that have most, by a statement whose groups only tie in `o`."""
    return f"SELECT c, sum(x) AS s FROM {table} GROUP BY 1 ORDER BY 2 DESC {cut}"


FORMS = {
    "derived table": "SELECT name, s FROM ({best}) AS b JOIN c ON c.id = b.c",
    "cte": "WITH b AS ({best}) SELECT name, s FROM b JOIN c ON c.id = b.c",
    "nested": "SELECT name FROM c WHERE id IN (SELECT c FROM (SELECT * FROM ({best}) AS b) AS a)",
    "star": "SELECT name FROM c JOIN (SELECT * FROM ({all}) AS a ORDER BY s LIMIT 2) AS b "
    "ON c.id = b.c",
    "parentheses": "SELECT name FROM c JOIN (({all}) LIMIT 4) AS b ON c.id = b.c",
    "scalar": "SELECT name FROM c WHERE id = (SELECT c FROM ({best}) AS b ORDER BY s LIMIT 1)",
    "distinct on": "SELECT name FROM c JOIN (SELECT DISTINCT ON (n) n, c FROM (SELECT c, "
    "sum(x) AS s, count(*) AS n FROM {table} GROUP BY 1) AS a ORDER BY n, s) AS b ON c.id = b.c",
    "row_number": "SELECT c FROM (SELECT c, row_number() OVER (ORDER BY s) AS n FROM ({all}) AS a) "
    "AS b WHERE n = 1",
    "row_number of groups": "SELECT c FROM (SELECT c, row_number() OVER (ORDER BY sum(x)) AS n "
    "FROM {table} GROUP BY 1) AS b WHERE n < 3",
    "asof join": "SELECT id, a.c FROM c ASOF JOIN ({all}) AS a ON id * 5 >= a.s",
    "asof left join": "SELECT id, c FROM c ASOF LEFT JOIN ({all}) AS a ON a.s <= id * 5 AND true",
    "asof join of a table": "SELECT id, a.* FROM c ASOF JOIN {table} AS a(k, v) ON id < a.v",
    "lag": "SELECT c, lag(c) OVER (ORDER BY s) AS before FROM ({all}) AS a",
}


def texts(form: str, table: str) -> str:
    every = f"SELECT c, sum(x) AS s FROM {table} GROUP BY 1"
    return FORMS[form].format(best=best(table), all=every, table=table)


def judged_wrong(judge: Court, sql: str) -> QueryOutcome:
    """The outcome of rows that the statement cannot have."""
    rows = [list(row) for row in judge.answer(sql).rows]
    assert judge.on(sql, rows).outcome is QueryOutcome.VERIFIED
    rows[0][0] = None
    return judge.on(sql, rows).outcome


@pytest.mark.parametrize("form", FORMS)
def test_rows_that_a_tie_brings_are_undetermined(judge: Court, form: str):
    assert judged_wrong(judge, texts(form, "o")) is QueryOutcome.UNDETERMINED


@pytest.mark.parametrize("form", [each for each in FORMS if each != "parentheses"])
def test_rows_are_wrong_where_nothing_ties_in_the_data(judge: Court, form: str):
    assert judged_wrong(judge, texts(form, "d")) is QueryOutcome.WRONG


@pytest.mark.parametrize(
    ("cut", "outcome"),
    [
        ("LIMIT 10", QueryOutcome.WRONG),
        ("LIMIT 11", QueryOutcome.WRONG),
        ("LIMIT 9", QueryOutcome.UNDETERMINED),
        ("LIMIT 9 OFFSET 1", QueryOutcome.UNDETERMINED),
        ("FETCH FIRST 9 ROWS ONLY", QueryOutcome.UNDETERMINED),
        ("FETCH FIRST 10 ROWS ONLY", QueryOutcome.WRONG),
    ],
)
def test_only_a_tie_at_the_limit_counts(judge: Court, cut: str, outcome: QueryOutcome):
    sql = f"SELECT name, s FROM ({best('o', cut)}) AS b JOIN c ON c.id = b.c"
    assert judged_wrong(judge, sql) is outcome


def test_a_tie_that_changes_nothing_outside_excuses_nothing(judge: Court):
    sql = f"SELECT sum(s) AS s, count(*) AS n FROM ({best('o')}) AS b"
    assert judged_wrong(judge, sql) is QueryOutcome.WRONG


def test_the_last_key_may_break_all_ties(judge: Court):
    sql = texts("derived table", "o").replace("ORDER BY 2 DESC", "ORDER BY 2 DESC, 1")
    assert judged_wrong(judge, sql) is QueryOutcome.WRONG


@pytest.mark.parametrize(
    ("call", "outcome"),
    [
        ("string_agg(c, ',')", QueryOutcome.UNDETERMINED),
        ("string_agg(c, ',' ORDER BY s)", QueryOutcome.UNDETERMINED),
        ("string_agg(c, ',' ORDER BY s, c)", QueryOutcome.WRONG),
        ("list(c)", QueryOutcome.UNDETERMINED),
        ("arg_max(c, s)", QueryOutcome.UNDETERMINED),
        ("first(c)", QueryOutcome.UNDETERMINED),
        ("first(c ORDER BY c)", QueryOutcome.WRONG),
        ("string_agg(DISTINCT c, ',' ORDER BY c)", QueryOutcome.WRONG),
    ],
)
def test_values_of_groups_have_no_order_of_their_own(
    judge: Court, call: str, outcome: QueryOutcome
):
    sql = f"SELECT {call} AS f FROM (SELECT c, sum(x) AS s FROM o GROUP BY 1) AS a"
    assert judged_wrong(judge, sql) is outcome


def test_the_order_of_a_derived_table_is_relied_on(judge: Court):
    sql = "SELECT string_agg(name, ',') AS f FROM (SELECT name FROM c ORDER BY name) AS a"
    assert judged_wrong(judge, sql) is QueryOutcome.WRONG


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        ("current_timestamp", "current_timestamp() has another value in every run"),
        ("localtimestamp", "localtimestamp() has another value in every run"),
        ("current_user", "current_user() tells of the session"),
        ("current_database()", "current_database() tells of the session"),
    ],
)
def test_moments_and_sessions_are_named_as_the_reason(judge: Court, function: str, reason: str):
    found = judge.on(f"SELECT {function} AS f, name FROM c", [(None, None)] * 20)
    assert found.outcome is QueryOutcome.UNDETERMINED
    assert reason in found.message
