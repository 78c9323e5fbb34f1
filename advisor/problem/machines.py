"""The machines of a project's stores and of its engine."""

import os
import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from advisor.project.project import EvaluateSettings, Project
from advisor.project.store_cores import HERE, machine_of
from evaluation.calibration.calibration import Calibration
from evaluation.calibration.core_use import CoreUse
from evaluation.calibration.server_settings import is_loopback
from evaluation.spark.settings import is_local
from placement.machines import Machines
from placement.strategies.throughput import NAME

CLUSTER = "the cluster of Spark"
_THREADS = re.compile(r"local\[(\d+|\*)(?:,.*)?\]")


def machines_of(project: Project, calibration: Calibration | None = None) -> Machines | None:
    """Return which of a project's stores and engine share a machine, with the cores that are known.

    They are this machine's, those that the project tells of a host, and those that it asks a
    cluster for. A `calibration` has counted how many of them a statement keeps busy. None for a
    project of one client at a time: names of hosts are looked up for it, which other projects need
    not wait for.
    """
    if not project.evaluate.clients and NAME not in project.place.strategies:
        return None
    of_store = {store.name: machine_of(store) for store in project.stores}
    told = {
        of_store[store.name]: store.cores for store in project.stores if store.cores is not None
    }
    engine, asked = _engine(project.evaluate)
    cores = {**told, **({} if asked is None else {engine: asked}), HERE: os.cpu_count() or 1}
    used = _core_use(of_store, calibration)
    return Machines(
        of_store=of_store,
        engine=engine,
        cores=cores,
        busy_cores={name: each.computing for name, each in used.items()},
        handing_cores={
            name: each.handing for name, each in used.items() if each.handing is not None
        },
    )


def _core_use(
    of_store: Mapping[str, str], calibration: Calibration | None
) -> Mapping[str, CoreUse]:
    """Return the cores that statements keep busy of each store here that a calibration tells.

    It has counted those of this machine, and tells nothing of others.
    """
    if calibration is None:
        return {}
    return {
        name: each.core_use
        for name, each in calibration.stores.items()
        if each.core_use is not None and of_store.get(name) == HERE
    }


def engine_cores(settings: EvaluateSettings) -> int | None:
    """Return how many tasks the engine runs at once; None where a cluster decides it."""
    if not is_local(settings.master):
        return _engine(settings)[1]
    said = _THREADS.fullmatch(settings.master)
    threads = "1" if said is None else said[1]
    return settings.workers or (os.cpu_count() if threads == "*" else int(threads))


def _engine(settings: EvaluateSettings) -> tuple[str, int | None]:
    """Return the engine's machine, and the cores that are asked of a cluster."""
    if is_local(settings.master) or is_loopback(urlsplit(settings.master).hostname):
        return HERE, None
    each, workers = settings.executors.cores_each, settings.executors.workers
    return CLUSTER, None if each is None or workers is None else each * workers
