"""Other places for one table: what each would cost, and which queries gain and lose."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from placement.constraints.pins import pinned_for
from placement.plan import Outcome, PlacementPlan, RoutedFragment
from placement.problem import PlacementProblem
from placement.reasons.query_changes import QueryChange, query_changes
from placement.routing.routing import plan_for, route, route_query
from placement.strategies.optimal import Optimal
from placement.time_limit import NotFoundInTimeError, OutOfTimeError, left_s
from workloads.errors import InfeasibleError


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A copy of `table` leaves a store, enters another, or both; None is neither."""

    table: str
    leaves: str | None = None
    enters: str | None = None

    @property
    def kind(self) -> Literal["move", "drop", "add"]:
        """Whether a copy moves, goes, or comes."""
        if self.leaves is None:
            return "add"
        return "drop" if self.enters is None else "move"

    def stores(self, held: tuple[str, ...]) -> tuple[str, ...]:
        """Return the stores of the table after the change, sorted."""
        entering = () if self.enters is None else (self.enters,)
        return tuple(sorted({*(store for store in held if store != self.leaves), *entering}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative:
    """A plan with the table elsewhere, against the plan that is explained.

    `free` says what the other tables do: nothing, or whatever is best then. `plan` passes
    `check`, apart from the limits in its `violations`; None where there is no such plan, and
    `reason` says in a sentence why. `delta_s` is what it costs more than the plan explained.
    `bound_s`: no plan with this change is cheaper, where everything else was free.
    `moves` are the other tables that are elsewhere then. `queries` are those that gain or lose, the
    largest change first.
    """

    change: Change
    free: bool
    plan: PlacementPlan | None
    reason: str = ""
    delta_s: float = 0.0
    bound_s: float | None = None
    moves: tuple[str, ...] = ()
    queries: tuple[QueryChange, ...] = ()

    @property
    def placement(self) -> Mapping[str, tuple[str, ...]] | None:
        """Return the alternative's placement."""
        return None if self.plan is None else self.plan.placement

    @property
    def predicted_s(self) -> float | None:
        """Return the alternative's cost."""
        return None if self.plan is None else self.plan.predicted_s

    @property
    def cut(self) -> str | None:
        """Say what cut the search for the plan, so that it may cost less; None where nothing."""
        return None if self.plan is None or not self.free else self.plan.cut

    @property
    def violations(self) -> tuple[str, ...]:
        """Return the limits that the alternative breaks."""
        return () if self.plan is None else self.plan.violations

    @property
    def copies_delta_s(self) -> float:
        """Return the part of `delta_s` that is no query's: of upkeep, writes and moves."""
        return self.delta_s - sum(query.delta_s for query in self.queries)


def changes(
    problem: PlacementProblem, placement: Mapping[str, tuple[str, ...]], table: str
) -> tuple[Change, ...]:
    """Return every other place for one copy of `table`: moves, then drops, then further copies."""
    held = placement[table]
    names = [store.name for store in problem.stores]
    others = [name for name in names if name not in held]
    found = [
        Change(table=table, leaves=leaves, enters=enters)
        for leaves in names
        if leaves in held
        for enters in others
    ]
    if len(held) > 1:
        found += [Change(table=table, leaves=name) for name in names if name in held]
    if len(held) < problem.constraints.max_copies:
        found += [Change(table=table, enters=name) for name in others]
    return tuple(found)


def with_others_fixed(
    problem: PlacementProblem, plan: PlacementPlan, change: Change
) -> Alternative:
    """Make the change alone: no other table moves, and its queries are routed anew, exactly."""
    table = change.table
    placement = {**plan.placement, table: change.stores(plan.placement[table])}
    try:
        routing = _rerouted(problem, plan, placement, table)
    except InfeasibleError as error:
        return Alternative(change=change, free=False, plan=None, reason=str(error))
    made = plan_for(problem, plan.strategy, placement, routing)
    return Alternative(
        change=change,
        free=False,
        plan=made,
        delta_s=made.predicted_s - plan.predicted_s,
        queries=query_changes((problem, plan), (problem, made)),
    )


def with_others_free(problem: PlacementProblem, plan: PlacementPlan, change: Change) -> Alternative:
    """Make the change and solve everything else anew; one solve, as long as there is time.

    A copy that leaves may not come back, one that enters has to stay, and where a copy is added
    those that there are stay too.

    Raises:
        OutOfTimeError: The problem's time was over before a plan was found.
    """
    reason = _ruled_out(problem, change)
    solved = None
    if reason is None:
        if left_s(problem) <= 0:
            raise OutOfTimeError("There was no time left to place everything else anew.")
        try:
            solved = Optimal()(_with_change(problem, plan.placement[change.table], change))
        except NotFoundInTimeError as error:
            raise OutOfTimeError(str(error)) from None
        except InfeasibleError as error:
            reason = str(error)
    if solved is None:
        return Alternative(change=change, free=True, plan=None, reason=reason or "")
    # What is proven of it is proven among plans with the change, so the plan does not claim it.
    made = replace(
        solved, strategy=plan.strategy, outcome=Outcome.FEASIBLE, bound_s=None, settings={}
    )
    return Alternative(
        change=change,
        free=True,
        plan=made,
        delta_s=made.predicted_s - plan.predicted_s,
        bound_s=solved.bound_s,
        moves=tuple(
            table
            for table, stores in plan.placement.items()
            if table != change.table and made.placement[table] != stores
        ),
        queries=query_changes((problem, plan), (problem, made)),
    )


def _rerouted(
    problem: PlacementProblem,
    plan: PlacementPlan,
    placement: Mapping[str, tuple[str, ...]],
    table: str,
) -> Mapping[str, tuple[RoutedFragment, ...]]:
    """Return the plan's routing with the queries that read `table` routed anew.

    A ceiling on money ties all queries together: then all are.
    """
    if problem.constraints.max_money is not None:
        return route(problem, placement)
    return {
        query.name: route_query(problem, query, placement)
        if any(table in fragment.tables for fragment in query.fragments)
        else plan.routing[query.name]
        for query in problem.queries
    }


def _ruled_out(problem: PlacementProblem, change: Change) -> str | None:
    """Say why a rule for the table itself forbids the change; None if none does."""
    table, constraints = change.table, problem.constraints
    if change.leaves in constraints.pin.get(table, frozenset()):
        hosted = pinned_for(problem, table, change.leaves or "")
        return f"Table '{table}' is pinned to store '{change.leaves}'{hosted}."
    if why := constraints.unheld.get(table, {}).get(change.enters or ""):
        return f"Store '{change.enters}' cannot hold table '{table}': {why}."
    if change.enters in constraints.exclude.get(table, frozenset()):
        return f"Table '{table}' is excluded from store '{change.enters}'."
    return None


def _with_change(
    problem: PlacementProblem, held: tuple[str, ...], change: Change
) -> PlacementProblem:
    table, constraints = change.table, problem.constraints
    pin = constraints.pin.get(table, frozenset())
    exclude = constraints.exclude.get(table, frozenset())
    if change.enters is not None:
        pin |= {change.enters, *(held if change.kind == "add" else ())}
    if change.leaves is not None:
        exclude |= {change.leaves}
    return replace(
        problem,
        constraints=replace(
            constraints,
            pin={**constraints.pin, table: pin},
            exclude={**constraints.exclude, table: exclude},
        ),
    )
