"""Filters that are asked further inside mean there what they mean where they were written."""

from pathlib import Path

import duckdb
import pytest

from workloads.catalog import Catalog, Column, Table
from workloads.sql.canonical.rules import canonical
from workloads.workload import Query

TABLES = {
    "t": (
        "d DATE, i INTEGER, o BOOLEAN, r FLOAT, n BIGINT, e DECIMAL(9,2)",
        """(DATE '2020-01-01', 1, true, 0.1, 9007199254740993, 1.10),
        (DATE '2019-01-01', 10, false, 0.5, 2, 2), (NULL, 9, NULL, NULL, 3, NULL),
        (NULL, NULL, NULL, NULL, 4, NULL)""",
    ),
    "u": (
        "ts TIMESTAMP, s VARCHAR, f DOUBLE, i INTEGER, n DOUBLE, e DECIMAL(9,4)",
        """(TIMESTAMP '2020-01-01 09:00:00', '10', CAST(CAST(0.1 AS FLOAT) AS DOUBLE), 3,
        9007199254740992, 1.1), (NULL, '1.2', 1.2, 5, 2, 1.2345)""",
    ),
}
UNION = "SELECT x FROM (SELECT {} AS x FROM t UNION ALL SELECT {} FROM u) v WHERE {}"
INNER = "SELECT * FROM (SELECT {} AS z, i FROM t) v WHERE {}"


@pytest.fixture
def shop():
    with duckdb.connect() as connection:
        tables = {}
        for name, (columns, rows) in TABLES.items():
            connection.execute(f"CREATE TABLE {name} ({columns}); INSERT INTO {name} VALUES {rows}")
            tables[name] = Table(
                name=name,
                rows=4,
                fingerprint=name,
                primary_key=(),
                parquet=Path("/none"),
                columns=tuple(
                    Column(name=column, type=type_, width_bytes=8.0)
                    for column, type_, *_ in connection.execute(f"DESCRIBE {name}").fetchall()
                ),
            )
        yield connection, Catalog(name="shop", tables=tables)


def asked(shop, sql):
    """Return the rows of a statement, and those of its canonical form."""
    connection, catalog = shop
    written = canonical(Query(name="q", sql=sql, origin="q"), catalog, "duckdb").sql("duckdb")
    return [sorted(map(repr, connection.execute(each).fetchall())) for each in (sql, written)]


@pytest.mark.parametrize(
    ("one", "other", "wanted"),
    [
        ("d", "ts", "x < '2020-01-01 10:00:00'"),
        ("i", "s", "x < '5'"),
        ("r", "f", "x > 0.1"),
        ("i", "f", "x // 4 > 2"),
        ("e", "e", "CAST(x AS VARCHAR) = '1.1000'"),
        ("i", "i", "x > 2"),
    ],
)
def test_operands_of_several_types_are_asked_in_the_type_of_the_union(shop, one, other, wanted):
    sql = UNION.format(one, other, wanted)
    right, found = asked(shop, sql)
    assert found == right != []
    with_cte = sql.replace("SELECT x FROM (", "WITH v AS (", 1).replace(
        ") v ", ") SELECT x FROM v "
    )
    assert asked(shop, with_cte)[1] == right


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("NOT o", "z IS NULL"),
        ("NOT o", "z IS NOT NULL"),
        ("i // 4", "2 * z = 4"),
        ("i // 4", "8 // z = 4"),
        ("i & 1", "z * 2 = 2"),
        ("i | 4", "z + 1 = 6"),
        ("~i", "z + 1 = -1"),
        ("i = 1", "z = true"),
        ("-i", "- z = 9"),
        ("i IS NULL", "z = true"),
    ],
)
def test_what_is_computed_inside_stays_one_value(shop, value, wanted):
    right, found = asked(shop, INNER.format(value, wanted))
    assert found == right != []


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT t.r, v.f FROM t LEFT JOIN (SELECT f, i FROM u) v ON v.f = t.r WHERE t.r = 0.1",
        """SELECT t.n, v.n FROM t LEFT JOIN (SELECT n, i FROM u) v ON v.n = t.n
        WHERE t.n = 9007199254740993""",
        "SELECT t.i, v.i FROM t LEFT JOIN (SELECT i, s FROM u) v ON v.i = t.i WHERE t.i = 1",
    ],
)
def test_a_number_is_asked_of_an_equal_column_of_exact_numbers_alone(shop, sql):
    right, found = asked(shop, sql)
    assert found == right != []
