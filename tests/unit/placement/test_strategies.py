from dataclasses import replace

import pytest

from placement.limits.check import check
from placement.plan import Outcome
from placement.strategies import STRATEGIES, candidates
from placement.strategies.naive import Naive
from placement.strategies.paper_partition import PARTITIONS, PaperPartition
from placement.strategies.proximity import Proximity, channels
from placement.strategies.proximity_by_strength import ProximityByStrength
from tests.unit.placement.problems import joined, problem, query, store
from workloads.errors import ConfigurationError

TPCDS = sorted(table for tables in PARTITIONS[1].values() for table in tables.split())
SIZES = {
    "store_sales": 390,
    "catalog_sales": 300,
    "web_sales": 150,
    "inventory": 80,
    "store_returns": 40,
    "catalog_returns": 25,
    "web_returns": 12,
    "customer_demographics": 60,
}
CHANNEL_JOINS = [
    (f"{channel}_sales.{c}_{column}", target)
    for channel, c in (("store", "ss"), ("catalog", "cs"), ("web", "ws"))
    for column, target in (
        ("sold_date_sk", "date_dim.d_date_sk"),
        ("item_sk", "item.i_item_sk"),
        ("promo_sk", "promotion.p_promo_sk"),
        ("customer_sk", "customer.c_customer_sk"),
        ("ship_mode_sk", "ship_mode.sm_ship_mode_sk"),
    )
    if (channel, column) != ("store", "ship_mode_sk")
]
JOINS = [
    *CHANNEL_JOINS,
    ("store_sales.ss_store_sk", "store.s_store_sk"),
    ("store_sales.ss_hdemo_sk", "household_demographics.hd_demo_sk"),
    ("household_demographics.hd_income_band_sk", "income_band.ib_income_band_sk"),
    ("catalog_sales.cs_catalog_page_sk", "catalog_page.cp_catalog_page_sk"),
    ("catalog_sales.cs_call_center_sk", "call_center.cc_call_center_sk"),
    ("web_sales.ws_web_page_sk", "web_page.wp_web_page_sk"),
    ("web_sales.ws_web_site_sk", "web_site.web_site_sk"),
    ("store_returns.sr_ticket_number", "store_sales.ss_ticket_number"),
    ("store_returns.sr_reason_sk", "reason.r_reason_sk"),
    ("store_returns.sr_returned_date_sk", "date_dim.d_date_sk"),
    ("catalog_returns.cr_order_number", "catalog_sales.cs_order_number"),
    ("catalog_returns.cr_returned_date_sk", "date_dim.d_date_sk"),
    ("catalog_returns.cr_item_sk", "item.i_item_sk"),
    ("web_returns.wr_order_number", "web_sales.ws_order_number"),
    ("web_returns.wr_returned_date_sk", "date_dim.d_date_sk"),
    ("web_returns.wr_item_sk", "item.i_item_sk"),
    ("inventory.inv_item_sk", "item.i_item_sk"),
    ("inventory.inv_date_sk", "date_dim.d_date_sk"),
    ("inventory.inv_warehouse_sk", "warehouse.w_warehouse_sk"),
    ("customer.c_current_addr_sk", "customer_address.ca_address_sk"),
    ("customer.c_current_cdemo_sk", "customer_demographics.cd_demo_sk"),
]


