import pytest

from tests.catalogs import shop
from tests.data_fixtures import statement
from workloads.sql import footprint
from workloads.sql.parsing.placeholders import question_marks

DIALECTS = ("postgres", "mysql", "duckdb", "spark", "tsql", "oracle", "trino", "snowflake")
PARAMETERS = (
    "?", "$1", "$name", ":name", ":1", "%s", "%(name)s", "{name}", "{{ name }}", "${name}",
    "#{name}", "?1", ":'name'",
)  # fmt: skip
QUOTED = {
    "'%s'": "%s", "'%(name)s'": "%(other)s", "'{name}'": "{other}", "'${name}'": "${other}",
    "'{{ name }}'": "{{ other }}",
}  # fmt: skip
"""A parameter in quotes → one without, which shows that the text is a template."""


@pytest.mark.parametrize("parameter", PARAMETERS)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_parameter_is_a_constant_that_nobody_knows(parameter: str, dialect: str):
    sql = f"SELECT o_id FROM orders WHERE o_customer = {parameter} AND o_id > {parameter}"
    equal, greater = footprint(statement(sql), shop(), dialect).blocks[0].filters
    assert (equal.kind, equal.values) == ("eq", (None,))
    assert greater.columns == (("orders", "o_id"),)
    assert set(greater.values) <= {None}


@pytest.mark.parametrize("quoted", QUOTED)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_quoted_parameter_is_one_where_the_text_is_a_template(quoted: str, dialect: str):
    sql = f"SELECT o_id FROM orders WHERE o_name = {quoted} AND o_id > {QUOTED[quoted]}"
    assert question_marks(sql, dialect).count("?") == 2
    assert quoted not in question_marks(sql, dialect)


@pytest.mark.parametrize("quoted", QUOTED)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_string_that_looks_like_a_parameter_is_a_string(quoted: str, dialect: str):
    for condition in (f"= {quoted}", f"LIKE {quoted}", f"<> {quoted} AND o_id = $1"):
        sql = f"SELECT o_id FROM orders WHERE o_name {condition}"
        assert quoted in question_marks(sql, dialect)
    equal = footprint(
        statement(f"SELECT c_id FROM customer WHERE c_name = {quoted}"), shop(), dialect
    )
    assert equal.blocks[0].filters[0].values == (quoted.strip("'"),)


@pytest.mark.parametrize(
    "condition",
    [
        "o_id IN ($1, $2)",
        "o_id IN (...)",
        "o_id BETWEEN $1 AND $2",
        "o_day > DATE $1",
        "o_day > date %s - interval %s",
        "o_day > now() - $1::interval",
        "o_total LIKE $1 LIMIT $2 OFFSET $3",
        "o_id = ANY ($1)",
        "(o_id,o_customer) IN (($1,$2),($3,$4))",
        "o_id = @x",
        "o_id = ANY (ARRAY[:1, :2])",
    ],
)
def test_parameters_stand_wherever_values_do(condition: str):
    sql = f"SELECT o_id FROM orders WHERE {condition}"
    assert footprint(statement(sql), shop(), "postgres").tables == {"orders"}


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("SELECT a %s FROM t", "postgres"),
        ("SELECT '$1', '{x} y', \"$2\" FROM t -- $3", "postgres"),
        ("SELECT $$ $1 {x} $$", "postgres"),
        ("SELECT 'it\\'s $1'", "mysql"),
        ("SELECT {'a': 1}, tags[1:2], a::int", "duckdb"),
        ("SELECT {'a':'b'}, tags[:2], f(x)[:1], t[1][:2] FROM t", "duckdb"),
        ("SELECT E'it\\'s %s', e'\\\\', x FROM t WHERE a = E'\\' = {x}'", "duckdb"),
        ("SELECT date '2000-01-01', v$session.x FROM v$session", "oracle"),
    ],
)
def test_what_is_no_parameter_stays(text: str, dialect: str):
    assert question_marks(text, dialect) == text


def test_nothing_moves():
    text = "SELECT %(first name)s, ${x}, a FROM t WHERE b IN (...) AND c = $12 AND d > DATE $1"
    assert len(question_marks(text, "mysql")) == len(text)
    assert question_marks(text, "mysql").index(" a FROM") == text.index(" a FROM")
