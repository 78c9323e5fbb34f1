"""Checks a plan against its problem without the solver: feasibility, routing and cost."""

from collections import Counter
from collections.abc import Iterator, Mapping
from math import isclose

from placement.plan import Outcome, PlacementPlan, RoutedFragment
from placement.problem import PlacementProblem, QueryProblem
from placement.sizes import human_bytes

RELATIVE_TOLERANCE = 1e-9
GAP_TOLERANCE = 1e-6
"""The gap up to which a plan may call itself OPTIMAL: the solver's own tolerance."""
NAMED_TABLES = 3


def check(problem: PlacementProblem, plan: PlacementPlan) -> tuple[str, ...]:
    """Return, in sentences, every hard limit and every promise that the plan breaks."""
    return (
        *limits(problem, plan.placement),
        *_routing(problem, plan),
        *_claims(problem, plan),
    )


def limits(problem: PlacementProblem, placement: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Return the hard limits that a placement breaks: names, pins, exclusions, copies, bytes."""
    return (
        *_names(problem, placement),
        *_pins(problem, placement),
        *_copies(problem, placement),
        *_capacities(problem, placement),
    )


def _names(problem: PlacementProblem, placement: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    """Every table is in a store, and all tables and stores are known."""
    known = {store.name for store in problem.stores}
    for table in problem.table_bytes:
        if not placement.get(table):
            yield f"Table '{table}' is in no store: place it in one of {', '.join(sorted(known))}."
    for table, stores in placement.items():
        if table not in problem.table_bytes:
            yield f"Table '{table}' is placed and is none of the problem's tables."
        for store in stores:
            if store not in known:
                yield (
                    f"Table '{table}' is placed in store '{store}', which is none of "
                    f"{', '.join(sorted(known))}."
                )
        if list(stores) != sorted(set(stores)):
            yield f"Table '{table}' lists its stores unsorted or twice: {', '.join(stores)}."


def _pins(problem: PlacementProblem, placement: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    """A pinned table is in the stores that must hold it, an excluded one in none of the others."""
    for table, stores in problem.constraints.pin.items():
        for store in sorted(stores.difference(placement.get(table, ()))):
            yield (
                f"Table '{table}' is not in store '{store}', to which it is pinned: "
                f"place it there, or take it out of [constraints].pin."
            )
    for table, stores in problem.constraints.exclude.items():
        for store in sorted(stores.intersection(placement.get(table, ()))):
            yield (
                f"Table '{table}' is in store '{store}', from which it is excluded: "
                f"move it, or take it out of [constraints].exclude."
            )


def _copies(problem: PlacementProblem, placement: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    """A table is in no more stores than allowed."""
    most = problem.constraints.max_copies
    for table, stores in placement.items():
        if len(stores) > most:
            yield (
                f"Table '{table}' is in {len(stores)} stores ({', '.join(stores)}), more than the "
                f"{most} allowed: drop a copy, or raise [place].max_copies."
            )


def _capacities(
    problem: PlacementProblem, placement: Mapping[str, tuple[str, ...]]
) -> Iterator[str]:
    """What a store holds fits its capacity."""
    for store in problem.stores:
        tables = [t for t in problem.table_bytes if store.name in placement.get(t, ())]
        held = sum(problem.table_bytes[table] for table in tables)
        if store.capacity_bytes is None or held <= store.capacity_bytes:
            continue
        pin = problem.constraints.pin
        free = [t for t in tables if store.name not in pin.get(t, frozenset())]
        largest = sorted(free or tables, key=lambda table: -problem.table_bytes[table])
        move = ", ".join(largest[:NAMED_TABLES])
        over = human_bytes(held - store.capacity_bytes)
        yield (
            f"Store '{store.name}' would hold {human_bytes(held)}, {over} over its capacity of "
            f"{human_bytes(store.capacity_bytes)}: raise [stores.{store.name}].capacity, or let "
            f"{'one of ' if len(largest) > 1 else ''}{move} move."
        )


def _routing(problem: PlacementProblem, plan: PlacementPlan) -> Iterator[str]:
    """Every query is routed, and no other."""
    for query in problem.queries:
        if query.name not in plan.routing:
            yield f"Query '{query.name}' has no routing."
            continue
        routed = plan.routing[query.name]
        yield from _cover(query, routed)
        for each in routed:
            yield from _runnable(problem, plan, query, each)
    for name in plan.routing.keys() - {query.name for query in problem.queries}:
        yield f"Query '{name}' is routed and is none of the problem's queries."


def _cover(query: QueryProblem, routed: tuple[RoutedFragment, ...]) -> Iterator[str]:
    """Every source is covered exactly once, by fragments of this query."""
    times = Counter(source for each in routed for source in each.fragment.sources)
    for source in query.sources:
        if times[source] != 1:
            yield (
                f"Source '{source}' of query '{query.name}' is covered {times[source]} times "
                f"by its fragments, not once."
            )
    for source in sorted(times.keys() - set(query.sources)):
        yield f"Query '{query.name}' is routed over '{source}', which is none of its sources."


def _runnable(
    problem: PlacementProblem, plan: PlacementPlan, query: QueryProblem, routed: RoutedFragment
) -> Iterator[str]:
    """A fragment runs in a store that holds its tables and is capable, at the cost it states."""
    fragment, where = routed.fragment, f"Fragment '{routed.fragment.name}' in '{routed.store}'"
    if fragment not in query.fragments:
        yield f"{where} is none of the fragments of query '{query.name}'."
    stores = {store.name: store for store in problem.stores}
    if routed.store not in stores:
        yield f"{where} runs in a store that is none of {', '.join(sorted(stores))}."
        return
    store = stores[routed.store]
    for table in sorted(fragment.tables):
        if store.name not in plan.placement.get(table, ()):
            yield f"{where} reads table '{table}', of which there is no copy in that store."
    if fragment.kind not in store.capabilities:
        yield f"{where} is a {fragment.kind}, which a store of kind '{store.kind}' cannot run."
    for feature in sorted(fragment.features & store.lacks):
        yield f"{where} needs {feature}, which a store of kind '{store.kind}' cannot run."
    cost = problem.costs.fragment(fragment, store, len(query.sources)).total_s
    if not isclose(cost, routed.predicted_s, rel_tol=RELATIVE_TOLERANCE):
        yield f"{where} costs {cost:.9g} s, and the plan states {routed.predicted_s:.9g} s."


def _claims(problem: PlacementProblem, plan: PlacementPlan) -> Iterator[str]:
    """The plan's cost, bound and outcome are what its parts make of them."""
    cost = _cost(problem, plan)
    if cost is not None and not isclose(cost, plan.predicted_s, rel_tol=RELATIVE_TOLERANCE):
        yield f"The plan costs {cost:.9g} s, and states {plan.predicted_s:.9g} s."
    gap = None
    if plan.bound_s is not None:
        gap = (plan.predicted_s - plan.bound_s) / max(plan.predicted_s, 1e-300)
        if gap < -RELATIVE_TOLERANCE:
            yield (
                f"The plan's bound of {plan.bound_s:.9g} s is above its cost of "
                f"{plan.predicted_s:.9g} s."
            )
    if plan.outcome is Outcome.OPTIMAL and (gap is None or gap > GAP_TOLERANCE):
        shown = "no bound" if gap is None else f"a gap of {gap:.2g}"
        yield f"The plan states OPTIMAL with {shown}; {GAP_TOLERANCE:g} is allowed."
    if plan.violations != limits(problem, plan.placement):
        yield "The plan does not state exactly the hard limits that it breaks."
    if (plan.outcome is Outcome.INFEASIBLE) != bool(plan.violations):
        yield f"The plan states {plan.outcome} and {len(plan.violations)} violations."


def _cost(problem: PlacementProblem, plan: PlacementPlan) -> float | None:
    """Return the weighted seconds of the plan; None where it names what the problem lacks."""
    stores = {store.name: store for store in problem.stores}
    total = 0.0
    for query in problem.queries:
        for routed in plan.routing.get(query.name, ()):
            if routed.store not in stores:
                return None
            price = problem.costs.fragment(
                routed.fragment, stores[routed.store], len(query.sources)
            )
            total += query.executions * price.total_s
    for table, held in plan.placement.items():
        if table not in problem.table_bytes or not stores.keys() >= set(held):
            return None
        total += sum(problem.copy_s(table, stores[store]) for store in held)
    return total
