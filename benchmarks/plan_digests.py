"""Print the plan, cost and bound of thirty seeded problems, as JSON, for `same_plans`.

python -m benchmarks.plan_digests

A work limit takes the place of the time limit, so that equal code gives equal plans on any
machine. Figures are printed as hexadecimal floats: two runs are compared bit for bit.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from benchmarks.placement_instances import Shape, instance
from placement.problem import PlacementProblem
from placement.strategies import STRATEGIES
from workloads.errors import InfeasibleError

STRATEGY_NAMES = ("naive", "proximity", "greedy", "optimal")
WORK_LIMIT = 10
SEEDS = range(3)
SIZES = (
    {"tables": 24, "stores": 3, "queries": 20},
    {"tables": 24, "stores": 3, "queries": 30},
    {"tables": 24, "stores": 4, "queries": 40},
    {"tables": 36, "stores": 4, "queries": 50},
    {"tables": 48, "stores": 4, "queries": 60},
)
COPIES = (1, 2)


def problems() -> Iterator[tuple[str, PlacementProblem]]:
    """Yield thirty problems with their names: five sizes, one and two copies, three seeds."""
    for size in SIZES:
        for copies in COPIES:
            for seed in SEEDS:
                problem = instance(Shape(**size, max_copies=copies, seed=seed))
                name = f"{size['tables']}x{size['stores']}x{size['queries']}-{copies}-seed-{seed}"
                yield name, replace(problem, work_limit=WORK_LIMIT)


def digest(problem: PlacementProblem) -> Mapping[str, Any]:
    """Return each strategy's placement, routing, predicted seconds, bound and outcome."""
    found = {}
    for name in STRATEGY_NAMES:
        for strategy in STRATEGIES[name](problem):
            try:
                plan = strategy(problem)
            except InfeasibleError:
                found[name] = {"outcome": "INFEASIBLE"}
                continue
            found[plan.strategy] = {
                "placement": {table: list(stores) for table, stores in plan.placement.items()},
                "stores": {
                    query: [each.store for each in routed] for query, routed in plan.routing.items()
                },
                "predicted_s": plan.predicted_s.hex(),
                "bound_s": None if plan.bound_s is None else plan.bound_s.hex(),
                "outcome": str(plan.outcome),
            }
    return found


def main() -> None:
    found = {}
    for number, (name, problem) in enumerate(problems(), start=1):
        print(f"{number} of 30: {name}", file=sys.stderr, flush=True)
        found[name] = digest(problem)
    json.dump(found, sys.stdout, indent=1, sort_keys=True)


if __name__ == "__main__":
    main()
