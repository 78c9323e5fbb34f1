"""Why a query runs as it does: its fragments, and what keeps it from being one."""

from dataclasses import dataclass

from placement.fragment_cost import FragmentCost
from placement.plan import PlacementPlan, RoutedFragment, execution_s
from placement.problem import PlacementProblem, QueryProblem
from placement.routing.routing import route_query
from placement.sizes import human_bytes
from placement.stores import Capability, Store
from workloads.errors import InfeasibleError


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeInStore:
    """A query if one store held all its tables.

    `predicted_s` is one execution there, in `fragments` fragments, of which a store that can run
    all of it takes one; None where the store cannot run it at all. `missing` are the tables that
    the store has no copy of. `obstacle` says in a sentence what keeps the query from being one
    fragment there; nothing where it is one.
    """

    store: str
    predicted_s: float | None
    fragments: int
    missing: tuple[str, ...]
    obstacle: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryReasons:
    """One query: its fragments with what each costs by kind of work, and the stores it could be in.

    `predicted_s` is of one execution.
    """

    query: str
    executions: float
    predicted_s: float
    fragments: tuple[tuple[RoutedFragment, FragmentCost], ...]
    stores: tuple[WholeInStore, ...]


def explain_query(problem: PlacementProblem, plan: PlacementPlan, name: str) -> QueryReasons:
    """Return why the query called `name` runs as `plan` routes it."""
    query = problem.query(name)
    routing = plan.routing[name]
    sources = len(query.sources)
    return QueryReasons(
        query=name,
        executions=query.executions,
        predicted_s=execution_s(routing, problem.objective),
        fragments=tuple(
            (
                each,
                problem.costs.fetched(
                    each.fragment, problem.store(each.store), sources, each.transfer
                ),
            )
            for each in routing
        ),
        stores=tuple(_whole(problem, plan, query, store) for store in problem.stores),
    )


def _whole(
    problem: PlacementProblem, plan: PlacementPlan, query: QueryProblem, store: Store
) -> WholeInStore:
    tables = sorted({table for fragment in query.fragments for table in fragment.tables})
    missing = tuple(table for table in tables if store.name not in plan.placement[table])
    try:
        there = route_query(problem, query, dict.fromkeys(tables, (store.name,)))
    except InfeasibleError:
        return WholeInStore(
            store=store.name,
            predicted_s=None,
            fragments=0,
            missing=missing,
            obstacle=_unable(query, store),
        )
    predicted_s = execution_s(there, problem.objective)
    whole = len(there) == 1 and there[0].fragment.kind is Capability.QUERY
    if not whole:
        obstacle = _unable(query, store)
    elif missing:
        obstacle = _absent(problem, plan, store, missing)
    else:
        runs_there = plan.routing[query.name] == there
        obstacle = "" if runs_there else f"It would cost {predicted_s:.3g} s there."
    return WholeInStore(
        store=store.name,
        predicted_s=predicted_s,
        fragments=len(there),
        missing=missing,
        obstacle=obstacle,
    )


def _unable(query: QueryProblem, store: Store) -> str:
    """Say why `store` does not run the query as one fragment even with all its tables."""
    whole = next((f for f in query.fragments if f.kind is Capability.QUERY), None)
    if whole is None:
        return "It has no fragment that is the whole query."
    if whole.kind not in store.capabilities:
        return f"A store of kind '{store.kind}' runs no whole query."
    lacking = sorted(whole.work.features & store.lacks)
    if lacking:
        return f"A store of kind '{store.kind}' does not run {', '.join(lacking)}."
    return "Several fragments are cheaper there than the whole query."


def _absent(
    problem: PlacementProblem, plan: PlacementPlan, store: Store, missing: tuple[str, ...]
) -> str:
    """Say which tables the store lacks, and whether it has room for them."""
    size = sum(problem.table_bytes[table] for table in missing)
    text = f"{', '.join(missing)} ({human_bytes(size)}) not there"
    if store.capacity_bytes is None:
        return f"{text}."
    held = sum(b for t, b in problem.table_bytes.items() if store.name in plan.placement[t])
    room = max(0, store.capacity_bytes - held)
    fits = "room for" if size <= room else "room for only"
    return f"{text}; {fits} {human_bytes(room)} more."
