"""Every strategy on seeded problems: predicted cost, proven gap, seconds and memory, in one run.

python -m benchmarks.placements [--instances NAMES] [--strategies NAMES] [--repeats N] [-o FILE]

Instances: TPC-DS (99 queries, 24 tables, `--scale-factor`) on 3 and on 5 stores, with one and with
two copies a table, and on 20 stores with one; warehouses of `placement_instances` with 300 and
with 1,000 tables; and a budget of 5 % of all bytes for copies. Beside our strategies are those of
others (`peers/`). Each makes its plan in a process of its own, so that its memory can be told, and
may take `--patience` seconds. Every plan is checked. The run fails if a plan that keeps all limits
is cheaper than ours.
"""

import argparse
import json
import os
import pickle
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from benchmarks.peers import PEERS, plan_of
from benchmarks.peers.environment import peers_python
from benchmarks.placement_instances import Shape, instance
from benchmarks.placement_problems import INSTANCES, tpcds, with_copies
from benchmarks.provenance import provenance
from benchmarks.tables.placements import strategies
from placement.limits.check import check
from placement.plan import PlacementPlan
from placement.problem import PlacementProblem
from placement.reasons.copies import copy_gains
from placement.strategies import STRATEGIES, candidates
from placement.strategies.optimal import Optimal

OURS = "optimal"
MEBIBYTE = 1024
BUDGET_SHARE = 0.05
TOLERANCE = 1e-6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--instances", default=",".join([*INSTANCES, "budget"]))
    parser.add_argument("--strategies", default=",".join([*STRATEGIES, *PEERS]))
    parser.add_argument("--scale-factor", type=float, default=1.0)
    parser.add_argument("--repeats", type=int, default=3, help="of ours, where it takes seconds")
    parser.add_argument("--patience", type=float, default=900.0, help="seconds for one plan")
    parser.add_argument(
        "-o", "--output", type=Path, default=Path(__file__).parent / "results" / "placements.json"
    )
    parser.add_argument("--worker", nargs=2, metavar=("PROBLEM", "STRATEGY"))
    arguments = parser.parse_args()
    if arguments.worker is not None:
        print(json.dumps(worker(Path(arguments.worker[0]), arguments.worker[1])))
        return
    # The time of making it is no strategy's.
    peers_python()
    names = arguments.instances.split(",")
    found = json.loads(arguments.output.read_text()) if arguments.output.exists() else {}
    beaten = []
    for name in names:
        load_before = os.getloadavg()[0]
        if name == "budget":
            figures = budgets(arguments.scale_factor)
        else:
            figures, worse = run(name, arguments)
            beaten += worse
        found[name] = {**provenance("benchmarks.placements", load_before), **figures}
        arguments.output.write_text(json.dumps(found, indent=1) + "\n")
    if beaten:
        sys.exit(f"cheaper than ours: {'; '.join(beaten)}")


def run(name: str, arguments: argparse.Namespace) -> tuple[dict[str, object], list[str]]:
    """Return the figures of one instance, and the strategies that beat ours."""
    problem = INSTANCES[name](arguments.scale_factor)
    rows: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "problem"
        file.write_bytes(pickle.dumps(problem))
        for strategy in arguments.strategies.split(","):
            if strategy.startswith("paper") and "store_sales" not in problem.table_bytes:
                continue
            rows += repeated(file, strategy, arguments)
    bound_s = max((float(str(row["bound_s"])) for row in rows if row.get("bound_s")), default=0.0)
    for row in rows:
        if row.get("predicted_s") and bound_s:
            row["gap"] = 1 - bound_s / float(str(row["predicted_s"]))
    shape = f"{len(problem.table_bytes)} tables, {len(problem.stores)} stores, "
    fragments = sum(len(query.fragments) for query in problem.queries)
    print(f"\n{name}: {shape}{len(problem.queries)} queries, {fragments} fragments")
    print(strategies(rows))
    ours = [float(str(r["predicted_s"])) for r in rows if r["strategy"] == OURS]
    worse = [
        f"{row['strategy']} on {name}"
        for row in rows
        if ours
        and row.get("feasible")
        and float(str(row["predicted_s"])) < ours[0] * (1 - TOLERANCE)
    ]
    return {"fragments": fragments, "bound_s": bound_s, "strategies": rows}, worse


