"""Rows that one join hands on to the next count as those that enter it."""

from collections.abc import Iterable
from typing import Any

import pytest

from placement.fragments.block_work import join_rows
from placement.fragments.join_order import MOST_ORDERED, JoinOrder
from tests.catalogs import shop
from tests.data_fixtures import statement
from workloads.estimation.cardinality import Estimator
from workloads.sql import footprint

ROWS = {
    "a": 1000.0,
    "b": 10.0,
    "c": 50.0,
    "ab": 100.0,
    "ac": 400.0,
    "abc": 60.0,
    "bc": 500.0,
}
"""Rows of the join of some relations, each of which has one letter."""


class Told:
    """Estimates that are told, and which of them were asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def rows_of_sources(self, block: str, aliases: Iterable[str]) -> float:
        assert block == "b0"
        self.asked.append("".join(sorted(aliases)))
        return ROWS[self.asked[-1]]


def block_of(joins: str) -> Any:
    tables = "orders AS a, customer AS b, orders AS c"
    found = footprint(statement(f"SELECT 1 FROM {tables} WHERE {joins}"), shop(), "duckdb")
    return found.blocks[0]


A_B, A_C = "a.o_customer = b.c_id", "a.o_id = c.o_id"


def test_the_next_relation_is_the_one_that_leaves_the_fewest_rows() -> None:
    told = Told()
    order = JoinOrder(block_of(f"{A_B} AND {A_C}"), told)  # type: ignore[arg-type]
    # 1,000 + 10 + 50 enter, 100 are handed on and enter again, 60 leave.
    assert order.joined_rows("abc") == 1000 + 10 + 50 + 100 + 60
    assert "bc" not in told.asked


def test_relations_that_no_join_connects_wait() -> None:
    joined_by_c = "a.o_id = c.o_id AND c.o_customer = b.c_id"
    order = JoinOrder(block_of(joined_by_c), Told())  # type: ignore[arg-type]
    # `b` would leave fewer, but nothing compares it with `a`.
    assert order.joined_rows("abc") == 1000 + 10 + 50 + 400 + 60


def test_relations_that_no_join_connects_meet_at_the_end() -> None:
    order = JoinOrder(block_of("a.o_id = c.o_id AND b.c_id > 0"), Told())  # type: ignore[arg-type]
    assert order.joined_rows("abc") == 1000 + 10 + 50 + 400 + 60


def test_of_many_relations_no_order_is_asked_for() -> None:
    names = [f"t{number}" for number in range(MOST_ORDERED + 1)]
    asked: list[list[str]] = []

    class Star:
        def rows_of_sources(self, block: str, aliases: Iterable[str]) -> float:
            asked.append(list(aliases))
            return 10.0

    order = JoinOrder(block_of(A_B), Star())  # type: ignore[arg-type]
    assert order.joined_rows(names) == 10.0 * (len(names) + 1)
    assert len(asked) == len(names) + 1


def test_two_relations_hand_nothing_on() -> None:
    order = JoinOrder(block_of(f"{A_B} AND {A_C}"), Told())  # type: ignore[arg-type]
    assert order.joined_rows("ab") == 1000 + 10 + 100


def test_a_block_counts_those_of_its_derived_tables_too() -> None:
    sql = """
        SELECT c_name, n FROM customer
        JOIN (SELECT o_customer AS k, count(*) AS n FROM orders GROUP BY o_customer) AS g
            ON k = c_id"""
    found = footprint(statement(sql), shop(), "duckdb")
    estimator = Estimator(shop(), found)
    block = found.blocks[0]
    entering = sum(estimator.rows_of_sources(block.name, [each]) for each in ("customer", "g"))
    leaving = estimator.joined_rows(block.name)
    assert join_rows(block, estimator) == pytest.approx(entering + leaving)
