"""Statements whose parameters nobody recorded get literals: logged ones, or drawn ones."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from workloads.catalog import Catalog
from workloads.literals.drawing import drawing
from workloads.literals.filling import Filled, Filling, fill
from workloads.literals.sets import SETS, drawn_sets
from workloads.progress import Silent
from workloads.sources import parquet
from workloads.sql.statements import Understood, understand
from workloads.sql.unanswered import unanswered
from workloads.workload import Query, Workload

ORDERS = """
SELECT i AS id, i % 50 AS customer, DATE '2020-01-01' + (i % 700)::INTEGER AS "day",
  CASE WHEN i % 10 = 0 THEN 'rare' ELSE 'usual' END AS state,
  (i * 1.25)::DECIMAL(10, 2) AS price, i / 8.0::DOUBLE AS weight, i % 3 = 0 AS paid,
  TIMESTAMP '2020-01-01 10:00:00' + INTERVAL 1 MINUTE * i AS "at",
  TIMESTAMPTZ '2020-01-01 10:00:00+00' + INTERVAL 1 MINUTE * i AS placed,
  ('00000000-0000-0000-0000-' || lpad(i::VARCHAR, 12, '0'))::UUID AS key,
  CASE WHEN i % 2 = 0 THEN 'a_%' || i END AS note, i::VARCHAR::BLOB AS scan
