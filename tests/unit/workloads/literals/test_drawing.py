"""Literals are drawn from the values of the data, with a seed."""

from collections.abc import Sequence
from dataclasses import replace

import duckdb
import pytest

from tests.unit.workloads.literals.filled import asked, filled, filling
from workloads.catalog import Catalog
from workloads.literals.drawing import drawing
from workloads.literals.sets import SETS, drawn_sets


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
