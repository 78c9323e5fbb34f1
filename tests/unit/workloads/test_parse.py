import pytest
from sqlglot import exp

from tests.catalogs import shop
from tests.data_fixtures import statement
from workloads.catalog import Catalog, Column, Table
from workloads.errors import SqlError, UnknownTableError
from workloads.sql import footprint
from workloads.sql.parsing.parse import parse
from workloads.sql.parsing.parse import statement as parsed
from workloads.workload import Query


def of(sql: str, line: int = 1, column: int = 1) -> Query:
    return Query(name="q", sql=sql, origin="q.sql", line=line, column=column)


def refusal(sql: str, dialect: str = "duckdb", **place: int) -> SqlError:
    with pytest.raises(SqlError) as caught:
        footprint(of(sql, **place), shop(), dialect)
    return caught.value


def test_a_syntax_error_names_file_line_and_column():
    with pytest.raises(SqlError, match=r"^q\.sql:12:11: .*'c'") as caught:
        parse(of("SELECT a,\nFROM (a b c", line=11), "duckdb")
    assert (caught.value.line, caught.value.column) == (12, 11)


def test_an_unknown_table_names_its_place_and_the_nearest_known_one():
    with pytest.raises(
        UnknownTableError, match=r"q\.sql:3:6: unknown table 'custmer'; did you mean 'customer'"
    ) as caught:
        footprint(of("SELECT *\n\nFROM custmer"), shop(), "duckdb")
    assert caught.value.table == "custmer"


@pytest.mark.parametrize(
    ("sql", "place", "reason"),
    [
        ("SELECT\n c_nam FROM customer", (2, 2), "unknown column 'c_nam'; did you mean 'c_name'?"),
        ("SELECT c_id, t.c_id FROM customer", (1, 14), "'t' is no table or alias"),
        ("SELECT cust.c_id FROM customer", (1, 8), "did you mean 'customer'?"),
        ('SELECT x."c_nam" FROM customer x', (1, 8), "unknown column 'c_nam'"),
        ("SELECT a.c_id, b.c_id FROM customer a, orders b", (1, 16), "unknown column 'c_id'"),
        ("SELECT c_id FROM customer a, customer b", (1, 8), "in several of the tables"),
        ("SELECT x.* FROM customer", (1, 8), "'x' is no table or alias"),
        ('SELECT 1 FROM "custmer"', (1, 15), "unknown table 'custmer'"),
        ("SELECT 1 FROM shop.custmer", (1, 15), "unknown table 'shop.custmer'"),
        ("WITH a AS (SELECT 1 AS x) SELECT b.x FROM a", (1, 34), "'b' is no table or alias"),
        ("SELECT 1 FROM (WITH a AS (SELECT 1) SELECT * FROM a) t, a", (1, 57), "table 'a'"),
    ],
)
def test_an_unknown_name_is_refused_at_its_place(sql: str, place: tuple[int, int], reason: str):
    error = refusal(sql)
    assert reason in error.reason
    assert (error.line, error.column) == place


def test_columns_count_from_where_the_line_starts_not_the_statement():
    error = refusal("SELECT c_nam\nFROM customer", line=4, column=20)
    assert (error.line, error.column) == (4, 27)
    error = refusal("SELECT c_id\nFROM custmer", line=4, column=20)
    assert (error.line, error.column) == (5, 6)


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("SELECT 1; SELECT 2", "2 statements"),
        ("", "0 statements"),
        ("DROP TABLE customer", "DROP is not a query"),
        ("SELECT 'open", "q.sql:1:8: the quoted text does not end"),
        ("SELECT 1 /* open", "q.sql:1:10: the comment does not end"),
        ("SELECT a FROM t WHERE", "WHERE is not complete"),
    ],
)
def test_what_is_not_one_query_is_refused(sql: str, reason: str):
    with pytest.raises(SqlError, match=reason):
        parse(of(sql), "duckdb")


def test_quotes_of_mysql_that_do_not_end_may_be_those_of_another_sql_mode():
    with pytest.raises(SqlError, match=r"quoted text does not end \(.* NO_BACKSLASH_ESCAPES"):
        parse(of("SELECT a FROM t WHERE path = 'c:\\'"), "mysql")
    for sql in ('SELECT "a" FROM "t"', 'SELECT 1 FROM s."t" AS x', 'UPDATE "t" SET a = 1'):
        with pytest.raises(SqlError, match=r'"t" is a text, and no table .*ANSI_QUOTES'):
            parsed(of(sql), "mysql")
    parsed(of("""SELECT trim("x" FROM "y") AS "t", 'a' "b" FROM `t` WHERE a = "t" """), "mysql")
    parsed(of('SELECT "a" FROM "t"'), "postgres")
    with pytest.raises(SqlError, match=r"the comment does not end$"):
        parse(of("SELECT 1 /* open"), "mysql")


