"""Which fragments of a query are offered to be run as one, and what that costs."""

from dataclasses import replace

import pytest

from placement.costs import DEFAULT_COSTS
from placement.fragment import IndexRead, SharedFragment, members
from placement.fragment_work import work
from placement.fragments.enumeration import enumerate_fragments
from placement.fragments.reductions import reduced_fragments
from placement.fragments.shared_fragments import as_one, shared_fragments
from placement.limits.check import check
from placement.routing.repriced import repriced
from placement.routing.routing import plan_for, route
from tests.catalogs import shop
from tests.data_fixtures import ReadQueries, statement
from tests.unit.placement.problems import changed, fragment, problem, query, store
from workloads.catalog import Catalog
from workloads.estimation.cardinality import Estimator
from workloads.indexes import NamedIndex
from workloads.sql import footprint
from workloads.workload import Workload

YOUNG = "SELECT c_id FROM customer AS {alias} WHERE {alias}.c_name = '{name}'"


def fragments_of(sql: str) -> tuple[SharedFragment, ...]:
    """Return what is offered to be run as one of a query over `shop`."""
    found = footprint(statement(sql), shop(), "duckdb")
    estimator = Estimator(shop(), found)
    every = enumerate_fragments(found, estimator)
    both = (*every, *reduced_fragments(found, estimator, every))
    return shared_fragments(found, both)


def offered(sql: str) -> set[tuple[str, ...]]:
    return {each.sources for each in fragments_of(sql)}


def union(*parts: str) -> set[tuple[str, ...]]:
    return offered(" UNION ALL ".join(parts))


def offered_names(*parts: str) -> set[str]:
    return {each.name for each in fragments_of(" UNION ALL ".join(parts))}


def test_scans_with_the_same_filter_under_any_alias_are_run_as_one():
    one, other = (YOUNG.format(alias=alias, name="a") for alias in ("c", "d"))
    assert union(one, other) == {("b1.c", "b2.d")}


def test_scans_with_other_filters_are_not():
    one, other = (YOUNG.format(alias="c", name=name) for name in "ab")
    assert union(one, other) == set()


def test_scans_with_other_columns_are_not():
    assert union("SELECT c_id FROM customer", "SELECT length(c_name) FROM customer") == set()


def test_two_aliases_of_one_block_are():
    sql = "SELECT a.c_name FROM customer a, customer b WHERE a.c_id = b.c_id AND b.c_name > 'x'"
    same = "SELECT count(*) FROM customer a, customer b WHERE a.c_id = b.c_id AND a.c_id > b.c_id"
    assert offered(sql) == set()
    assert offered(same) == {("b0.a", "b0.b")}


def test_joins_with_the_same_filters_are():
    joined = "SELECT c_name, o_total FROM orders JOIN customer ON o_customer = c_id"
    pairs = union(f"{joined} WHERE o_total > 5", f"{joined} WHERE o_total > 5")
    assert ("b1.customer", "b1.orders", "b2.customer", "b2.orders") in pairs
    others = union(f"{joined} WHERE o_total > 5", f"{joined} WHERE o_total > 6")
    assert others == {("b1.customer", "b2.customer")}


def test_of_a_few_every_choice_is_offered_and_of_many_all_together():
    scan = YOUNG.format(alias="c", name="a")
    assert len(union(*[scan] * 3)) == 4
    assert [len(sources) for sources in union(*[scan] * 6)] == [6]


def test_what_is_reduced_by_the_same_keys_is_and_by_others_is_not():
    days = "SELECT o_total FROM orders JOIN customer ON o_customer = c_id WHERE c_name = '{}'"
    same = offered_names(days.format("a"), days.format("a"))
    assert "q/b1.orders by b1.customer as one with q/b2.orders by b2.customer" in same
    other = offered_names(days.format("a"), days.format("b"))
    assert other == {"q/b1.orders as one with q/b2.orders"}


def test_the_first_is_what_the_query_reads_first(tiny_queries: ReadQueries):
    for name, found in tiny_queries.footprints.items():
        order = [source.name for source in found.sources()]
        for each in shared_fragments(found, tiny_queries.estimated(name).fragments):
            firsts = [min(map(order.index, one.sources)) for one in each.members]
            assert firsts == sorted(firsts), each.name


def test_the_halves_of_a_query_differ_in_their_hours_alone(tiny: Catalog, queries: Workload):
    # With FILTER the halves are not made in one pass.
    asked = queries.query("q90")
    asked = replace(asked, sql=asked.sql.replace("count(*)", "count(*) FILTER (WHERE TRUE)"))
    found = footprint(asked, tiny, queries.dialect)
    every = enumerate_fragments(found, Estimator(tiny, found))
    same = {each.sources for each in shared_fragments(found, every)}
    assert ("b1.household_demographics", "b2.household_demographics") in same
    assert ("b1.time_dim", "b2.time_dim") not in same


