import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import Dialects

from workloads.folding.normalise import Normaliser
from workloads.sql.parsing.lexis import lexis


def text(sql: str, dialect: str = "postgres") -> str:
    return Normaliser(lexis(dialect)).text(sql)


@pytest.mark.parametrize(
    ("dialect", "first", "second"),
    [
        ("postgres", "select 1", "SELECT  2.5e-3 -- why\n;"),
        ("postgres", "select x from t where a = 'it''s'", "select x from t where a = ''"),
        ("postgres", r"select E'it\'s', 1", "select 'x', 1"),
        ("postgres", "select $$ a ' b $$, $t$ $$ $t$", "select 'a', 'b'"),
        ("postgres", "select x from t where a = $1", "select x from t where a = 7"),
        ("postgres", "select /* a /* b */ c */ 1", "select 1"),
        ("postgres", "select x from t where a = -5", "select x from t where a = +.5"),
        ("postgres", "select b'01', x'1F', U&'a'", "select '', '', ''"),
        ("postgres", "select x in (1,2,3)", "select x in (\n1\n)"),
        ("postgres", "select x in (1, 'a''b', -3)", "select x in (?)"),
        ("postgres", "select (a, b) in ((1,'a'),(2,'b'))", "select (a, b) in ((3,'c'))"),
        ("postgres", "insert into t values (1,'a'),(2,'b')", "insert into t values (3, 'c')"),
        ("postgres", "select array[1,2,3]", "select ARRAY[4]"),
        ("mysql", r'select "it\"s" from `t 1`', "select 'x' from `t 1`"),
        ("mysql", "select 1 # note 'x\n + 2", "select 1 + 2"),
        ("mysql", "select 0x1F, b'1'", "select 1, 2"),
        ("bigquery", "select '''a'b''', r'a\\', \"x\"", "select 1, 2, 3"),
        ("spark", 'select 10L, 1.5BD, "x"', "select 1, 2, 'y'"),
        ("oracle", "select q'[it's]' from t", "select 'x' from t"),
        ("tsql", "select N'x', 0xFF", "select 'y', 1"),
        ("duckdb", "select 1_000, date'2000-01-01'", "select 2, DATE '2001-01-01'"),
    ],
)
def test_what_differs_only_in_literals_comments_case_and_space_is_one_text(dialect, first, second):
    assert text(first, dialect) == text(second, dialect)


@pytest.mark.parametrize(
    ("dialect", "first", "second"),
    [
        ("postgres", 'select "a" from t', "select a from t"),
        ("postgres", 'select "A" from t', 'select "a" from t'),
        ("postgres", "select * from t1", "select * from t2"),
        ("postgres", 'select * from "2019_sales"', 'select * from "2020_sales"'),
        ("postgres", 'select "a -- 1" from t', 'select "a -- 2" from t'),
        ("postgres", "select a is null", "select a is true"),
        ("postgres", "select a in (1, null)", "select a in (1, 2)"),
        ("postgres", "select a - 1", "select a, -1"),
        ("postgres", "select coalesce(a, 1)", "select coalesce(a, 1, 2)"),
        ("postgres", "select date '2000-01-01'", "select '2000-01-01'"),
        ("mysql", "select * from 2019_sales", "select * from 2020_sales"),
        ("mysql", "select `it's 1`", "select `it's 2`"),
        ("tsql", "select [a 1]", "select [a 2]"),
        ("tsql", "select [x]]1]", "select [x]]2]"),
        ("spark", "select `q 1`", "select `q 2`"),
    ],
)
def test_names_and_structure_keep_templates_apart(dialect, first, second):
    assert text(first, dialect) != text(second, dialect)


def test_double_quotes_are_strings_only_where_the_dialect_says_so():
    statements = ('select "one"', 'select "two"')
    for dialect in ("mysql", "bigquery", "spark", "hive", "databricks"):
        assert len({text(sql, dialect) for sql in statements}) == 1, dialect
    for dialect in ("postgres", "duckdb", "trino", "tsql", "snowflake", "oracle", "sqlite"):
        assert len({text(sql, dialect) for sql in statements}) == 2, dialect


def test_a_minus_between_operands_is_no_sign():
    assert text("select a-1, (a)-1, a[1] - 1, -1, between -1 and -2, a[-1]") == (
        "select a - ? , ( a ) - ? , a [ ? ] - ? , ? , between ? and ? , a [ ? ]"
    )


def test_a_text_that_was_cut_off_in_a_string_is_folded_to_its_end():
    assert text("select x from t where a = 'it''s cut") == text("select x from t where a = 'off")


@pytest.mark.parametrize("end", ["in", "in (", "in (1", "in (1,", "values", "values (", "[", "("])
def test_a_text_may_be_cut_off_in_a_list(end):
    assert text(f"select x from t where a {end}").startswith("select x from t where a")


@pytest.mark.parametrize("sql", ["", " \n", "-- only a comment", "/* one */ ;", ";;"])
def test_a_text_without_a_statement_has_no_digest(sql):
    assert Normaliser(lexis("duckdb")).digest(sql) == b""


_QUOTED = st.text(st.sampled_from("ab1 ;,()-/*\n"), max_size=8)
_PIECES = st.one_of(
    _QUOTED.map(lambda inner: "'" + inner.replace("'", "''") + "'"),
    _QUOTED.map(lambda inner: f'"x{inner}"'),
    st.integers(0, 10**6).map(str),
    st.floats(0, 1e6, allow_nan=False).map(lambda value: f"{value:.3f}"),
    st.sampled_from(["a", "t1", ".", ",", "(", ")", "=", "-", "in", "values", "select", "b_2"]),
)


@given(st.lists(_PIECES, max_size=20), st.sampled_from(["postgres", "trino", "duckdb", "tsql"]))
def test_the_fast_way_and_the_thorough_way_give_one_text(pieces, dialect):
    normaliser = Normaliser(lexis(dialect))
    sql = " ".join(pieces)
    # A comment makes it look at every quote and comment in order.
    assert normaliser.text(f"/* '1' */ {sql}") == normaliser.text(sql)


@given(st.lists(st.sampled_from(["'", '"', "`", "--", "/*", "*/", "$", "\\", "1", "a", "\n", "["])))
def test_any_text_is_normalised_in_any_dialect(pieces):
    sql = "".join(pieces)
    for dialect in ("mysql", "postgres", "bigquery", "tsql", "oracle"):
        assert isinstance(text(sql, dialect), str)


def test_every_dialect_has_lexical_rules():
    for dialect in Dialects:
        found = text("select a from t where b = 'x' and c in (1, 2)", dialect.value)
        assert found.startswith("select a from t where b = ") or dialect.value == "dax"