def repeated(file: Path, strategy: str, arguments: argparse.Namespace) -> list[dict[str, object]]:
    """Return a row for each plan of a strategy; ours is made several times."""
    command = [sys.executable, "-m", "benchmarks.placements", "--worker", str(file), strategy]
    rounds: list[list[dict[str, object]]] = []
    for _ in range(arguments.repeats if strategy == OURS else 1):
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, check=True, timeout=arguments.patience
            )
        except subprocess.TimeoutExpired:
            late = f"not done in {arguments.patience:g} s"
            return [{"strategy": strategy, "note": late, "seconds": arguments.patience}]
        except subprocess.CalledProcessError as error:
            return [{"strategy": strategy, "note": error.stderr.strip().splitlines()[-1][:200]}]
        rounds.append(json.loads(done.stdout))
        if float(str(rounds[0][0]["seconds"])) >= 60:
            break
    rows = rounds[0]
    for row, *others in zip(*rounds, strict=True):
        seconds = [float(str(each["seconds"])) for each in (row, *others)]
        row["seconds"] = statistics.median(seconds)
        row["spread_s"] = max(seconds) - min(seconds) if others else None
    return rows


def worker(file: Path, strategy: str) -> list[dict[str, object]]:
    """Return a row for each plan that a strategy makes of a pickled problem."""
    problem: PlacementProblem = pickle.loads(file.read_bytes())
    started, cpu = time.perf_counter(), time.process_time()
    plans = (plan_of(problem, strategy),) if strategy in PEERS else candidates(problem, [strategy])
    seconds = (time.perf_counter() - started) / len(plans)
    return [
        {
            "strategy": plan.strategy,
            "predicted_s": plan.predicted_s,
            "bound_s": plan.bound_s,
            "outcome": str(plan.outcome),
            "feasible": plan.feasible,
            "broken": len(plan.violations),
            "check": list(set(check(problem, plan)) - set(plan.violations)),
            "seconds": seconds,
            "cpu_s": (time.process_time() - cpu) / len(plans),
            "peak_mib": peak_mib(),
        }
        for plan in plans
    ]


def peak_mib() -> float:
    """Return the most memory that this process has held; `ru_maxrss` remembers its parent's."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / MEBIBYTE
    raise RuntimeError("the system does not tell a process's memory")


def budgets(scale_factor: float) -> dict[str, object]:
    """Return what copies within 5 % of all bytes gain, on TPC-DS and on shared dimensions."""
    shared = Shape(tables=60, stores=4, queries=300, time_limit_s=120)
    return {
        "tpcds": budget(tpcds(scale_factor)),
        "shared-dimensions-60x4x300": budget(instance(shared)),
    }


def budget(problem: PlacementProblem) -> dict[str, object]:
    """Return costs and bounds without copies, with 5 % of all bytes for them, and without end."""
    most = int(BUDGET_SHARE * sum(problem.table_bytes.values()))
    copied = with_copies(problem, len(problem.stores))
    limited = replace(copied, constraints=replace(copied.constraints, max_copy_bytes=most))
    plans: dict[str, PlacementPlan] = {}
    for name, each in (("none", with_copies(problem, 1)), ("5 %", limited), ("any", copied)):
        plans[name] = Optimal()(each)
        if check(each, plans[name]):
            raise AssertionError(check(each, plans[name]))
    none, some = plans["none"], plans["5 %"]
    gains = copy_gains(limited, some)
    print(f"\ncopies in {most} bytes: {none.predicted_s:.6g} s -> {some.predicted_s:.6g} s")
    for gain in gains:
        print(f"  {gain.table}: {gain.copy_bytes} bytes in {', '.join(gain.stores)}: {gain.gain_s}")
    return {
        "budget_bytes": most,
        "plans": {
            name: {
                "predicted_s": plan.predicted_s,
                "bound_s": plan.bound_s,
                "outcome": str(plan.outcome),
            }
            for name, plan in plans.items()
        },
        "gain_s": none.predicted_s - some.predicted_s,
        # no plan without copies costs less than its bound, none with them less than theirs
        "gain_at_least_s": (none.bound_s or 0.0) - some.predicted_s,
        "gain_at_most_s": none.predicted_s - (some.bound_s or 0.0),
        "copies": [
            {
                "table": gain.table,
                "stores": gain.stores,
                "copy_bytes": gain.copy_bytes,
                "gain_s": gain.gain_s,
            }
            for gain in gains
        ],
    }


if __name__ == "__main__":
    main()
