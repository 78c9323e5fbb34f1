"""Each constraint alone, on instances of two lines; prices say what the solver would rather do."""

import importlib
import inspect
import pkgutil

from placement import constraints
from placement.constraints import CONSTRAINTS, OF_KIND
from placement.constraints.constraint import Constraint
from placement.constraints.queries import Queries, add_cover, add_link, add_overlap
from placement.exact import model
from placement.programs.variables import variables
from tests.unit.placement.problems import problem, query, store

LIMIT_S = 10.0
ALL = {each.kind: each.add for each in CONSTRAINTS if not isinstance(each, Queries)} | {
    "cover": add_cover,
    "link": add_link,
    "overlap": add_overlap,
}


def held(made, *names, price=1.0):
    """Return the (table, store) pairs of the cheapest x under the constraints named alone."""
    built = variables(made, {each.name for each in made.queries})
    for name in names:
        ALL[name](built, made)
    for variable in built.held.values():
        built.program.price(variable, price)
    answer = built.program.solve(seed=0, time_limit_s=LIMIT_S)
    return {pair for pair, variable in built.held.items() if answer.chosen(variable)}


def test_every_table_is_placed_though_no_query_reads_it():
    made = problem({"t": 1}, [store("a")])
    assert held(made) == set()
    assert held(made, "placed") == {("t", "a")}


def test_what_a_store_holds_fits_its_capacity():
    made = problem({"t": 6, "u": 5, "v": 4}, [store("a", 10), store("b")])
    in_a = {table for table, where in held(made, "capacity", price=-1.0) if where == "a"}
    assert in_a in ({"t", "v"}, {"u", "v"})


def test_a_pinned_table_is_in_the_stores_it_is_pinned_to():
    made = problem({"t": 1}, [store("a"), store("b"), store("c")], pin={"t": ("a", "c")})
    assert held(made, "pin") == {("t", "a"), ("t", "c")}


def test_an_excluded_table_is_not_in_the_stores_it_is_excluded_from():
    made = problem({"t": 1}, [store("a"), store("b")], exclude={"t": ("a",)})
    assert held(made, "exclude", price=-1.0) == {("t", "b")}


def test_tables_that_belong_together_are_in_the_same_stores():
    made = problem({"t": 1, "u": 1}, [store("a"), store("b")], together=["tu"], pin={"t": "a"})
    assert held(made, "pin", "together") == {("t", "a"), ("u", "a")}


def test_tables_that_belong_apart_share_no_store():
    made = problem({"t": 1, "u": 1, "v": 1}, [store("a"), store("b")], apart=["tuv"])
    assert len(held(made, "apart", price=-1.0)) == 2


def test_the_bytes_in_a_store_stay_near_the_mean_over_all_stores():
    made = problem({"t": 6, "u": 4, "v": 2}, [store("a"), store("b")], balance=0.1, pin={"t": "a"})
    assert held(made, "placed", "pin", "balance") == {
        ("t", "a"),
        ("u", "b"),
        ("v", "b"),
    }


def test_the_mean_that_a_store_stays_near_counts_copies():
    made = problem({"t": 6}, [store("a"), store("b")], balance=0.5)
    assert held(made, "placed", "balance") == {("t", "a"), ("t", "b")}


def test_a_table_is_in_no_more_stores_than_allowed():
    made = problem({"t": 1}, [store("a"), store("b"), store("c")], max_copies=2)
    assert len(held(made, "max_copies", price=-1.0)) == 2


def test_the_first_copy_of_a_table_is_not_of_the_budget_for_copies():
    made = problem({"t": 6, "u": 5}, [store("a"), store("b")], max_copy_bytes=5)
    assert len(held(made, "placed", "max_copy_bytes", price=-1.0)) == 3
    none = problem({"t": 6, "u": 5}, [store("a"), store("b")], max_copy_bytes=4)
    assert len(held(none, "placed", "max_copy_bytes", price=-1.0)) == 2


def test_no_more_copies_than_allowed_are_new_to_the_current_placement():
    stores = [store("a"), store("b")]
    made = problem({"t": 1, "u": 1}, stores, current={"t": ("a",), "u": ("a",)}, max_moves=1)
    assert len(held(made, "max_moves", price=-1.0)) == 3
    anew = problem({"t": 1, "u": 1}, stores, max_moves=1)
    assert len(held(anew, "max_moves", price=-1.0)) == 4


