"""``uuid $1`` of PostgreSQL's statistics is a value of that type."""

import pytest

from workloads.errors import SqlError
from workloads.sql.parsing.parse import parse, statement
from workloads.workload import Query


def read(sql: str, dialect: str = "postgres") -> str:
    query = Query(name="q", sql=sql, origin="q.sql")
    return statement(query, dialect).sql(dialect)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("ip << inet $1", "ip << $1::inet"),
        ("u IN (uuid $1, uuid $2)", "u IN ($1::uuid, $2::uuid)"),
        ("j @> jsonb $1", "j @> $1::jsonb"),
        ("p > numeric $1", "p > $1::numeric"),
        ("p > numeric(10, 2) $1", "p > $1::numeric(10, 2)"),
        ("p > double precision $1", "p > $1::double precision"),
        ("p > timestamp with time zone $1", "p > $1::timestamp with time zone"),
        ("p > time without time zone $1", "p > $1::time without time zone"),
        ("x = macaddr $1 AND y = $2", "x = $1::macaddr AND y = $2"),
        ("d > now() - interval $1 day", "d > now() - interval ? day"),
        ("d > now() - interval $1", "d > now() - interval ?"),
        ("d AT TIME ZONE $1 > $2", "d AT TIME ZONE ? > ?"),
        ("a IN ($1) AND NOT $2", "a IN (?) AND NOT ?"),
    ],
)
def test_a_type_before_a_parameter_is_a_cast(written, meant):
    assert read(f"SELECT a FROM t WHERE {written}") == read(f"SELECT a FROM t WHERE {meant}")


def test_intervals_are_arguments_of_calls():
    written = "SELECT d FROM generate_series(date $1, date $2, interval $3) AS g(d)"
    assert read(written) == read("SELECT d FROM generate_series(?, ?, $3::interval) AS g(d)")


def test_an_error_keeps_its_place():
    sql = "SELECT a FROM t WHERE u = uuid $1 AND (b ="
    with pytest.raises(SqlError) as raised:
        parse(Query(name="q", sql=sql, origin="q.sql"), "postgres")
    assert raised.value.column == sql.index("=", 30) + 1