FROM range(2000) t(i)
"""
CUSTOMERS = "SELECT i AS id, 'Name ' || i AS name FROM range(50) t(i)"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    folder = tmp_path_factory.mktemp("shop")
    (folder / "data").mkdir()
    with duckdb.connect() as connection:
        for name, rows in (("orders", ORDERS), ("customer", CUSTOMERS)):
            connection.execute(f"COPY ({rows}) TO '{folder}/data/{name}.parquet'")
        connection.execute(
            f"COPY (SELECT * FROM ({CUSTOMERS}) WHERE id < 0) TO '{folder}/data/nobody.parquet'"
        )
    return parquet.catalog(folder / "data", cache=folder / "cache", progress=Silent())


def asked(*statements: str, of_server: bool = False) -> tuple[Query, ...]:
    return tuple(
        Query(name=f"s{n}", sql=sql, origin=f"server/{n}", latency_s=0.1 if of_server else None)
        for n, sql in enumerate(statements, start=1)
    )


def filling(
    catalog: Catalog, dialect: str, queries: Sequence[Query], seed: int = 0
) -> tuple[Understood, Filling]:
    whole = Workload(name="w", dialect=dialect, queries=tuple(queries))
    read = understand(whole, catalog, Silent())
    assert [each.reason for each in read.skipped] == []
    passed = read.passed_through
    found = fill(read.workload, read.footprints, passed, read.catalog, Silent(), seed=seed)
    return read, found


def filled(catalog: Catalog, dialect: str, sql: str) -> Filled:
    _, found = filling(catalog, dialect, asked(sql))
    assert found.unfilled == {}
    return found.filled["s1"]


NUMBER = r"\d+"
PRICE = r"\d+\.\d\d"
DAY = r"'20\d\d-\d\d-\d\d'"
MOMENT = r"'2020-01-0\d \d\d:\d\d:00'"
STATE = "'(rare|usual)'"


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("id = $1", f"id = {NUMBER}"),
        ("$1 < id", f"{NUMBER} < id"),
        ("price >= $1", f"price >= {PRICE}"),
        ("weight < $1", r"weight < \d+\.\d+"),
        ("paid = $1", "paid = (TRUE|FALSE)"),
        ("day = $1", f"day = {DAY}"),
        ("day = $1::date", f"day = {DAY}::date"),
        ("day = date $1", f"day = date {DAY}"),
        ("at > timestamp $1", f"at > timestamp {MOMENT}"),
        ("at < $1 + interval '1 day'", f"at < TIMESTAMP {MOMENT} \\+ interval '1 day'"),
        ("placed < $1", r"placed < '2020-01-0\d \d\d:\d\d:00\+00'"),
        ("key = $1::uuid", r"key = '00000000-0000-0000-0000-\d{12}'::uuid"),
        ("key = uuid $1", r"key = uuid '00000000-0000-0000-0000-\d{12}'"),
        ("state IN ($1)", f"state IN \\({STATE}\\)"),
        ("id IN ($1 /*, ... */)", r"id IN \(\d+, \d+, \d+ /\*, ... \*/\)"),
        ("id = ANY($1)", r"id IN \(\d+, \d+, \d+\)"),
        ("id = ANY ($1::int[])", r"id IN \(\d+, \d+, \d+\)"),
        ("state <> ALL($1::text[])", f"state NOT IN \\({STATE}\\)"),
        ("id NOT IN ($1, $2)", r"id NOT IN \(\d+, \d+\)"),
        ("(id, customer) IN (($1, $2), ($3, $4))", r"\(\(\d+, \d+\), \(\d+, \d+\)\)"),
        ("id = ANY(ARRAY[$1, $2])", r"ANY\(ARRAY\[\d+, \d+\]\)"),
        ("to_char(day, $1) = $2", rf"to_char\(day, 'YYYY-MM-DD'\) = {DAY}"),
        ("(id, customer) = ($1, $2)", r"= \(\d+, \d+\)"),
        ("state LIKE $1", "state LIKE '(rar|usu)%'"),
        ("note LIKE $1", "note LIKE 'a__%'"),
        ("state LIKE '%' || $1 || '%'", r"LIKE '%' \|\| '(rar|usu)' \|\| '%'"),
        ("state LIKE $1 || $2 || $3", r"LIKE '(rar|usu)%' \|\| '' \|\| ''"),
        ("state IS NOT DISTINCT FROM $1", f"FROM {STATE}"),
        ("upper(state) = $1", "upper\\(state\\) = '(RARE|USUAL)'"),
        ("extract($1 FROM day) = $2", r"extract\(year FROM day\) = 202[01]"),
        ("date_trunc($1, at) = $2", r"date_trunc\('month', at\) = '2020-01-01 00:00:00'"),
        ("id % $1 = $2", r"id % 10 = \d"),
        ("price * $1 > $2", r"price \* 1 > \d+\.\d\d"),
        ("id = -$1", r"id = -(\(-\d+\)|0)"),
        ("coalesce(customer, $1) = $2", r"coalesce\(customer, 0\) = \d+"),
        ("CASE state WHEN $1 THEN $2 ELSE $3 END = id", f"WHEN {STATE} THEN 1 ELSE 0 END"),
        ("day > now() - interval $1", "interval '30 days'"),
        ("at > now() - $1::interval", "'30 days'::interval"),
        ("($1 IS NULL OR state = $1)", f"\\(({STATE}) IS NULL OR state = \\1\\)"),
        ("$1", "WHERE TRUE"),
        ("EXISTS (SELECT $1 FROM customer c WHERE c.id = customer AND name = $2)", "SELECT 1 FROM"),
        ("customer IN (SELECT id FROM customer WHERE name = $1)", r"name = 'Name \d+'"),
        ("$1 IN (SELECT name FROM customer)", r"'Name \d+' IN"),
    ],
)
def test_a_literal_fits_what_it_is_compared_with(shop: Catalog, condition: str, expected: str):
    found = filled(shop, "postgres", f"SELECT id FROM orders WHERE {condition}")
    assert found.source == "statistics"
    assert 1 <= len(found.sets) <= SETS
    for each in found.sets:
        assert re.search(expected, each.sql), each.sql
        assert not unanswered(each, shop, "postgres")


@pytest.mark.parametrize(
    ("dialect", "sql", "expected"),
    [
        ("postgres", "SELECT $1, id FROM orders LIMIT $2 OFFSET $3", "1, id .* LIMIT 10 OFFSET 0"),
        ("mysql", "SELECT id FROM orders LIMIT ?, ?", "LIMIT 0, 10"),
        ("mysql", "SELECT `id` FROM `orders` WHERE `state` IN (...)", f"IN \\({STATE}"),
        ("mysql", "SELECT id FROM orders WHERE (id, customer) IN (...)", r"\(\(\d+, \d+\), \("),
        (
            "mysql",
            "SELECT id FROM orders WHERE (id, customer) IN( (...) )",
            r"IN\( \(\d+, \d+\), \(\d+, \d+\), \(\d+, \d+\) \)",
        ),
        ("mysql", "SELECT id FROM orders WHERE day > NOW() - INTERVAL ? DAY", "INTERVAL 30 DAY"),
        ("mysql", "SELECT id FROM orders WHERE state LIKE CONCAT('%', ?)", "CONCAT.'%', '...'"),
        (
            "mysql",
            "SELECT id FROM orders WHERE day >= DATE_SUB(CURDATE(), INTERVAL ? MONTH)",
            "INTERVAL 1 MONTH",
        ),
        ("mysql", "SELECT id FROM orders WHERE date_format(day, ?) = ?", f"'%Y-%m-%d'.* = {DAY}"),
        ("mysql", "SELECT id FROM orders WHERE placed > ?", f"placed > {MOMENT}$"),
        ("mysql", "SELECT id FROM orders WHERE year(day) = ?", r"= 202[01]$"),
        ("mysql", "SELECT state FROM orders GROUP BY 1 HAVING SUM(price) > ?", f"> {PRICE}"),
        ("postgres", "SELECT state FROM orders GROUP BY 1 HAVING count(*) > $1", "> 1$"),
        (
            "postgres",
            "SELECT sum(CASE WHEN paid = $1 THEN $2 ELSE $3 END) FROM orders",
            "THEN 1 EL",
        ),
        ("duckdb", "SELECT ? k, id FROM orders WHERE state = $state", f"SELECT 1 k.*{STATE}"),
        ("duckdb", "SELECT id FROM orders WHERE id IN (?)", r"IN \(\d+, \d+, \d+\)"),
        ("duckdb", "SELECT id FROM orders WHERE state = '{state}' AND id = {id}", f"= {STATE} AND"),
    ],
)
def test_the_place_of_a_parameter_suggests_a_literal(
    shop: Catalog, dialect: str, sql: str, expected: str
):
    for each in filled(shop, dialect, sql).sets:
        assert re.search(expected, each.sql), each.sql


def test_a_parameter_in_a_derived_table_a_cte_and_a_set_operation_finds_its_column(shop: Catalog):
    found = filled(
        shop,
        "postgres",
        "WITH o AS (SELECT id AS x, upper(state) AS s, sum(price) AS p FROM orders GROUP BY 1, 2) "
        "SELECT x FROM o WHERE s = $1 AND p > $2 "
        "UNION SELECT n.k FROM (SELECT name AS m, id AS k FROM customer) n WHERE n.m = $3",
    )
    for each in found.sets:
        assert re.search(rf"s = '(RARE|USUAL)' AND p > {PRICE} .*m = 'Name \d+'", each.sql)


def test_ends_of_a_range_are_in_order(shop: Catalog):
    for condition in ("id BETWEEN $1 AND $2", "id > $1 AND id <= $2", "$2 > id AND $1 < id"):
        found = filled(shop, "postgres", f"SELECT id FROM orders WHERE {condition}")
        assert len(found.sets) == SETS
        for each in found.sets:
            low, high = sorted(map(int, re.findall(r"\d+", each.sql)))
            first, second = map(int, re.findall(r"\d+", each.sql))
            assert (first, second) == ((high, low) if condition.startswith("$2") else (low, high))


def rows(catalog: Catalog, statements: Sequence[str]) -> list[int]:
    """Count what statements on the orders return."""
    with duckdb.connect() as connection:
        path = catalog.tables["orders"].parquet
        connection.execute(f"CREATE TABLE orders AS SELECT * FROM '{path}'")
        return [len(connection.execute(sql).fetchall()) for sql in statements]


def test_equalities_of_one_row_hold_at_once(shop: Catalog):
    found = filled(
        shop,
        "postgres",
        "SELECT id FROM orders WHERE customer = $1 AND day = $2 AND price = $3 AND state IN ($4)",
    )
    assert rows(shop, [each.sql for each in found.sets]) == [1] * SETS


def drawn(catalog: Catalog, condition: str) -> list[str]:
    """Return a statement with what is drawn for a condition by many seeds."""
    (query,) = asked(f"SELECT id FROM orders WHERE {condition}")
    with drawing(catalog) as values:
        return [
            each.sql
            for seed in range(40)
            for each in drawn_sets(query, catalog, "postgres", values, seed=seed)
        ]


@pytest.mark.parametrize(
    ("condition", "share"),
    [("id < $1", 1 / 3), ("id >= $1", 1 / 3), ("id BETWEEN $1 AND $2", 1 / 4)],
)
def test_ranges_keep_on_average_what_plans_take_for_a_range_that_they_do_not_know(
    shop: Catalog, condition: str, share: float
):
    kept = rows(shop, drawn(shop, condition))
    assert sum(kept) / len(kept) / 2000 == pytest.approx(share, abs=0.05)


def test_a_value_is_drawn_as_often_as_it_occurs(shop: Catalog):
    # Sets that are equal count once; each row has its own number.
    texts = drawn(shop, "state = $1 AND id = $2")
    rare = [sql for sql in texts if "'rare'" in sql]
    assert len(rare) / len(texts) == pytest.approx(0.1, abs=0.06)


def test_literals_depend_on_the_seed_and_the_text_alone(shop: Catalog):
    statements = [f"SELECT id FROM orders WHERE id = $1 AND state = $2 LIMIT {n}" for n in "123"]
    _, found = filling(shop, "postgres", asked(*statements))
    _, again = filling(shop, "postgres", tuple(reversed(asked(*statements))))
    turned = replace(shop, tables=dict(reversed(shop.tables.items())))
    _, others = filling(turned, "postgres", asked(*statements))
    for name, each in found.filled.items():
        texts = [one.sql for one in each.sets]
        assert texts == [one.sql for one in again.filled[name].sets]
        assert texts == [one.sql for one in others.filled[name].sets]
    _, seeded = filling(shop, "postgres", asked(*statements), seed=1)
    assert [one.sql for one in seeded.filled["s1"].sets] != [
        one.sql for one in found.filled["s1"].sets
    ]


@pytest.mark.parametrize(
    ("dialect", "template", "logged"),
    [
        (
            "postgres",
            "SELECT id FROM orders WHERE state = $1 AND day > date $2",
            "select id  from Orders where state = 'x' and day > date '2021-02-03'",
        ),
        (
            "mysql",
            (
                "SELECT `o` . `id` , COUNT ( * ) FROM `orders` `o` WHERE `o` . `id` IN (...) "
                "AND `state` != ? GROUP BY 1 LIMIT ?"
            ),
            (
                "SELECT o.id, count(*) FROM orders o WHERE o.id IN (5, 6) AND state <> 'x' "
                "GROUP BY 1 LIMIT 7"
            ),
        ),
    ],
)
def test_logged_literals_of_the_template_come_first(
    shop: Catalog, dialect: str, template: str, logged: str
):
    read, found = filling(shop, dialect, asked(template, logged))
    assert found.filled["s1"].source == "log"
    assert [each.sql for each in found.filled["s1"].sets] == [
        each.sql for each in read.workload.queries if each.name == "s2"
    ]
    assert set(found.filled) == {"s1"}


def test_several_logged_executions_are_several_sets(shop: Catalog):
    sql = "SELECT id FROM orders WHERE id = {}"
    _, found = filling(shop, "postgres", asked(*(sql.format(n) for n in ("$1", "4", "5", "4"))))
    assert [each.sql[-1] for each in found.filled["s1"].sets] == ["4", "5"]


def test_a_log_of_another_template_is_none(shop: Catalog):
    statements = ("SELECT id FROM orders WHERE id = $1", "SELECT id FROM orders WHERE customer = 4")
    _, found = filling(shop, "postgres", asked(*statements))
    assert found.filled["s1"].source == "statistics"


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("SELECT id FROM orders WHERE md5(scan) = md5($1)", "parameter $1: nothing tells what"),
        ("SELECT id FROM orders WHERE scan = $1", "values of type BLOB are not written"),
        ("SELECT id FROM nobody WHERE name = $1", "table 'nobody' has no row with a value"),
        (
            "SELECT id FROM orders o JOIN customer c USING (id) WHERE c.name || o.note < $1",
            "",
        ),
        ("SELECT id FROM orders WHERE day - date '2020-01-01' = $1", ""),
        ("SELECT s FROM (SELECT $1 AS s FROM orders) t WHERE s = $2", "parameter $2: the column"),
    ],
)
def test_what_gets_no_literal_is_left_out_for_a_reason(shop: Catalog, sql: str, why: str):
    _, found = filling(shop, "postgres", asked(sql))
    if why:
        assert found.filled == {}
        assert found.unfilled["s1"].startswith(why), found.unfilled
    else:
        assert found.unfilled == {}


def test_a_statement_without_parameters_gets_none(shop: Catalog):
    statement = "SELECT id, '$1' FROM orders WHERE state = '?'"
    assert filling(shop, "postgres", asked(statement))[1] == Filling()


def test_the_footprint_has_the_features_that_literals_bring(shop: Catalog):
    sql = "SELECT id FROM orders WHERE at < $1 - $2::interval"
    read, found = filling(shop, "postgres", asked(sql))
    footprint = found.filled["s1"].footprint
    assert footprint is not None
    (without,), (with_literals,) = read.footprints[0].blocks, footprint.blocks
    assert without.features < with_literals.features


def test_a_statement_that_is_passed_through_gets_literals_too(shop: Catalog):
    sql = "SELECT quote_nullable($1), id FROM orders WHERE state = $2"
    read, found = filling(shop, "postgres", asked(sql, of_server=True))
    assert [each.query.name for each in read.passed_through] == ["s1"]
    assert found.unfilled == {
        "s1": "parameter $1: nothing tells what may stand in 'QUOTE_NULLABLE(?)'"
    }
    logged = "SELECT quote_nullable('x'), id FROM orders WHERE state = 'usual'"
    _, found = filling(shop, "postgres", asked(sql, logged, of_server=True))
    own = found.filled["s1"].passed_through
    assert own is not None
    assert own.query.sql == logged
    assert own.incomparable == ""


def test_expressions_of_the_workload_read_no_other_file(shop: Catalog, tmp_path: Path):
    secret = tmp_path / "secret.csv"
    secret.write_text("a\n1\n")
    sql = f"SELECT id FROM orders WHERE (SELECT max(a) FROM read_csv('{secret}')) = $1"
    whole = Workload(name="w", dialect="duckdb", queries=asked(sql))
    assert understand(whole, shop, Silent()).workload.queries == ()
