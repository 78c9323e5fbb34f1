"""Checks a plan against its problem without the solver: feasibility, routing and cost.

Which limits are broken, and all prices, are reckoned here anew (`own_limits`, `own_prices`): a
fault in a constraint or in the cost model shows as a sentence. A constraint only words what it and
the check agree on.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from math import isclose

from placement.constraints.constraint import Broken
from placement.fragment import Fragment, members
from placement.limits.limits import broken_limits
from placement.limits.own_limits import broken
from placement.limits.own_prices import begun_and_handed_s, copy_s, fragment_s, run_s
from placement.plan import Outcome, PlacementPlan, RoutedFragment
from placement.problem import PlacementProblem, QueryProblem
from placement.stores import Store

RELATIVE_TOLERANCE = 1e-9
GAP_TOLERANCE = 1e-6
"""The gap up to which a plan may call itself OPTIMAL: the solver's own tolerance."""


def check(problem: PlacementProblem, plan: PlacementPlan) -> tuple[str, ...]:
    """Return, in sentences, every hard limit and every promise that the plan breaks."""
    asked, problem = problem, problem.with_indexes(plan.indexes)
    told = broken_limits(problem, plan.placement, plan.routing)
    return (
        *_indexes(asked, plan),
        *(each.sentence for each in told),
        *_disputed(problem, plan, told),
        *_routing(problem, plan),
        *_claims(problem, plan, told),
    )


def _indexes(problem: PlacementProblem, plan: PlacementPlan) -> Iterator[str]:
    """Indexes are those that may be chosen, of copies that there are."""
    for store, indexes in plan.indexes.items():
        offered = problem.candidates.get(store, ()) if problem.candidates else problem.index_bytes
        for index in indexes:
            if index not in offered:
                yield f"Index {index} in '{store}' is none that may be chosen there."
            elif store not in plan.placement.get(index.table, ()):
                yield f"Index {index} in '{store}' is of a table without a copy there."


def _disputed(
    problem: PlacementProblem, plan: PlacementPlan, told: tuple[Broken, ...]
) -> Iterator[str]:
    """The constraints tell exactly the limits that are broken by the check's own reckoning."""
    said = {(each.limit.kind, *each.limit.subject) for each in told}
    own = broken(problem, plan.placement, plan.routing)
    for kind, *subject in sorted(own ^ said):
        limit = f"'{kind}'" + (f" of {', '.join(subject)}" if subject else "")
        how = "broken" if (kind, *subject) in own else "kept"
        yield (
            f"The limit {limit} is {how} by the check's own reckoning, and its constraint says "
            f"otherwise: one of the two is at fault."
        )


def _routing(problem: PlacementProblem, plan: PlacementPlan) -> Iterator[str]:
    """Every query is routed, and no other."""
    for query in problem.queries:
        if query.name not in plan.routing:
            yield f"Query '{query.name}' has no routing."
            continue
        routed = plan.routing[query.name]
        yield from _cover(query, routed)
        yield from _repeats(routed)
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


def _repeats(routed: tuple[RoutedFragment, ...]) -> Iterator[str]:
    """A fragment that repeats another one's rows runs where that one does, which repeats none.

    Both are read by the same indexes.
    """
    repeats = [(each, each.fragment.reduction.repeats) for each in routed]
    read = {(each.fragment.name, each.store): each for each, of in repeats if of is None}
    for each, repeated in repeats:
        if repeated is None:
            continue
        where = (
            f"Fragment '{each.fragment.name}' in '{each.store}' repeats the rows of '{repeated}'"
        )
        if (repeated, each.store) not in read:
            yield f"{where}, which is not read from that store."
        elif each.read_by != read[repeated, each.store].read_by:
            yield f"{where}, which is read by other indexes."


def _runnable(
    problem: PlacementProblem, plan: PlacementPlan, query: QueryProblem, routed: RoutedFragment
) -> Iterator[str]:
    """A fragment runs in a store that holds its tables and is capable, at the cost it states."""
    fragment, where = routed.fragment, f"Fragment '{routed.fragment.name}' in '{routed.store}'"
    if not any(fragment in members(each) for each in query.offered):
        yield f"{where} is none of the fragments of query '{query.name}'."
    stores = {store.name: store for store in problem.stores}
    if routed.store not in stores:
        yield f"{where} runs in a store that is none of {', '.join(sorted(stores))}."
        return
    store = stores[routed.store]
    for table in sorted(fragment.tables):
        if store.name not in plan.placement.get(table, ()):
            yield f"{where} reads table '{table}', of which there is no copy in that store."
    yield from _capable(store, fragment, where)
    store_s, engine_s = fragment_s(problem, fragment, store, len(query.sources), routed.transfer)
    total_s, stated_s = store_s + engine_s, routed.predicted_s
    if not isclose(total_s, stated_s, rel_tol=RELATIVE_TOLERANCE):
        yield f"{where} costs {total_s:.9g} s, and the plan states {stated_s:.9g} s."
    yield from _read_by(problem, query, routed, store, total_s)
    begun_s, handed_s = begun_and_handed_s(problem, fragment, store, routed.transfer)
    if _differs(begun_s, routed.start_s, of_s=store_s):
        yield f"{where} begins in {begun_s:.9g} s, and the plan has {routed.start_s:.9g} s."
    if _differs(handed_s, routed.rows_s, of_s=store_s):
        has = f"the plan has {routed.rows_s:.9g} s"
        yield f"{where} hands its rows over in {handed_s:.9g} s, and {has}."
    at_work_s = store_s - begun_s - handed_s
    if not 0.0 <= (routed.disk_s or 0.0) <= at_work_s + RELATIVE_TOLERANCE * store_s:
        yield f"{where} works {at_work_s:.9g} s, and waits {routed.disk_s:.9g} s of it for a disk."
    if not isclose(engine_s, routed.engine_s, rel_tol=RELATIVE_TOLERANCE):
        stated_s = routed.engine_s
        yield f"{where} takes the engine {engine_s:.9g} s, and the plan has {stated_s:.9g} s."


