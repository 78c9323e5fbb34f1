"""A fault in a constraint or in the cost model is found by the check, which shares neither."""

import random
from dataclasses import replace

import pytest

from placement.constraints import CONSTRAINTS, OF_KIND
from placement.constraints.constraint import Broken
from placement.constraints.queries import Queries
from placement.corrections import Corrections
from placement.costs import CostModel
from placement.fragment import IndexRead, KeyTable
from placement.limits.check import check
from placement.limits.limits import broken_limits
from placement.limits.own_limits import broken
from placement.limits.own_prices import copy_s, fragment_s, month_money
from placement.pricing import money
from placement.routing.routing import plan_for
from placement.stores import Capability, waiting
from placement.strategies.optimal import Optimal
from placement.transfer.link import TransferSettings
from placement.transfer.streams import Streams
from tests.mind_thesis import HIGH_BANDWIDTH, LOW_BANDWIDTH
from tests.unit.placement.problems import changed, fragment, problem, query, store, strength
from tests.unit.placement.random_problems import random_problem
from workloads.errors import InfeasibleError
from workloads.indexes import NamedIndex

TABLES = {"t": 100, "u": 100}
QUERIES = (query("q", ("t", "u"), joins=[("t", "u")]),)
STORES = (store("a", storage=0.01), store("b", storage=0.01))
BOTH_IN_A = {"t": ("a",), "u": ("a",)}
PARTED = {"t": ("a",), "u": ("b",)}
COPIED = {"t": ("a", "b"), "u": ("a",)}
INDEX = NamedIndex("t", ("c",))
INDEXED = replace(store("a"), strength=replace(strength(), indexes=frozenset({INDEX})))
BREAKING = {
    "placed": ({"max_copies": 2}, {"t": ("b", "a"), "u": ("a",)}),
    "capacity": ({"stores": (store("a", 150), store("b"))}, BOTH_IN_A),
    "pin": ({"pin": {"t": "b"}}, BOTH_IN_A),
    "exclude": ({"exclude": {"t": "a"}}, BOTH_IN_A),
    "together": ({"together": ["tu"]}, PARTED),
    "apart": ({"apart": ["tu"]}, BOTH_IN_A),
    "balance": ({"balance": 0.5}, BOTH_IN_A),
    "max_copies": ({"max_copies": 1}, COPIED),
    "max_copy_bytes": ({"max_copies": 2, "max_copy_bytes": 99}, COPIED),
    "max_moves": ({"current": PARTED, "max_moves": 0}, BOTH_IN_A),
    "max_move_bytes": ({"current": PARTED, "max_move_bytes": 99}, BOTH_IN_A),
    "max_index_bytes": (
        {"stores": (INDEXED, store("b")), "index_bytes": {INDEX: 60}, "max_index_bytes": 59},
        BOTH_IN_A,
    ),
    "max_money": ({"max_money": 1.9}, BOTH_IN_A),
    "latency_s": ({"latency_s": {"q": 0.1}}, PARTED),
}
"""Kind of a limit → what sets it, and a placement that breaks it and no other."""


def asked(stores=STORES, **options):
    return problem(TABLES, stores, QUERIES, **options)


def test_every_constraint_has_a_placement_that_breaks_it_alone():
    assert BREAKING.keys() == {each.kind for each in CONSTRAINTS if not isinstance(each, Queries)}
    for kind, (options, placement) in BREAKING.items():
        plan = plan_for(asked(**options), "x", placement)
        kinds = {kind for kind, *_ in broken(asked(**options), placement, plan.routing)}
        assert kinds == {kind}
        assert check(asked(**options), plan) == plan.violations != ()


@pytest.mark.parametrize("kind", BREAKING)
def test_a_constraint_that_overlooks_what_breaks_it_is_found(monkeypatch, kind):
    options, placement = BREAKING[kind]
    monkeypatch.setattr(type(OF_KIND[kind]), "broken", lambda *_: iter(()))
    plan = plan_for(asked(**options), "x", placement)
    assert plan.feasible
    (sentence,) = check(asked(**options), plan)
    assert sentence.startswith(f"The limit '{kind}'")
    assert "is broken by the check's own reckoning" in sentence