def tpcds(duck_kind="duckdb", **options):
    sizes = {table: SIZES.get(table, 5) for table in TPCDS}
    total = sum(sizes.values())
    return problem(
        {**sizes, **options.pop("more", {})},
        [
            store("pg", total * 6 // 10, kind="postgresql"),
            store("maria", total * 6 // 10, kind="mysql"),
            store("duck", total * 2 // 10, kind=duck_kind, speed=5.0),
        ],
        [
            query("q1", ("store_sales", "store", "date_dim"), joins=[("store_sales", "store")]),
            query("q2", ("catalog_sales", "item", "customer")),
            query("q3", ("web_sales", "web_returns", "date_dim"), executions=4.0),
        ],
        graph=joined(*JOINS),
        **options,
    )


def test_every_strategy_makes_plans_that_the_check_confirms():
    made = tpcds()
    plans = candidates(made, STRATEGIES)
    assert [plan.strategy for plan in plans] == [
        "single_store:pg",
        "single_store:maria",
        "single_store:duck",
        "naive",
        "proximity",
        "proximity_by_strength",
        "paper_partition_1",
        "paper_partition_2",
        "greedy",
        "optimal",
        "throughput",
    ]
    for plan in plans:
        assert check(made, plan) == plan.violations
        assert (plan.outcome is Outcome.INFEASIBLE) == (not plan.feasible)
    assert plans[-2].outcome is Outcome.OPTIMAL


def test_strategies_are_equal_for_equal_problems():
    assert candidates(tpcds(), STRATEGIES) == candidates(tpcds(), STRATEGIES)


def test_an_unknown_strategy_names_the_nearest():
    with pytest.raises(ConfigurationError, match="'optimall' is no strategy: the nearest is 'opt"):
        candidates(tpcds(), ["optimall"])


def test_a_single_store_over_its_capacity_is_a_reference():
    plans = candidates(tpcds(), ["single_store"])
    assert [plan.outcome for plan in plans] == [Outcome.INFEASIBLE] * 3
    assert all("over its capacity" in plan.violations[0] for plan in plans)


def test_a_single_store_with_room_and_no_pins_against_it_is_feasible():
    made = problem({"t": 1}, [store("a"), store("b")], [query("q", ("t",))], pin={"t": "b"})
    a, b = candidates(made, ["single_store"])
    assert (a.outcome, b.outcome) == (Outcome.INFEASIBLE, Outcome.FEASIBLE)


def held_bytes(made, plan):
    return {
        each.name: sum(b for t, b in made.table_bytes.items() if each.name in plan.placement[t])
        for each in made.stores
    }


def test_naive_fills_stores_evenly_for_their_capacities():
    made = problem(dict.fromkeys("abcdefghij", 10), [store("x", 80), store("y", 40)])
    assert held_bytes(made, Naive()(made)) == {"x": 70, "y": 30}


def test_naive_fills_unlimited_stores_evenly():
    made = problem(dict.fromkeys("abcdef", 10), [store("x"), store("y")])
    assert held_bytes(made, Naive()(made)) == {"x": 30, "y": 30}


def test_naive_respects_pins_and_exclusions():
    made = problem({"t": 50, "u": 10}, [store("x"), store("y")], pin={"u": "x"}, exclude={"t": "y"})
    assert Naive()(made).placement == {"t": ("x",), "u": ("x",)}


def found_channels():
    made = tpcds()
    return {frozenset(group) for group in channels(made.graph, made.table_bytes)}


def test_proximity_groups_a_channels_sales_returns_and_what_only_they_use():
    assert found_channels() == {
        frozenset(
            {
                "store_sales",
                "store_returns",
                "store",
                "reason",
                "household_demographics",
                "income_band",
            }
        ),
        frozenset({"catalog_sales", "catalog_returns", "catalog_page", "call_center"}),
        frozenset({"web_sales", "web_returns", "web_page", "web_site"}),
        frozenset({"inventory", "warehouse"}),
    }


def test_proximity_gives_the_largest_channels_stores_of_their_own():
    placement = Proximity()(tpcds()).placement
    homes = {channel: placement[f"{channel}_sales"] for channel in ("store", "catalog", "web")}
    assert len(set(homes.values())) == 3
    for channel, home in homes.items():
        assert placement[f"{channel}_returns"] == home


def test_proximity_keeps_capacities_where_a_channel_fits_in_no_store():
    made = problem(
        {"fact": 60, "a": 30, "b": 30},
        [store("x", 70), store("y", 60)],
        graph=joined(("fact.a_sk", "a.a_sk"), ("fact.b_sk", "b.b_sk")),
    )
    plan = Proximity()(made)
    assert plan.feasible
    assert plan.placement == {"fact": ("x",), "a": ("y",), "b": ("y",)}


def test_proximity_of_a_workload_without_joins_is_balanced_by_bytes():
    made = problem(dict.fromkeys("abcdef", 10), [store("x"), store("y")])
    assert Proximity()(made).placement == Naive()(made).placement


CHANNELS = ("store", "catalog", "web")


def by_strength(fast):
    """Place three channels of one size, each with a query, where store `fast[c]` is fast at c's.

    Stores differ in what they scan in a second, so that the slowest store would cost most.
    """
    sizes = {f"{c}_{kind}": 100 for c in CHANNELS for kind in ("sales", "returns")}
    sizes |= {"inventory": 10, "warehouse": 5, "item": 5, "date_dim": 5}
    return problem(
        sizes,
        [store(name, None, speed=speed) for name, speed in fast.items()],
        [
            query(c, (f"{c}_sales", f"{c}_returns"), executions=executions)
            for c, executions in zip(CHANNELS, (1.0, 10.0, 100.0), strict=True)
        ],
        graph=joined(
            *(
                (f"{c}_{kind}.{column}", target)
                for c in CHANNELS
                for kind in ("sales", "returns")
                for column, target in (("item", "item.id"), ("date", "date_dim.id"))
            ),
            *((f"{c}_returns.number", f"{c}_sales.number") for c in CHANNELS),
            ("inventory.item", "item.id"),
            ("inventory.date", "date_dim.id"),
            ("inventory.warehouse", "warehouse.id"),
        ),
    )


def test_by_strength_the_channel_that_is_asked_most_gets_the_fastest_store():
    placement = ProximityByStrength()(by_strength({"a": 1.0, "b": 100.0, "c": 10.0})).placement
    homes = {c: placement[f"{c}_sales"] for c in CHANNELS}
    assert homes == {"web": ("b",), "catalog": ("c",), "store": ("a",)}
    assert all(placement[f"{c}_returns"] == home for c, home in homes.items())


def test_by_strength_inventory_comes_after_the_channels_into_the_store_with_the_least():
    made = by_strength({"a": 1.0, "b": 100.0, "c": 10.0})
    larger = replace(made, table_bytes={**made.table_bytes, "web_sales": 200, "store_sales": 150})
    placement = ProximityByStrength()(larger).placement
    assert placement["inventory"] == placement["warehouse"] == placement["catalog_sales"]


def test_by_strength_a_channel_goes_where_it_fits():
    made = by_strength({"a": 1.0, "b": 100.0, "c": 10.0})
    tight = tuple(
        replace(each, capacity_bytes=150 if each.name == "b" else None) for each in made.stores
    )
    plan = ProximityByStrength()(replace(made, stores=tight))
    assert plan.feasible
    assert plan.placement["web_sales"] == ("c",)


def test_by_strength_a_single_fact_is_a_channel_where_no_fact_has_another():
    made = problem(
        {"fact": 60, "a": 3, "b": 3},
        [store("x", None, speed=1.0), store("y", None, speed=9.0)],
        [query("q", ("fact", "a"))],
        graph=joined(("fact.a_sk", "a.a_sk"), ("fact.b_sk", "b.b_sk")),
    )
    assert ProximityByStrength()(made).placement == dict.fromkeys(("fact", "a", "b"), ("y",))


def test_a_partition_of_the_paper_has_every_table_of_tpcds_once():
    for partition in PARTITIONS.values():
        tables = [table for each in partition.values() for table in each.split()]
        assert len(tables) == 24
        assert sorted(tables) == TPCDS


def test_the_papers_accumulo_is_duckdb_as_long_as_there_is_no_accumulo():
    plan = PaperPartition(number=1)(tpcds())
    assert plan.placement["store_sales"] == ("duck",)
    assert plan.placement["item"] == ("pg",)
    assert plan.placement["customer"] == ("maria",)
    assert plan.outcome is Outcome.INFEASIBLE
    assert PaperPartition(number=2)(tpcds(duck_kind="accumulo")).placement["reason"] == ("duck",)


def test_a_table_that_the_paper_does_not_have_goes_where_there_is_room():
    plan = PaperPartition(number=2)(tpcds(more={"notes": 3}))
    assert plan.placement["notes"] == ("duck",)


def test_the_papers_partitions_of_other_tables_or_stores_are_a_users_error():
    with pytest.raises(ConfigurationError, match=r"this catalog lacks call_center, catalog_page"):
        PaperPartition(number=1)(problem({"t": 1}, [store("a")]))
    with pytest.raises(ConfigurationError, match=r"kind accumulo or duckdb"):
        PaperPartition(number=1)(tpcds(duck_kind="sqlite"))
