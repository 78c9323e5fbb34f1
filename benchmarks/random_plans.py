"""Placements and routings drawn at random, so that every kind of fragment meets every store."""

import random
from collections.abc import Mapping, Sequence

from placement.plan import PlacementPlan, RoutedFragment
from placement.pricing import Option, options, routed
from placement.problem import PlacementProblem, QueryProblem
from placement.routing.routing import plan_for
from placement.stores import Capability

Placement = Mapping[str, tuple[str, ...]]


def random_placement(problem: PlacementProblem, seed: int, most_copies: int = 2) -> Placement:
    """Put every table in one to `most_copies` stores, whatever they are good at."""
    choose = random.Random(seed)
    names = [store.name for store in problem.stores]
    return {
        table: tuple(sorted(choose.sample(names, choose.randint(1, min(most_copies, len(names))))))
        for table in problem.table_bytes
    }


def random_routing(
    problem: PlacementProblem, query: QueryProblem, placement: Placement, seed: int
) -> tuple[RoutedFragment, ...]:
    """Cover the query's sources exactly by fragments drawn at random among the feasible ones.

    A kind is drawn before a fragment of it: there are hundreds of joins where there is one block.
    """
    choose = random.Random(f"{seed} {query.name}")
    left = list(options(problem, query, placement))
    found: list[Option] = []
    open_ = set(query.sources)
    while open_:
        left = [option for option in left if open_.issuperset(option.fragment.sources)]
        found.append(_drawn(left, choose))
        open_ -= set(found[-1].fragment.sources)
    return routed(problem, query, found)


def _drawn(left: Sequence[Option], choose: random.Random) -> Option:
    kinds = sorted({option.fragment.kind for option in left})
    # The rest of a query that begins with single tables has little else than single tables.
    kind = choose.choices(kinds, [0.5 if kind is Capability.SCAN else 1.0 for kind in kinds])[0]
    return choose.choice([option for option in left if option.fragment.kind is kind])


def random_plan(
    problem: PlacementProblem, seed: int, *, routed_at_random: bool, most_copies: int = 2
) -> PlacementPlan:
    """Return a random placement, with its best routing or one that is random too."""
    placement = random_placement(problem, seed, most_copies)
    routing = None
    name = f"random_{seed}"
    if routed_at_random:
        name += "_any_routing"
        routing = {
            query.name: random_routing(problem, query, placement, seed) for query in problem.queries
        }
    return plan_for(problem, name, placement, routing)
