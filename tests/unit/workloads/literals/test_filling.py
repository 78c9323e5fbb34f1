"""Statements whose parameters nobody recorded get literals: logged ones, or drawn ones."""

from pathlib import Path

import pytest

from tests.unit.workloads.literals.filled import asked, filling
from workloads.catalog import Catalog
from workloads.literals.filling import Filling
from workloads.progress import Silent
from workloads.sql.statements import understand
from workloads.workload import Workload


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
