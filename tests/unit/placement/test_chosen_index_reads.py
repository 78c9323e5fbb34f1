"""Indexes that may be chosen: by which of them sources would be read."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from evaluation.stores.postgresql.backend import PostgreSQL
from placement.corrections import Corrections
from placement.costs import DEFAULT_COSTS
from placement.limits.own_prices import fragment_s
from placement.plan import PlacementPlan
from placement.problem import PlacementProblem
from placement.routing.refitted import at_prices, corrected
from placement.routing.repriced import repriced
from placement.routing.routing import plan_for
from tests.unit.placement.indexed_shop import ROWS, large, seconds, whole, with_table
from tests.unit.placement.problems import changed, problem, store
from tests.unit.placement.test_advised_indexes import indexing, read, reading
from workloads.catalog import Catalog
from workloads.indexes import Index, NamedIndex


def offering(*columns: str) -> Catalog:
    """Return the large shop whose orders may have an index over each of the columns."""
    orders = replace(
        large().table("orders"),
        indexes=tuple(Index(columns=(each,), is_chosen=True) for each in columns),
    )
    return with_table(large(), orders)


@pytest.mark.parametrize("at", [at_prices, lambda made, plan: repriced(made, plan, "x")])
def test_a_plan_at_other_prices_names_the_indexes_of_these(
    at: Callable[[PlacementProblem, PlacementPlan], PlacementPlan],
) -> None:
    index = NamedIndex("t", ("c",))
    asked = reading(read(index, 90.0))
    fast = indexing("a", indexes=frozenset({index}))
    made = problem({"t": 100}, [fast], [asked], index_bytes={index: 1})
    plan = plan_for(made, "x", {"t": ("a",)})
    assert plan.routing["q"][0].read_by == (index,)
    slow = replace(fast, strength=replace(fast.strength, index_rows_per_s=1e-3))
    now = replace(made, stores=(slow,))
    other = corrected(now, Corrections(stores={}, queries={}, rest=2.0))
    assert at(other, plan).routing["q"][0].read_by == ()
    assert at(corrected(made, other.costs.corrections), plan).routing["q"][0].read_by == (index,)


def test_an_index_that_may_be_chosen_is_read_by_where_it_was() -> None:
    fragment = whole("SELECT o_total FROM orders WHERE o_customer = 7", offering("o_customer"))
    index = NamedIndex("orders", ("o_customer",))
    assert {each.index for each in fragment.work.index_reads} == {index}
    with_it = replace(PostgreSQL.strength, indexes=frozenset({index}))
    indexed = whole("SELECT o_total FROM orders WHERE o_customer = 7")
    for strength, like in ((PostgreSQL.strength, None), (with_it, indexed)):
        scan = changed(fragment, index_reads=()) if like is None else like
        assert seconds(fragment, strength) == seconds(scan, strength)
        where = replace(store("a"), strength=strength)
        made = problem({"orders": 1}, [where])
        told = sum(fragment_s(made, fragment, where, 1))
        assert told == pytest.approx(DEFAULT_COSTS.fragment(fragment, where, 1).total_s, rel=1e-3)


def test_indexes_that_may_be_chosen_change_no_join_by_those_that_are_there() -> None:
    sql = "SELECT o_total FROM orders, customer WHERE o_customer = c_id AND c_name = 'x'"
    before = whole(sql).work.index_reads
    orders = large().table("orders")
    offered = tuple(
        Index(columns=each, is_chosen=True) for each in (("o_customer", "o_total"), ("o_total",))
    )
    catalog = with_table(large(), replace(orders, indexes=(*orders.indexes, *offered)))
    after = whole(sql, catalog).work.index_reads
    assert before
    assert tuple(each for each in after if each.index is None) == before
    assert {each.index for each in after} - {None} == {
        NamedIndex("orders", ("o_customer", "o_total"))
    }


CHAIN = (
    "SELECT i_price FROM item, orders, customer "
    "WHERE i_line = o_id AND o_customer = c_id AND c_name = 'x'"
)


def test_an_index_that_may_be_chosen_is_read_by_what_a_path_of_joins_leaves() -> None:
    item = replace(large().table("item"), indexes=(Index(columns=("i_line",), is_chosen=True),))
    catalog = with_table(with_table(large(), item), replace(large().table("orders"), indexes=()))
    (read,) = whole(CHAIN, catalog).work.index_reads
    # The orders of a few customers are few, though no condition is on orders.
    assert (read.source, read.index) == ("b0.item", NamedIndex("item", ("i_line",)))
    assert 0 < read.rows < ROWS / 10
    assert read.spared_rows > 0.9 * ROWS


def test_an_index_that_is_there_is_read_by_a_filtered_source_alone() -> None:
    catalog = with_table(large(), replace(large().table("orders"), indexes=()))
    assert whole(CHAIN, catalog).work.index_reads == ()
