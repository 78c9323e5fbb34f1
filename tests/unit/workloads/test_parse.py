import pytest

from tests.catalogs import shop
from workloads.errors import SqlError, UnknownTableError
from workloads.sql import footprint
from workloads.sql.parse import parse
from workloads.workload import Query


def of(sql: str, line: int = 1) -> Query:
    return Query(name="q", sql=sql, origin="q.sql", line=line)


def test_a_syntax_error_names_file_line_and_column():
    with pytest.raises(SqlError, match=r"^q\.sql:12:\d+: ") as caught:
        parse(of("SELECT a,\nFROM (b", line=11), "duckdb")
    assert caught.value.line == 12
    assert caught.value.column is not None


def test_an_unknown_table_names_its_place_and_the_nearest_known_one():
    with pytest.raises(
        UnknownTableError, match=r"q\.sql:3:6: unknown table 'custmer'; did you mean 'customer'"
    ):
        footprint(of("SELECT *\n\nFROM custmer"), shop(), "duckdb")


def test_an_unknown_column_is_refused_at_its_place():
    with pytest.raises(SqlError, match=r"^q\.sql:2:\d+: .*nonsense[^:]*$"):
        footprint(of("SELECT\n nonsense FROM customer"), shop(), "duckdb")


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("SELECT 1; SELECT 2", "2 statements"),
        ("", "0 statements"),
        ("DROP TABLE customer", "DROP is not a query"),
        ("SELECT 'open", "q.sql:1:1"),
    ],
)
def test_what_is_not_one_query_is_refused(sql: str, reason: str):
    with pytest.raises(SqlError, match=reason):
        parse(of(sql), "duckdb")


def test_a_cte_may_be_called_as_it_likes():
    found = footprint(of("WITH custmer AS (SELECT 1 AS a) SELECT a FROM custmer"), shop(), "duckdb")
    assert found.tables == frozenset()
