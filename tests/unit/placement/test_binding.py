import pytest

from placement.constraints.usage import Unit
from placement.reasons.binding import binding, usages
from placement.routing.routing import plan_for
from tests.unit.placement.problems import problem, query, store

TABLES = {"orders": 700, "item": 300}
STORES = (store("pg", 1_000, storage=0.001), store("maria", 1_006), store("duck", 800))
QUERIES = (query("q1", ("orders",)), query("q2", ("item",)))
BOTH_IN_PG = {"orders": ("pg",), "item": ("pg",)}


def bound(placement, **limits):
    asked = problem(TABLES, STORES, QUERIES, **limits)
    return {usage.key: usage for usage in binding(asked, plan_for(asked, "p", placement))}


def test_a_store_that_is_full_to_one_per_cent_binds_and_one_with_room_does_not():
    assert set(bound(BOTH_IN_PG)) == {"[stores.pg].capacity"}
    assert set(bound({"orders": ("maria",), "item": ("maria",)})) == {"[stores.maria].capacity"}
    assert bound({"orders": ("duck",), "item": ("pg",)}) == {}


def test_copies_bind_by_number_only_where_a_table_could_have_more():
    copied = {"orders": ("maria", "pg"), "item": ("duck",)}
    usage = bound(copied, max_copies=2)["[place].max_copies"]
    assert (usage.used, usage.most, usage.subject) == (2, 2, "orders")
    assert "[place].max_copies" not in bound(copied, max_copies=3)
    assert "[place].max_copies" not in bound({"orders": ("duck",), "item": ("pg",)})


def test_further_copies_bind_by_their_bytes_beyond_the_first():
    copied = {"orders": ("maria",), "item": ("duck", "maria", "pg")}
    usage = bound(copied, max_copies=3, max_copy_bytes=605)["[constraints].max_copy_bytes"]
    assert (usage.used, usage.most, usage.unit) == (600, 605, Unit.BYTES)
    assert "[constraints].max_copy_bytes" not in bound(copied, max_copies=3, max_copy_bytes=700)


def test_moves_bind_by_number_and_by_bytes_and_what_stays_is_none():
    current = {"orders": ("pg",), "item": ("duck",)}
    found = bound(BOTH_IN_PG, current=current, max_moves=1, max_move_bytes=300)
    assert found["[constraints].max_moves"].used == 1
    assert found["[constraints].max_move_bytes"].used == 300
    found = bound(BOTH_IN_PG, current=current, max_moves=2, max_move_bytes=310)
    assert not any("move" in key for key in found)


def test_no_moves_allowed_and_none_made_binds():
    assert "[constraints].max_moves" in bound(BOTH_IN_PG, current=BOTH_IN_PG, max_moves=0)


def test_money_binds_by_the_month():
    usage = bound(BOTH_IN_PG, max_money=1.0)["[constraints].max_money"]
    assert usage.used == pytest.approx(1.0)
    assert "[constraints].max_money" not in bound(BOTH_IN_PG, max_money=1.2)


def test_a_query_at_its_ceiling_binds_and_is_named():
    asked = problem(TABLES, STORES, QUERIES)
    seconds = plan_for(asked, "p", BOTH_IN_PG).query_s("q1")
    found = bound(BOTH_IN_PG, latency_s={"q1": seconds * 1.005, "q2": seconds * 9})
    usage = found["[constraints].latency_s"]
    assert (usage.subject, usage.used) == ("q1", seconds)


def test_the_store_that_is_farthest_from_the_mean_is_measured_against_the_balance():
    asked = problem(TABLES, STORES, QUERIES, balance=1.0)
    plan = plan_for(asked, "p", {"orders": ("pg",), "item": ("maria",)})
    used = {usage.key: usage.used for usage in usages(asked, plan)}["[constraints].balance"]
    assert used == pytest.approx(700 / (1000 / 3) - 1)