@pytest.mark.parametrize(
    ("sql", "column", "reason"),
    [
        ("SELECT c_id, FROM FROM customer", 12, "missing after ','"),
        ("SELECT c_id, FROM customer", 12, "missing after ','"),
        ("SELECT c_id,, c_name FROM customer", 12, "missing after ','"),
        ("SELECT , c_id FROM customer", 8, "missing before ','"),
        ("SELECT c_id FROM customer, WHERE c_id = 1", 26, "missing after ','"),
        ("SELECT c_id FROM customer,", 26, "missing after ','"),
        ("SELECT c_id FROM customer WHERE c_id IN (1,)", 43, "missing after ','"),
        ("SELECT c_id FROM customer AS", 27, "name after AS is missing"),
        ("SELECT FROM customer", 1, "SELECT lists nothing"),
        ("SELECT c_id FROM customer GROUP BY", 27, "GROUP BY lists nothing"),
        ("SELECT c_id FROM customer JOIN orders", 27, "neither ON nor USING"),
        ("SELECT c_id FROM customer LEFT JOIN orders ON", 44, "condition after ON"),
    ],
)
def test_what_sqlglot_overlooks_is_refused_at_its_place(sql: str, column: int, reason: str):
    error = refusal(sql, "redshift")
    assert reason in error.reason
    assert error.column == column


@pytest.mark.parametrize(
    ("sql", "dialect"),
    [
        ("SELECT c_id, FROM customer", "duckdb"),
        ("SELECT c_id, FROM customer", "bigquery"),
        ("SELECT c_id FROM customer WHERE EXISTS (SELECT FROM orders)", "postgres"),
        ("SELECT c_id FROM customer JOIN orders", "mysql"),
        ("SELECT c_id FROM customer c JOIN orders JOIN item ON i_order = o_id ON true", "duckdb"),
        ("SELECT c_id FROM customer NATURAL LEFT JOIN orders CROSS JOIN item", "duckdb"),
        ("SELECT c_id FROM customer INNER HASH JOIN orders ON c_id = o_id", "tsql"),
        ("SELECT c_id FROM customer OPTION (HASH JOIN)", "tsql"),
    ],
)
def test_what_a_dialect_permits_is_not_refused(sql: str, dialect: str):
    assert "customer" in footprint(of(sql), shop(), dialect).tables


def test_joins_without_conditions_take_no_exponential_time():
    joins = " ".join(f"JOIN customer c{number}" for number in range(60))
    found = footprint(of(f"SELECT 1 FROM orders {joins} WHERE c1.c_id = o_id"), shop(), "mysql")
    assert len(list(found.sources())) == 61


def test_a_cte_may_be_called_as_it_likes():
    found = footprint(of("WITH custmer AS (SELECT 1 AS a) SELECT a FROM custmer"), shop(), "duckdb")
    assert found.tables == frozenset()


@pytest.mark.parametrize(
    ("sql", "tables"),
    [
        ("TABLE customer", {"customer"}),
        ("VALUES (1, 2)", set()),
        ("VALUES (1), (2) ORDER BY 1 LIMIT 1", set()),
        ("(SELECT c_id FROM customer) ORDER BY 1 LIMIT 3", {"customer"}),
        ("((SELECT c_id FROM customer))", {"customer"}),
        ("(SELECT c_id FROM customer) UNION (SELECT o_id FROM orders)", {"customer", "orders"}),
    ],
)
def test_queries_need_not_begin_with_select(sql: str, tables: set[str]):
    assert footprint(statement(sql), shop(), "postgres").tables == tables


@pytest.mark.parametrize("dialect", ["duckdb", "postgres", "mysql", "spark"])
def test_names_with_letters_beyond_ascii_are_found(dialect):
    column = Column(name="Größe Ü", type="INTEGER", width_bytes=4)
    table = Table(name="Ämter", rows=1, fingerprint="f", columns=(column,))
    quote = '"' if dialect in ("duckdb", "postgres") else "`"
    query = of(f"SELECT x.{quote}Größe Ü{quote} FROM {quote}Ämter{quote} AS x")
    found = footprint(query, Catalog(name="c", tables={"Ämter": table}), dialect)
    assert found.tables == {"Ämter"}


def test_subscripts_of_what_is_typed_since_are_written_as_they_were_read():
    tree = parse(of("SELECT c_name[1], map {1: c_name}[1], [1, 2][2], c_name[-1] FROM t"), "duckdb")
    for each in tree.find_all(exp.Bracket):
        each.this.type = exp.DataType.build("VARCHAR")
    written = "SELECT c_name[1], MAP {1: c_name}[1], [1, 2][2], c_name[-1] FROM t"
    assert tree.sql("duckdb") == written
