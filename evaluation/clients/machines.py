"""The machines that a run's stores and engine share, and the throughput that follows from them."""

import os
from collections import Counter
from collections.abc import Sequence
from urllib.parse import urlsplit

from evaluation.calibration.server_settings import is_here
from evaluation.running.job import OURS, Job
from evaluation.spark.settings import is_local
from evaluation.store_protocol.connection import Connection
from placement.plan import PlacementPlan
from placement.throughput import Demand, throughput


def predicted_per_s(
    job: Job, plan: PlacementPlan, drawn: Sequence[str], clients: int
) -> float | None:
    """Return the queries a second that the plan's seconds predict for so many clients.

    What runs on this machine shares its cores. Of other machines the cores are not known, but
    those of a cluster that was asked for: there no query waits for another, and the prediction is
    an upper bound. None for other engines than ours, whose seconds are not predicted.
    """
    if job.engine != OURS or not drawn:
        return None
    here, engine_s, elsewhere = 0.0, 0.0, 0.0
    stores = {name: _is_here(each) for name, each in job.connections.items()}
    for query, number in Counter(drawn).items():
        share = number / len(drawn)
        for routed in plan.routing[query]:
            engine_s += share * routed.engine_s
            store_s = share * (routed.predicted_s - routed.engine_s)
            if stores[routed.store]:
                here += store_s
            else:
                elsewhere += store_s
    return throughput(_demands(job, here, engine_s, elsewhere), clients)


def _demands(job: Job, here: float, engine_s: float, elsewhere: float) -> list[Demand]:
    cores = os.cpu_count() or 1
    others = Demand(seconds=elsewhere, cores=None)
    if _engine_is_here(job.master):
        return [Demand(seconds=here + engine_s, cores=cores), others]
    each, workers = job.executors.cores_each, job.executors.workers
    cluster = None if each is None or workers is None else each * workers
    return [Demand(seconds=here, cores=cores), Demand(seconds=engine_s, cores=cluster), others]


def _engine_is_here(master: str) -> bool:
    return is_local(master) or _is_loopback(urlsplit(master).hostname)


def _is_here(connection: Connection) -> bool:
    if connection.nodes:
        return all(_is_loopback(node.rpartition(":")[0]) for node in connection.nodes)
    return is_here(connection)


def _is_loopback(host: str | None) -> bool:
    return host is not None and is_here(Connection(store="", kind="", host=host))
