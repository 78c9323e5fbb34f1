"""A literal fits the place of its parameter: its type, its column and what it is compared with."""

import re

import pytest

from tests.unit.workloads.literals.filled import filled
from workloads.catalog import Catalog
from workloads.literals.sets import SETS
from workloads.sql.unanswered import unanswered

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
