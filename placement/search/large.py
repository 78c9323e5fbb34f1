"""Problems too large to be solved as a whole: a bound from prices, a placement from parts.

The Lagrangian relaxation bounds every plan and says where tables lean to; a first placement
follows it, and parts of that are solved again for as long as there is time.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf

import numpy as np

from placement.arrays.compiled import Booleans, Compiled, Placement, placement_of, routing_of
from placement.arrays.evaluator import Evaluator
from placement.exact.exact import Found
from placement.limits.check import GAP_TOLERANCE
from placement.limits.idle_copies import without_idle_copies
from placement.limits.limits import limits
from placement.routing.routing import plan_for
from placement.search.bound import Bound, Relaxation
from placement.search.descents import repair
from placement.search.dive import dives
from placement.search.moves import Position
from placement.search.neighbourhoods import Neighbourhoods, Search
from placement.search.outline import large_tables, outline, worthwhile
from placement.search.room import Room, room
from placement.search.scenarios import STEPS, Scenario, split
from placement.search.settling import settled
from placement.search.terrain import Terrain
from placement.time_limit import ends_of
from workloads.errors import InfeasibleError

BOUND_STEPS, SPLIT_STEPS = 1000, 300
"""Steps of the bound; and where scenarios go on from it."""
BOUND_SHARE, SPLIT_SHARE = 0.2, 0.5
"""When the bound is done, as shares of the time; and with scenarios."""
FIRST_SHARE, FIRST_SPLIT_SHARE, DIVES_SHARE = 0.7, 0.8, 0.9
"""When there has to be a first placement, likewise; and with dives: where these end differs more
than parts of the plan make good."""
MOST_SCENARIOS = 1000
SCENARIOS_OF_A_PART = 4
"""Rounds of scenarios for each part that a work limit allows."""
FEW_LARGE = 12
"""Large tables of one copy up to which the solver places them, given a scenario. Of more it finds
no placement in the time that a dive takes."""
PARTS_SHARE = 0.95
"""The rest of the time is for the routing, and for what a part takes beyond its limit."""
PART_REGRET = 1.0
"""An option of a part may be dearer than at best by this share of its query."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """When to stop: at `ends` (monotonic seconds), and after `parts` solved again."""

    starts: float
    ends: float
    parts: int | None = None

    def share(self, part: float) -> float:
        """Return when a share of the time is over."""
        return inf if self.ends == inf else self.starts + part * (self.ends - self.starts)

    def over(self, parts: int, last_s: float) -> bool:
        """Whether to stop after so many parts, of which the last took `last_s`."""
        late = time.monotonic() + last_s >= self.share(PARTS_SHARE)
        return late or (self.parts is not None and parts >= self.parts)


def solve_in_parts(
    compiled: Compiled, budget: Budget, near: Placement | None = None, proven_s: float = 0.0
) -> Found:
    """Return the best plan found, and the bound.

    The search starts from the placement `near` where one within the limits is known. `proven_s` is
    a bound that was proven before.
    """
    where = room(compiled)
    relaxation = Relaxation(compiled)
    root, scenarios = _scenarios(relaxation, where, near, budget)
    lowest = scenarios[0].bound
    bound = replace(lowest, value_s=max(lowest.value_s, proven_s))
    known = None if near is None else compiled.held([near])[:, :, 0]
    held = _first(relaxation, root, scenarios, budget) if known is None else known
    if held is None:
        return Found(plan=None, bound_s=bound.value_s, stopped=True)
    held = _bettered(relaxation, held, where, bound, budget)
    placement = placement_of(compiled, held)
    routing = routing_of(compiled, held)
    kept = without_idle_copies(compiled.problem, placement, routing)
    plan = plan_for(compiled.problem, "optimal", kept, routing)
    return Found(plan=plan, bound_s=bound.value_s, stopped=True)


def _scenarios(
    relaxation: Relaxation, where: Room, near: Placement | None, budget: Budget
) -> tuple[Scenario, list[Scenario]]:
    """Return everything as one, and split: the first scenario's bound holds for every plan."""
    pairs = len(relaxation.pivots) > 0
    # With a plan at hand the time is for bettering it.
    ends = budget.share(SPLIT_SHARE if pairs and near is None else BOUND_SHARE)
    steps = SPLIT_STEPS if pairs else BOUND_STEPS
    started = time.monotonic()
    bound = relaxation.ascend(where, prices=relaxation.start(), steps=steps, ends=ends)
    step_s = (time.monotonic() - started) / max(1, bound.steps)
    root = Scenario(where=where, bound=bound)
    compiled = relaxation.compiled
    # What is split in part bounds nothing: that time is better spent on plans.
    if not pairs or time.monotonic() + len(compiled.stores) * STEPS * step_s > ends:
        return root, [root]
    goal_s = inf if near is None else Evaluator(compiled.problem, compiled).cost_s([near])[0]
    rounds = MOST_SCENARIOS if budget.parts is None else SCENARIOS_OF_A_PART * budget.parts
    return root, split(relaxation, root, most=rounds, goal_s=goal_s, ends=ends)