@pytest.mark.parametrize("kind", BREAKING)
def test_a_constraint_that_tells_what_is_not_broken_is_found(monkeypatch, kind):
    constraint = type(OF_KIND[kind])
    wrong = Broken(limit=constraint.limit(), sentence="wrong")
    monkeypatch.setattr(constraint, "broken", lambda *_: iter((wrong,)))
    plan = plan_for(asked(), "x", BOTH_IN_A)
    assert plan.violations == ("wrong",)
    told, disputed = check(asked(), plan)
    assert told == "wrong"
    assert f"'{kind}' is kept by the check's own reckoning" in disputed


@pytest.mark.parametrize("part", ["start_s", "scan_s", "aggregate_s", "transfer_s", "engine_s"])
def test_a_wrong_price_of_a_fragment_is_found_in_the_optimum(monkeypatch, part):
    right = CostModel.fragment

    def cheap(costs, *arguments):
        cost = right(costs, *arguments)
        return replace(cost, **{part: 0.99 * getattr(cost, part)})

    made = problem({"t": 100}, STORES, [query("q", ("t",)), query("r", ("t",), whole=False)])
    assert check(made, Optimal()(made)) == ()
    monkeypatch.setattr(CostModel, "fragment", cheap)
    sentences = check(made, Optimal()(made))
    assert any(s.startswith("Fragment ") and "and the plan states" in s for s in sentences)
    assert any(s.startswith("The plan costs ") for s in sentences)


@pytest.mark.parametrize("method", ["upkeep_s", "load_s"])
def test_a_wrong_price_of_a_copy_is_found(monkeypatch, method):
    right = getattr(CostModel, method)
    monkeypatch.setattr(CostModel, method, lambda *arguments: 0.99 * right(*arguments))
    made = asked(current={"t": ("b",), "u": ("b",)})
    sentences = check(made, plan_for(made, "x", BOTH_IN_A))
    assert [s for s in sentences if s.startswith("The plan costs ")] == list(sentences) != []


@pytest.mark.parametrize("method", ["storage_money", "transfer_money"])
def test_a_wrong_price_in_money_is_found_where_the_plan_is_over_its_budget(monkeypatch, method):
    stores = (store("a", storage=0.01, transfer=0.25),)
    made = asked(stores, max_money=2.9)
    assert not plan_for(made, "x", BOTH_IN_A).feasible
    monkeypatch.setattr(CostModel, method, lambda *_: 0.0)
    plan = plan_for(made, "x", BOTH_IN_A)
    assert plan.feasible
    (sentence,) = check(made, plan)
    assert sentence.startswith("The limit 'max_money' is broken")


LOADED = KeyTable(source="b.x", keys=6e4, rows=9e4)


def drawn_fragment(rng):
    """A fragment with every feature that its price has, each in some."""
    kind = rng.choice((Capability.SCAN, Capability.JOIN, Capability.BLOCK, Capability.QUERY))
    size = rng.choice((10.0, 1e7))
    plain = fragment("q", ("t", "u"), {"t": "t", "u": "u"}, rows=size, kind=kind)
    return changed(
        plain,
        readings=rng.choice((1.0, 3.0)),
        reducers=rng.choice(((), ("b.x",), ("b.x", "b.y"))),
        keys=rng.choice((0.0, 5e4)),
        key_tables=rng.choice(((), (LOADED,), (LOADED, LOADED))),
        combine_rows=rng.choice((0.0, 40.0)),
        delivered_rows=rng.choice((0.0, 7.0)),
        tables_bytes=rng.choice((0.0, 150.0, 400.0)),
        clustered_bytes=rng.choice((None, 20.0)),
        key_range_bytes=rng.choice((None, 30.0)),
        repeats=rng.choice((None, None, "q/b.v")),
        join_rows=rng.choice((100.0, 300.0)),
        conditions=rng.choice((0.0, 5000.0)),
        decimals_out=rng.choice((0.0, 3.0)),
        read_row_bytes=rng.choice((None, 4.0)),
        read_row_values=rng.choice((0.0, 5.0)),
        index_reads=tuple(drawn_reads(rng)),
    )


def drawn_reads(rng):
    """Ways to read each source by an index, none and several, for both layouts."""
    for source in ("b.t", "b.u"):
        for _ in range(rng.randint(0, 3)):
            yield IndexRead(
                source=source,
                clustered=rng.random() < 0.5,
                rows=rng.uniform(1.0, 30.0),
                spared_bytes=rng.uniform(1.0, 10.0),
                spared_rows=rng.choice((0.0, 50.0)),
                touched_bytes=rng.choice((0.0, 80.0, 300.0)),
                fetched_pages=rng.choice((0.0, 500.0)),
                table_bytes=rng.choice((0.0, 400.0)),
            )


