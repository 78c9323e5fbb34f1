"""The working memory of a plan's hash joins: chosen for each fragment, by how its store joins."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from advisor.planned.planned import Planned
from placement.demands import by_place
from placement.fragments.hash_joins import estimated_pipelines, held_bytes
from placement.machines import Place
from placement.memory.choice import MemoryChoice
from placement.memory.hybrid_hash import JoinCost
from placement.plan import PlacementPlan, RoutedFragment
from workloads.estimation.cardinality import Estimator


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinMemory:
    """A fragment whose session gets a working memory of its own.

    `joins` is how many hash joins it is taken to have. `before` is what they cost with the memory
    that the server's sessions have, `choice` has the chosen setting, the others, and the reason.
    """

    query: str
    routed: RoutedFragment
    joins: int
    before: JoinCost
    choice: MemoryChoice


def with_join_memory(
    given: Planned, plan: PlacementPlan
) -> tuple[PlacementPlan, tuple[JoinMemory, ...]]:
    """Return the plan with a working memory for each fragment that is faster with one, and these.

    Only stores are looked at whose joins a calibration has measured. What a fragment groups or
    sorts has the same memory: no setting is smaller than what that takes, as far as is estimated.
    A fragment is left as it is if its joins alone are estimated to take longer than all that its
    store computes for it. One of the two estimates is wrong then.
    """
    found = tuple(_chosen(given, plan))
    settings = {
        (each.query, each.routed.fragment.name): round(each.choice.chosen.memory_bytes)
        for each in found
    }
    routing = {
        query: tuple(
            replace(each, memory_bytes=settings.get((query, each.fragment.name))) for each in routed
        )
        for query, routed in plan.routing.items()
    }
    return (plan if routing == plan.routing else replace(plan, routing=routing)), found


def _chosen(given: Planned, plan: PlacementPlan) -> Iterator[JoinMemory]:
    footprints = {each.query: each for each in given.analysis.footprints}
    for query, routed in plan.routing.items():
        estimator = Estimator(given.analysis.catalog, footprints[query])
        for each in routed:
            memory = given.problem.store(each.store).strength.memory
            if memory is None or len(each.fragment.sources) == 1:
                continue
            pipelines = estimated_pipelines(each.fragment, footprints[query], estimator)
            if not pipelines:
                continue
            held = held_bytes(each.fragment, footprints[query], estimator)
            choice = memory.choice(pipelines, held)
            before = memory.cost(pipelines, memory.set_bytes)
            computed_s = by_place([(1.0, [each])])[Place("store", each.store)]
            if choice is not None and before.seconds <= computed_s:
                yield JoinMemory(
                    query=query,
                    routed=each,
                    joins=sum(map(len, pipelines)),
                    before=before,
                    choice=choice,
                )