def _first(
    relaxation: Relaxation, root: Scenario, scenarios: Sequence[Scenario], budget: Budget
) -> Booleans | None:
    """Return a placement within all limits; None where there is none at hand.

    `root` is everything, before it was split.
    """
    compiled = relaxation.compiled
    pairs = len(relaxation.pivots) > 0
    ends = budget.share(FIRST_SPLIT_SHARE if pairs else FIRST_SHARE)
    alone = pairs and compiled.problem.constraints.max_copies == 1
    if alone and large_tables(compiled).sum() > FEW_LARGE:
        held = dives(relaxation, scenarios, budget.share(DIVES_SHARE))
    else:
        outlines = (root,) if scenarios[0] is root else (root, scenarios[0])
        held = _outlined(relaxation, outlines, ends)
    if held is None:
        lowest = scenarios[0]
        held = settled(relaxation, lowest.bound, lowest.where, ends)
    if _within_limits(compiled, held):
        return held
    position = Position(Terrain(compiled.problem, compiled), held)
    repair(position, ends=ends_of(compiled.problem))
    return position.held if _within_limits(compiled, position.held) else None


def _outlined(
    relaxation: Relaxation, scenarios: Sequence[Scenario], ends: float
) -> Booleans | None:
    """Return the cheapest outline of the scenarios, as far as time allows for them."""
    compiled = relaxation.compiled
    best, best_s = None, inf
    for scenario in scenarios:
        if best is not None and time.monotonic() >= ends:
            break
        held = outline(relaxation, scenario.bound, scenario.where, ends)
        if held is None:
            continue
        cost_s = float(Evaluator(compiled.problem, compiled).held_cost_s(held[:, :, None])[0])
        if cost_s < best_s:
            best, best_s = held, cost_s
    return best


def _within_limits(compiled: Compiled, held: Booleans) -> bool:
    try:
        routing = routing_of(compiled, held)
    except InfeasibleError:
        return False
    return not any(limits(compiled.problem, placement_of(compiled, held), routing))


def _bettered(
    relaxation: Relaxation, held: Booleans, where: Room, bound: Bound, budget: Budget
) -> Booleans:
    compiled = relaxation.compiled
    cost_s = float(Evaluator(compiled.problem, compiled).held_cost_s(held[:, :, None])[0])
    worth = worthwhile(relaxation, bound, where, PART_REGRET)
    search = Search(compiled=compiled, where=where, worth=worth, held=held, cost_s=cost_s)
    rng = np.random.default_rng(compiled.problem.seed)
    neighbourhoods = Neighbourhoods(compiled, rng, bound.leaning)
    regret_s = neighbourhoods.regret_s(held)
    last_s = 0.0
    while not budget.over(search.rounds, last_s):
        if search.cost_s - bound.value_s <= GAP_TOLERANCE * abs(search.cost_s):
            break
        started = time.monotonic()
        if search.step(neighbourhoods, regret_s, budget.ends):
            regret_s = neighbourhoods.regret_s(search.held)
        last_s = time.monotonic() - started
    return search.held