def drawn_store(rng):
    plain = store("a", speed=rng.choice((1.0, 7.0)))
    return replace(
        plain,
        strength=replace(
            plain.strength,
            columnar=rng.random() < 0.5,
            most_driver_rows=rng.choice((0, 1_000)),
            clustered=rng.random() < 0.5,
            key_ranges=rng.random() < 0.5,
            repeats_ctes=rng.random() < 0.5,
            portions=rng.random() < 0.5,
            link=rng.choice((waiting(0.01), HIGH_BANDWIDTH, LOW_BANDWIDTH)),
            kept_bytes=rng.choice((None, 0.0, 90.0)),
            missed_bytes_per_s=rng.choice((200e6, 500.0)),
            pool_bytes=rng.choice((None, 0.0, 90.0)),
            missed_pages_per_s=rng.choice((12_000.0, 500.0)),
            index_rows_per_s=rng.choice((None, 500.0, 5000.0)),
            conditions_per_s=rng.choice((None, 500.0)),
            scan_rows_per_s=rng.choice((None, 50.0)),
            scan_values_per_s=rng.choice((None, 200.0)),
            transfer_decimals_per_s=rng.choice((None, 500.0)),
            driver_rows_per_s=rng.choice((None, 500.0)),
        ),
    )


def test_the_price_of_any_fragment_is_that_of_the_cost_model():
    rng = random.Random(0)
    for _ in range(2000):
        each, where, sources = drawn_fragment(rng), drawn_store(rng), rng.randint(2, 5)
        made = asked()
        engine = replace(made.costs.engine, own_drivers=rng.random() < 0.5)
        known = rng.choice((None, Corrections(stores={"a": 3.0}, rest=0.5)))
        made = replace(made, costs=replace(made.costs, engine=engine, corrections=known))
        transfer = rng.choice((None, TransferSettings(fetch_rows=3_000, message_bytes=2_048)))
        if transfer is not None and rng.random() < 0.7:
            again, count = rng.random() < 0.5, rng.randint(1, 4)
            streams = Streams(count=count, column="t.id", computed_again=again)
            transfer = replace(transfer, streams=streams)
        cost = made.costs.fetched(each, where, sources, transfer)
        store_s, engine_s = fragment_s(made, each, where, sources, transfer)
        assert (store_s + engine_s, engine_s) == pytest.approx(
            (cost.total_s, cost.engine_s), rel=1e-12
        )


def with_random_indexes(made, rng):
    """Return the problem with an index of each table chosen for some stores, and a budget."""
    indexes = {NamedIndex(table, ("c",)): rng.randint(1, 9) * 10 for table in made.table_bytes}
    limits = replace(made.constraints, max_index_bytes=rng.choice((None, 20, 200)))
    asked = replace(made, index_bytes=indexes, constraints=limits)
    chosen = {s.name: rng.sample(list(indexes), rng.randint(0, 2)) for s in made.stores}
    return asked.with_indexes(chosen)


def test_the_limits_and_prices_of_random_plans_are_those_of_the_constraints_and_the_cost_model():
    kinds = set()
    for seed in range(300):
        rng = random.Random(seed)
        made = with_random_indexes(random_problem(rng), random.Random(seed))
        names = [each.name for each in made.stores]
        placement = {
            table: tuple(sorted(rng.sample(names, rng.randint(1, 2)))) for table in made.table_bytes
        }
        try:
            plan = plan_for(made, "random", placement)
        except InfeasibleError:
            continue
        own = broken(made, placement, plan.routing)
        told = broken_limits(made, placement, plan.routing)
        assert own == {(each.limit.kind, *each.limit.subject) for each in told}
        assert month_money(made, placement, plan.routing) == pytest.approx(
            sum(money(made, placement, plan.routing))
        )
        for table, stores in placement.items():
            for each in (made.store(name) for name in stores):
                assert copy_s(made, table, each) == pytest.approx(made.copy_s(table, each))
        kinds |= {kind for kind, *_ in own}
    assert kinds >= BREAKING.keys() - {"placed"}