def _differs(own_s: float, stated_s: float | None, *, of_s: float) -> bool:
    """Tell whether a plan states other seconds of the part of a fragment that takes `of_s`.

    One of an earlier version states none.
    """
    most = RELATIVE_TOLERANCE * of_s
    return stated_s is not None and not isclose(own_s, stated_s, rel_tol=0.0, abs_tol=most)


def _read_by(
    problem: PlacementProblem,
    query: QueryProblem,
    routed: RoutedFragment,
    store: Store,
    total_s: float,
) -> Iterator[str]:
    """The fragment costs as much with those chosen indexes alone that the plan says it reads by."""
    if routed.read_by is None:
        return
    where = f"Fragment '{routed.fragment.name}' in '{routed.store}'"
    for each in routed.read_by:
        if each not in store.strength.indexes:
            yield f"{where} is read by index {each}, which is none of that store."
    kept = (store.strength.indexes - problem.index_bytes.keys()) | set(routed.read_by)
    alone = replace(store, strength=replace(store.strength, indexes=kept))
    read_s = sum(fragment_s(problem, routed.fragment, alone, len(query.sources), routed.transfer))
    if not isclose(read_s, total_s, rel_tol=RELATIVE_TOLERANCE):
        yield (
            f"{where} costs {read_s:.9g} s by the indexes that the plan names for it, and "
            f"{total_s:.9g} s by those that there are."
        )


def _capable(store: Store, fragment: Fragment, where: str) -> Iterator[str]:
    """The store can run the fragment."""
    if fragment.kind not in store.capabilities:
        yield f"{where} is a {fragment.kind}, which a store of kind '{store.kind}' cannot run."
    if fragment.reduction.reducers and "keys" not in store.capabilities:
        yield f"{where} is sent keys, which a store of kind '{store.kind}' cannot take."
    if fragment.reduction.key_tables and "key tables" not in store.capabilities:
        yield f"{where} needs a table of keys, which store '{store.name}' cannot be given."
    for each in fragment.reduction.key_tables:
        if each.keys > store.most_tabled:
            yield (
                f"{where} needs {each.keys:,.0f} keys of '{each.source}' as a table: "
                f"store '{store.name}' takes {store.most_tabled:,} at most."
            )
    if fragment.reduction.preaggregated and "block" not in store.capabilities:
        yield f"{where} hands out aggregates, which a store of kind '{store.kind}' cannot compute."
    if fragment.reduction.one_scan and "one scan" not in store.capabilities:
        yield f"{where} is read by one scan with others, which kind '{store.kind}' does not do."
    for feature in sorted(fragment.work.features & store.lacks):
        yield f"{where} needs {feature}, which a store of kind '{store.kind}' cannot run."


def _claims(
    problem: PlacementProblem, plan: PlacementPlan, told: tuple[Broken, ...]
) -> Iterator[str]:
    """The plan's cost, bound and outcome are what its parts make of them."""
    if plan.objective != problem.objective:
        yield f"The plan is for {plan.objective}, and the problem is for {problem.objective}."
    if plan.corrections != problem.costs.corrections:
        yield "The plan's prices are corrected by other measurements than the problem's."
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
    if sorted(plan.violations) != sorted(each.sentence for each in told):
        yield "The plan does not state exactly the hard limits that it breaks."
    if (plan.outcome is Outcome.INFEASIBLE) != bool(plan.violations):
        yield f"The plan states {plan.outcome} and {len(plan.violations)} violations."


def _cost(problem: PlacementProblem, plan: PlacementPlan) -> float | None:
    """Return the weighted seconds of the plan; None where it names what the problem lacks."""
    stores = {store.name: store for store in problem.stores}
    total = 0.0
    for query in problem.queries:
        routed = plan.routing.get(query.name, ())
        if any(each.store not in stores for each in routed):
            return None
        total += query.executions * run_s(problem, query, routed)
    for table, held in plan.placement.items():
        if table not in problem.table_bytes or not stores.keys() >= set(held):
            return None
        total += sum(copy_s(problem, table, stores[store]) for store in held)
    return total