def twins():
    """Two scans of one table with the same rows, each beside a table of its own."""
    table_of = {"a": "days", "b": "days", "x": "facts", "y": "others"}
    scans = [fragment("q", (alias,), table_of) for alias in table_of]
    joined = fragment("q", ("b", "y"), table_of, rows=1.0)
    asked = replace(query("q", ("a", "b", "x", "y"), whole=False), fragments=(*scans, joined))
    return replace(asked, shared=(as_one(scans[:2]),))


def asked_of(held):
    tables = {"days": 10, "facts": 100, "others": 100}
    made = problem(tables, [store("here"), store("there")], [twins()], max_copies=2)
    return made, {table: tuple(sorted(held[table])) for table in tables}


def test_one_store_reads_them_once_and_the_plan_says_which_repeats_which():
    asked, placement = asked_of({"days": ["here"], "facts": ["there"], "others": ["there"]})
    routing = route(asked, placement)["q"]
    assert [(each.fragment.name, each.fragment.reduction.repeats) for each in routing] == [
        ("q/b.a", None),
        ("q/b.b", "q/b.a"),
        ("q/b.x", None),
        ("q/b.y", None),
    ]
    first, second = routing[:2]
    assert second.predicted_s == second.engine_s
    assert second.predicted_s < first.engine_s
    assert second.fragment.bytes_moved == 0
    assert second.fragment.work.bytes_out == first.fragment.work.bytes_out
    assert check(asked, plan_for(asked, "any", placement)) == ()


def test_what_is_joined_where_it_is_repeats_nothing():
    asked, placement = asked_of({"days": ["here"], "facts": ["there"], "others": ["here"]})
    routing = route(asked, placement)["q"]
    assert {each.fragment.name for each in routing} == {"q/b.a", "q/b.b+b.y", "q/b.x"}
    assert {each.fragment.reduction.repeats for each in routing} == {None}


def test_they_cost_together_what_their_parts_do():
    (shared,) = twins().shared
    where = store("here")
    apart = [DEFAULT_COSTS.fragment(each, where, 4) for each in members(shared)]
    assert DEFAULT_COSTS.fragment(shared, where, 4).total_s == pytest.approx(
        sum(cost.total_s for cost in apart), rel=1e-12
    )
    first, second = apart
    assert (second.start_s, second.scan_s, second.transfer_s) == (0.0, 0.0, 0.0)
    assert work(members(shared)[1], where.strength, 4).starts == 0
    assert second.engine_s < first.engine_s


def test_a_plan_that_repeats_what_is_not_read_there_is_told():
    everywhere = {"days": ["here", "there"], "facts": ["here", "there"], "others": ["there"]}
    asked, placement = asked_of({**everywhere, "days": ["here"]})
    plan = plan_for(asked, "any", placement)
    moved = tuple(
        replace(each, store="there") if each.fragment.reduction.repeats is None else each
        for each in plan.routing["q"]
    )
    wrong = check(asked, replace(plan, placement=everywhere, routing={"q": moved}))
    says = "'q/b.b' in 'here' repeats the rows of 'q/b.a', which is not read from that store."
    assert f"Fragment {says}" in wrong


def test_both_are_read_by_the_same_indexes():
    index = NamedIndex("days", ("d",))
    by = IndexRead(source="b.a", clustered=False, rows=1.0, spared_bytes=90.0, index=index)
    first, *others = twins().fragments
    scans = [changed(first, index_reads=(by,)), others[0]]
    indexed = replace(twins(), fragments=(*scans, *others[1:]), shared=(as_one(scans),))
    strong = replace(store("here").strength, index_rows_per_s=1000.0, indexes=frozenset({index}))
    stores = [replace(store("here"), strength=strong), store("there")]
    made = problem({"days": 10, "facts": 100, "others": 100}, stores, [indexed], max_copies=2)
    placement = {"days": ("here",), "facts": ("there",), "others": ("there",)}
    plan = plan_for(made, "any", placement)
    assert check(made, plan) == ()
    read, repeating, *_ = plan.routing["q"]
    assert repeating.fragment.reduction.repeats == read.fragment.name
    assert repeating.read_by == read.read_by == (index,)
    again = repriced(made, plan, "again").routing["q"]
    assert [each.read_by for each in again[:2]] == [(index,), (index,)]
    other = replace(repeating, read_by=())
    (told,) = check(made, replace(plan, routing={"q": (read, other, *plan.routing["q"][2:])}))
    assert "repeats the rows of 'q/b.a', which is read by other indexes" in told