def test_the_bytes_of_new_copies_fit_their_budget():
    current = {"t": ("a",), "u": ("a",)}
    made = problem({"t": 6, "u": 5}, [store("a"), store("b")], current=current, max_move_bytes=5)
    assert held(made, "max_move_bytes", price=-1.0) == {("t", "a"), ("u", "a"), ("u", "b")}


def test_storage_fits_the_budget_of_money():
    stores = [store("a", storage=1.0), store("b", storage=2.0)]
    made = problem({"t": 10}, stores, max_money=29.0)
    assert held(made, "max_money", price=-1.0) in ({("t", "a")}, {("t", "b")})


def routed(made, *names):
    """Return the (table, store) and the (sources, store) of the cheapest plan without `names`."""
    built = variables(made, {each.name for each in made.queries})
    for name, add in ALL.items():
        if name not in names:
            add(built, made)
    model.add_objective(built, made)
    answer = built.program.solve(seed=0, time_limit_s=LIMIT_S)
    places = {pair for pair, variable in built.held.items() if answer.chosen(variable)}
    run = {
        (option.fragment.sources, option.store)
        for options in built.run.values()
        for option, variable in options
        if answer.chosen(variable)
    }
    return places, run


def test_every_source_is_covered_exactly_once():
    made = problem({"t": 1, "u": 1}, [store("a")], [query("q", ("t", "u"), whole=False)])
    assert routed(made, "cover")[1] == set()
    assert routed(made)[1] == {(("b.t",), "a"), (("b.u",), "a")}


def test_a_source_is_covered_only_where_its_table_is():
    stores = [store("a", 0), store("b", speed=0.1)]
    made = problem({"t": 1}, stores, [query("q", ("t",), whole=False)])
    assert routed(made, "link") == ({("t", "b")}, {(("b.t",), "a")})
    assert routed(made) == ({("t", "b")}, {(("b.t",), "b")})


def test_a_join_is_covered_only_where_every_table_of_it_is():
    made = problem(
        {"t": 1, "u": 1},
        [store("a"), store("b")],
        [query("q", ("t", "u"), joins=[("t", "u")], whole=False)],
        apart=["tu"],
    )
    assert routed(made, "link")[1] in ({(("b.t", "b.u"), "a")}, {(("b.t", "b.u"), "b")})
    assert {sources for sources, _ in routed(made)[1]} == {("b.t",), ("b.u",)}


def test_fragments_in_one_store_follow_each_other_and_those_in_two_do_not():
    made = problem(
        {"t": 1, "u": 1},
        [store("a"), store("b", speed=0.9)],
        [query("q", ("t", "u"), whole=False)],
        objective="latency",
    )
    assert len({where for _, where in routed(made, "overlap")[1]}) == 1
    assert len({where for _, where in routed(made)[1]}) == 2


def test_transfer_fits_the_budget_of_money():
    stores = [store("dear", transfer=1.0), store("slow", speed=0.1)]
    made = problem({"t": 1}, stores, [query("q", ("t",), whole=False)], max_money=399.0)
    assert routed(made, "max_money")[0] == {("t", "dear")}
    assert routed(made)[0] == {("t", "slow")}


def test_a_query_with_a_ceiling_takes_no_longer():
    stores = [store("fast"), store("slow", speed=0.1)]
    made = problem(
        {"t": 1000},
        stores,
        [query("q", ("t",), whole=False)],
        upkeep=1.0,
        current={"t": ("slow",)},
        horizon=1e-9,
        latency_s={"q": 2.0},
    )
    assert routed(made, "latency_s")[0] == {("t", "slow")}
    assert routed(made)[0] == {("t", "fast")}


def test_every_constraint_of_a_file_is_registered_and_says_in_one_sentence_what_it_is():
    modules = [
        importlib.import_module(f"{constraints.__name__}.{module.name}")
        for module in pkgutil.iter_modules(constraints.__path__)
    ]
    written = {
        each
        for module in modules
        for each in vars(module).values()
        if inspect.isclass(each) and issubclass(each, Constraint) and not inspect.isabstract(each)
    }
    assert {type(each) for each in CONSTRAINTS} == written
    assert len(OF_KIND) == len(CONSTRAINTS)
    for each in (*CONSTRAINTS, add_cover, add_link, add_overlap):
        assert each.__doc__.count(".") == 1, each
