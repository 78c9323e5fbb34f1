"""Statements whose canonical form depends on the literals that are filled in."""

import pytest

from tests.catalogs import shop
from tests.data_fixtures import statement
from workloads.footprint import Footprint
from workloads.literals.features import with_features
from workloads.sql import footprint

UNION = "SELECT sum(v) AS s FROM (SELECT o_total * {} AS v FROM orders UNION ALL SELECT {}) u"
TRUNCATED = "SELECT c_name, sum(o_total) AS s FROM orders JOIN customer ON o_customer = c_id {}"


def read(sql: str) -> Footprint:
    return footprint(statement(sql), shop(), "duckdb")


def union(first: str, second: str) -> str:
    return UNION.format(first, f"i_price * {second} FROM item")


def groups(found: Footprint) -> list[object]:
    return [each.output.group_by for each in found.blocks]


def test_literals_that_make_other_groups_count():
    bare, filled = read(union("?", "?")), read(union("5", "7.25"))
    assert groups(bare) != groups(filled)
    found = with_features(bare, [filled])
    assert found is not None
    assert groups(found) == groups(filled)


@pytest.mark.parametrize(
    ("bare", "sets"),
    [
        (union("?", "?"), [union("5", "7"), union("5", "12")]),
        (
            TRUNCATED.format("GROUP BY c_name, date_trunc(?, o_day)"),
            [
                TRUNCATED.format(f"GROUP BY c_name, date_trunc('{unit}', o_day)")
                for unit in ("month", "hour")
            ],
        ),
    ],
)
def test_sets_of_literals_may_make_groups_differently(bare: str, sets: list[str]):
    assert with_features(read(bare), [read(each) for each in sets]) is not None
