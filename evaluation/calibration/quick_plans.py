"""The plans of a quick calibration: statements alone in each store, and with tables in several."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from evaluation.calibration.observation import works
from evaluation.calibration.quick_probes import CROSSING, JOINED, JOINED_FEW, LARGE, START, WORK
from placement.plan import Outcome, PlacementPlan, RoutedFragment
from placement.problem import PlacementProblem, QueryProblem
from placement.routing.routing import plan_for

ALONE, _CROSSING = "single_store", "crossing"
_MOST_CROSSING = 4
"""Plans with tables in several stores, at most."""


def copies(tables: Collection[str], stores: Collection[str]) -> PlacementPlan:
    """Return a plan that only says which tables are copied into which stores."""
    return PlacementPlan(
        strategy="copies",
        outcome=Outcome.FEASIBLE,
        placement={table: tuple(sorted(stores)) for table in tables},
        routing={},
        predicted_s=0.0,
    )


def alone(problem: PlacementProblem, store: str, held: Collection[str]) -> PlacementPlan:
    """Return the plan of all statements that a store answers with the tables that it has."""
    placement = dict.fromkeys(sorted(held), (store,))
    return _plan(problem, f"{ALONE}:{store}", placement, [each.name for each in problem.queries])


def crossing(
    problem: PlacementProblem, held: Mapping[str, Collection[str]]
) -> Iterator[PlacementPlan]:
    """Yield plans of statements whose tables are in two stores or three.

    `held` maps a store to the tables of TPC-H that it has: all have the small ones. Each store has
    orders and regions in one plan, and what these are joined with is in those that follow it.
    """
    stores = list(held)
    if len(stores) < 2:  # noqa: PLR2004 - it takes two
        return
    for number, store in enumerate(stores[:_MOST_CROSSING]):
        others = [stores[(number + step) % len(stores)] for step in range(1, len(stores) + 1)]
        own, other = (store,), (others[0],)
        placement = {"orders": own, "region": own, "customer": other, "nation": other}
        large = next((each for each in others if LARGE in held[each]), None)
        if large is not None:
            placement[LARGE] = (large,)
        yield _plan(problem, f"{_CROSSING}_{number + 1}", placement, CROSSING)


def turn(plan: PlacementPlan, statement: str) -> int:
    """Return when a statement of a plan has its turn, as the time may end before all have theirs.

    What tells most comes first: a store's start, the engine's part of a join, a store's work.
    """
    crosses = plan.strategy.startswith(_CROSSING)
    if statement == START:
        return 0
    if statement == WORK:
        return 2
    if statement in {JOINED_FEW, JOINED} and crosses:
        return 1 if plan.strategy == f"{_CROSSING}_1" else 3
    return 4 if statement == JOINED else 5


def by_reader(
    problem: PlacementProblem, plans: Sequence[PlacementPlan]
) -> tuple[list[PlacementPlan], list[PlacementPlan]]:
    """Return the plans with the statements that Spark has no part in, and with those it reads.

    Stores' own drivers fetch all that the former need. A plan that has none of a kind is left out.
    """

    def has_tasks(query: str, routed: Sequence[RoutedFragment]) -> bool:
        return any(asked.arriving for _, asked in works(problem, query, routed))

    return (
        list(_with(plans, lambda *of: not has_tasks(*of))),
        list(_with(plans, has_tasks)),
    )


def _with(
    plans: Sequence[PlacementPlan], is_kept: Callable[[str, Sequence[RoutedFragment]], bool]
) -> Iterator[PlacementPlan]:
    for plan in plans:
        routing = {name: routed for name, routed in plan.routing.items() if is_kept(name, routed)}
        if routing:
            yield replace(plan, routing=routing)


def _plan(
    problem: PlacementProblem,
    strategy: str,
    placement: Mapping[str, tuple[str, ...]],
    names: Collection[str],
) -> PlacementPlan:
    """Return the plan of the statements called `names` whose tables are all placed."""
    asked = replace(
        problem,
        table_bytes={table: problem.table_bytes[table] for table in placement},
        queries=tuple(
            each
            for each in problem.queries
            if each.name in names and _tables(each) <= placement.keys()
        ),
    )
    return plan_for(asked, strategy, placement)


def _tables(query: QueryProblem) -> set[str]:
    return {table for fragment in query.fragments for table in fragment.tables}
