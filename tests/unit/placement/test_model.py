"""Each constraint alone, on instances of two lines; prices say what the solver would rather do."""

import pytest

from placement import model as models
from placement.stores import Capability
from tests.unit.placement.problems import problem, query, store
from workloads.errors import InfeasibleError

LIMIT_S = 10.0


def held(made, *constraints, price=1.0):
    """Return the (table, store) pairs of the cheapest x under `constraints` alone."""
    model = models.variables(made)
    for add in constraints:
        add(model, made)
    for variable in model.held.values():
        model.program.price(variable, price)
    answer = model.program.solve(seed=0, time_limit_s=LIMIT_S)
    return {pair for pair, variable in model.held.items() if answer.chosen(variable)}


def test_every_table_is_placed_though_no_query_reads_it():
    made = problem({"t": 1}, [store("a")])
    assert held(made) == set()
    assert held(made, models.add_placed) == {("t", "a")}


def test_what_a_store_holds_fits_its_capacity():
    made = problem({"t": 6, "u": 5, "v": 4}, [store("a", 10), store("b")])
    in_a = {table for table, where in held(made, models.add_capacity, price=-1.0) if where == "a"}
    assert in_a in ({"t", "v"}, {"u", "v"})


def test_a_pinned_table_is_in_the_stores_it_is_pinned_to():
    made = problem({"t": 1}, [store("a"), store("b"), store("c")], pin={"t": ("a", "c")})
    assert held(made, models.add_pins) == {("t", "a"), ("t", "c")}


def test_an_excluded_table_is_not_in_the_stores_it_is_excluded_from():
    made = problem({"t": 1}, [store("a"), store("b")], exclude={"t": ("a",)})
    assert held(made, models.add_exclusions, price=-1.0) == {("t", "b")}


def test_a_table_is_in_no_more_stores_than_allowed():
    made = problem({"t": 1}, [store("a"), store("b"), store("c")], max_copies=2)
    assert len(held(made, models.add_copies, price=-1.0)) == 2


def run(made, *constraints):
    """Return what is run, as (sources, store) → share, at the least price of fragments alone."""
    model = models.variables(made)
    for add in constraints:
        add(model, made)
    options = [pair for pairs in model.run.values() for pair in pairs]
    for option, variable in options:
        model.program.price(variable, option.cost_s)
    for variable in model.held.values():
        model.program.price(variable, 1e-3)
    answer = model.program.solve(seed=0, time_limit_s=LIMIT_S)
    shares = {(o.fragment.sources, o.store): answer[variable] for o, variable in options}
    places = {pair for pair, variable in model.held.items() if answer.chosen(variable)}
    return {key for key, share in shares.items() if share > 0.5}, places


def test_every_source_is_covered_exactly_once():
    made = problem({"t": 1, "u": 1}, [store("a")], [query("q", ("t", "u"), whole=False)])
    assert run(made)[0] == set()
    assert run(made, models.add_cover)[0] == {(("b.t",), "a"), (("b.u",), "a")}


def test_a_source_is_covered_only_where_its_table_is():
    made = problem({"t": 1}, [store("a")], [query("q", ("t",), whole=False)])
    assert run(made, models.add_cover)[1] == set()
    assert run(made, models.add_cover, models.add_link)[1] == {("t", "a")}


def test_the_link_needs_every_table_of_a_join():
    made = problem({"t": 1, "u": 1}, [store("a")], [query("q", ("t", "u"), joins=[("t", "u")])])
    _, places = run(made, models.add_cover, models.add_link)
    assert places == {("t", "a"), ("u", "a")}


def test_a_store_runs_no_fragment_that_it_is_not_capable_of():
    scans = store("a", capabilities=frozenset({Capability.SCAN}), speed=100.0)
    able = store("b", lacks=("rollup",), speed=100.0)
    made = problem({"t": 1}, [scans, able], [query("q", ("t",), features=("rollup",))])
    kinds = {(o.fragment.kind, o.store) for o, _ in models.variables(made).run["q"]}
    assert kinds == {(Capability.SCAN, "a"), (Capability.SCAN, "b")}


def test_the_bound_is_below_the_cost_of_any_plan_and_above_the_simple_floor():
    made = problem(
        {"t": 100, "u": 100}, [store("a", 100), store("b", 100)], [query("q", ("t", "u"))]
    )
    solution = models.solve(made, time_limit_s=LIMIT_S)
    assert solution.proven
    assert models.floor_s(models.variables(made), made) <= solution.bound_s


def test_capacities_hold_to_the_byte_beyond_the_solvers_tolerance():
    tables = {"t": 5 * 10**11, "u": 5 * 10**11 + 1}
    made = problem(
        tables,
        [store("a", 10**12, speed=5.0), store("b", 10**12)],
        [query("q", ("t", "u"))],
        upkeep=0.0,
    )
    placement = models.solve(made, time_limit_s=LIMIT_S).placement
    assert {len(stores) for stores in placement.values()} == {1}
    assert placement["t"] != placement["u"]


def message(made):
    with pytest.raises(InfeasibleError) as caught:
        models.solve(made, time_limit_s=LIMIT_S)
    return str(caught.value)


def test_more_bytes_than_all_stores_hold_says_how_much_over():
    text = message(
        problem({"t": 8 * 10**9, "u": 10**9}, [store("a", 10**9), store("b", 7 * 10**9)])
    )
    assert "8 GB" in text
    assert "'b', the largest store" in text
    made = problem({"t": 6 * 10**9, "u": 4 * 10**9}, [store("a", 2 * 10**9), store("b", 7 * 10**9)])
    assert message(made) == (
        "The tables have 10 GB, 1 GB over the capacity of 9 GB of all stores together: raise "
        "[stores.a].capacity or [stores.b].capacity, or place less; the largest tables are "
        "t (6 GB), u (4 GB)."
    )


def test_a_packing_that_does_not_exist_names_the_least_overflow():
    made = problem({"t": 6000, "u": 6000, "v": 6000}, [store("a", 10_000), store("b", 11_000)])
    assert message(made) == (
        "No placement fits the stores' capacities. In the one that is least over, store 'b' is "
        "1 kB over its capacity: raise [stores.b].capacity to 12 kB, or move less: the largest "
        "tables are t (6 kB), u (6 kB), v (6 kB)."
    )


def test_pins_that_overfill_a_store_are_named_with_their_sizes():
    made = problem(
        {"t": 600, "u": 500, "v": 1}, [store("a", 1000), store("b")], pin={"t": "a", "u": "a"}
    )
    assert message(made) == (
        "The tables pinned to store 'a' are 100 B over its capacity of 1 kB: t (600 B), "
        "u (500 B). Raise [stores.a].capacity, or pin less."
    )


def test_pins_against_exclusions_and_copies_are_contradictions():
    stores = [store("a"), store("b")]
    both = problem({"t": 1}, stores, pin={"t": "a"}, exclude={"t": "a"})
    assert "both pinned to and excluded from store 'a'" in message(both)
    assert "raise [place].max_copies" in message(problem({"t": 1}, stores, pin={"t": "ab"}))
    assert "excluded from every store" in message(problem({"t": 1}, stores, exclude={"t": "ab"}))


def test_a_query_that_no_store_may_run_is_named():
    scanless = store("a", capabilities=frozenset({Capability.JOIN}))
    made = problem({"t": 1}, [scanless], [query("q", ("t",))])
    assert message(made).startswith("Query 'q' reads b.t, which no store")
