"""Every query on the placement that there is and on others, by our engine and by its peers."""

import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from benchmarks.live_tpcds.project import COPIES
from benchmarks.series import Series
from evaluation.engines import ENGINES
from evaluation.engines.engine import Engine
from evaluation.engines.trino_server import running_trino
from evaluation.evaluate import open_session
from evaluation.judging.oracle import Oracle
from evaluation.running.job import Job, TrinoConnection
from evaluation.store_protocol.connection import Connection
from placement.plan import PlacementPlan
from workloads.progress import Progress, Silent

OURS = "fragments"
CURRENT = "current"


def measured(
    job: Job,
    plans: Mapping[str, PlacementPlan],
    engines: Sequence[str],
    servers: Mapping[str, Connection],
    *,
    done: Collection[tuple[str, str, str]],
    warm_up: bool,
    seed: int,
    progress: Progress,
) -> Iterator[list[dict[str, Any]]]:
    """Run every query, and yield what came of one after the other.

    `done` are placements, engines and queries that are left out.

    Our engine runs it on all plans, its peers on `current` alone: `servers` are its stores. With
    `warm_up` a query has a round before those that count. In each round all run it once, in a
    seeded random order.
    """
    order = random.Random(seed)
    with ExitStack() as stack:
        oracle = Oracle(job.catalog, job.workload.dialect)
        stack.callback(oracle.close)
        opened = dict(_opened(stack, job, engines, servers, oracle=oracle, progress=progress))
        for query in job.workload.queries:
            series = [
                Series(placement, engine, query)
                for engine in opened
                for placement in (plans if engine == OURS else (CURRENT,))
                if (placement, engine, query.name) not in done
            ]
            for each in series:
                each.prepare(opened[each.engine], plans[each.placement])
            for unmeasured in [True] * warm_up + [False] * job.repeats:
                order.shuffle(series)
                for each in series:
                    each.run_once(oracle, opened[each.engine].types, warm_up=unmeasured)
            series.sort(key=lambda each: (each.placement, each.engine))
            if series:
                yield [_record(each, plans[each.placement]) for each in series]


def _opened(
    stack: ExitStack,
    job: Job,
    engines: Sequence[str],
    servers: Mapping[str, Connection],
    *,
    oracle: Oracle,
    progress: Progress,
) -> Iterator[tuple[str, Engine]]:
    """Yield engine → the engine, open; the copies are no business of the peers."""
    trino = None
    if "trino" in engines:
        with progress.task("Starting Trino"):
            server = stack.enter_context(running_trino(servers, Silent()))
        trino = TrinoConnection(url=server.url, user="advisor")
    spark = stack.enter_context(open_session(job, progress))
    alone = {name: each for name, each in job.connections.items() if name != COPIES}
    for name in engines:
        of_engine = job if name == OURS else replace(job, connections=alone, trino=trino)
        yield name, stack.enter_context(ENGINES[name](spark, of_engine, oracle))


def _record(series: Series, plan: PlacementPlan) -> dict[str, Any]:
    """Return what came of a query; predictions are of our engine alone."""
    predicted_s = round(plan.query_s(series.query.name), 3) if series.engine == OURS else None
    return {**series.record(), "predicted_s": predicted_s}
