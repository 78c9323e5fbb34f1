"""An evaluation from end to end: load every plan's copies, run the workload, verify, measure."""

import os
import platform
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from evaluation.direct import run_directly
from evaluation.installation.jars import jars
from evaluation.installation.java import java_home
from evaluation.kinds import BACKENDS
from evaluation.literal_sets import as_one, direct_as_one, routing_sets, told, with_sets
from evaluation.load import LoadedStores, load
from evaluation.measuring.machine import Machine, SparkSetting
from evaluation.measuring.measurement import Measurements
from evaluation.passed_through import run_passed_through
from evaluation.processes.memory import usable_memory_bytes
from evaluation.replaced_files import replaced_tables
from evaluation.running.job import Job
from evaluation.runs import run_candidates
from evaluation.spark.class_sharing import class_sharing
from evaluation.spark.executors import executors
from evaluation.spark.session import session
from evaluation.stale import live_tables, with_stale
from placement.plan import PlacementPlan
from workloads.errors import ConfigurationError
from workloads.problems import Problems
from workloads.progress import Progress

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MEASURED_WITH = ("placement-advisor", "pyspark", "duckdb", "sqlglot", "ortools")


def evaluate(
    job: Job,
    plans: Sequence[PlacementPlan],
    progress: Progress,
    opened: "Callable[[Job], AbstractContextManager[SparkSession]] | None" = None,
) -> Measurements:
    """Load `plans`, and run them in one Spark session: the one that is `opened`, or its own.

    Raises:
        StoreError: A store refuses, or a load fails.
        SetUpError: There is no usable Java, or a driver cannot be fetched.
    """
    with stores_held(job, plans):
        started = time.perf_counter()
        loaded = load(job.catalog, plans, job.connections, progress)
        load_s = time.perf_counter() - started
        started = time.perf_counter()
        with opened(job) if opened else open_session(job, progress) as spark:
            set_up_s = time.perf_counter() - started
            measurements = measure(spark, job, plans, loaded, progress)
    return replace(
        measurements, seconds={"load": load_s, "set_up": set_up_s, **measurements.seconds}
    )


@contextmanager
def stores_held(job: Job, plans: Sequence[PlacementPlan]) -> Iterator[None]:
    """Hold and prepare every store that a plan uses, for the length of the block.

    A refused login, or another advisor at work there, is so known before Spark starts: of all
    stores at once. Of those that are only read the tables were read a moment ago.
    """
    used = {store for plan in plans for stores in plan.placement.values() for store in stores}
    problems = Problems()
    with ExitStack() as held:
        for name in sorted(used & job.connections.keys()):
            connection = job.connections[name]
            if connection.read_only:
                continue
            with problems.gathering():
                held.enter_context(BACKENDS[connection.kind].hold(connection))
                BACKENDS[connection.kind].prepare(connection)
        problems.raise_any()
        yield


@contextmanager
def open_session(job: Job, progress: Progress) -> Iterator["SparkSession"]:
    """Yield a Spark session that has the drivers of the job's stores.

    Raises:
        ConfigurationError: A key would have to be on the machines of a cluster.
    """
    _refuse_keys_elsewhere(job)
    kinds = {connection.kind for connection in job.connections.values()}
    names = sorted({jar for kind in kinds for jar in BACKENDS[kind].jars})
    found = jars(names, progress)
    java = java_home(progress)
    options = class_sharing(java, found, progress)
    with ExitStack() as stack:
        with progress.task("Starting Spark"):
            spark = stack.enter_context(
                session(
                    master=job.master,
                    jars=found,
                    java_home=java,
                    driver_memory=job.driver_memory,
                    executors=job.executors,
                    java_options=options,
                )
            )
        yield spark


def _refuse_keys_elsewhere(job: Job) -> None:
    """Raise where executors on other machines would need a key: it never leaves this one."""
    for name, connection in job.connections.items():
        if connection.tls.certificate is not None and not job.master.startswith("local"):
            raise ConfigurationError(
                f"Store '{name}' is reached with [stores.{name}].key, which stays on this machine, "
                f'and the executors of "{job.master}" would need it: write master = "local[*]" '
                "in [evaluate], or give the account a password alone."
            )


def measure(
    spark: "SparkSession",
    job: Job,
    plans: Sequence[PlacementPlan],
    loaded: LoadedStores,
    progress: Progress,
) -> Measurements:
    """Run the workload on `plans`, whose copies are loaded; `seconds` has only the run's."""
    load_before = os.getloadavg()[0]
    started_at = datetime.now(UTC).isoformat(timespec="seconds")
    # Asked now: a Java that is killed meanwhile cannot say it, and what was measured stays.
    versions = versions_of(spark)
    setting = _spark_setting(spark, job)
    started = time.perf_counter()
    load_s = {plan.strategy: loaded.load_s(plan) for plan in plans}
    filled, routed = with_sets(job), [routing_sets(job, plan) for plan in plans]
    candidates = as_one(job, plans, run_candidates(spark, filled, routed, load_s, progress))
    passed_through = run_passed_through(spark, job, plans, progress)
    direct = direct_as_one(job, run_directly(filled, routed, progress))
    run_s = time.perf_counter() - started
    live, replaced = live_tables(job, progress), replaced_tables(job.catalog)
    return Measurements(
        workload=job.workload.name,
        catalog=job.catalog.name,
        scale_factor=job.scale_factor,
        repeats=job.repeats,
        seed=job.seed,
        candidates=with_stale(candidates, live, replaced) if live or replaced else candidates,
        machine=machine_of(load_before),
        versions=versions,
        started_at=started_at,
        seconds={"run": run_s},
        engine=job.engine,
        spark=setting,
        fetch_size=None if job.engine == "trino" else job.fetch_size,
        passed_through=passed_through,
        live=live,
        direct=direct,
        literals=told(job),
    )


def versions_of(spark: "SparkSession") -> Mapping[str, str]:
    """Return the versions of what measures: packages, Python and Java."""
    versions = {name: version(name) for name in MEASURED_WITH}
    versions["python"] = platform.python_version()
    jvm: Any = spark.sparkContext._jvm
    versions["java"] = jvm.java.lang.System.getProperty("java.version")
    return versions


def machine_of(load_before: float) -> Machine:
    """Return this machine, with its load before and now."""
    return Machine(
        cores=os.cpu_count() or 1,
        memory_bytes=usable_memory_bytes(),
        system=platform.platform(),
        load_average=(load_before, os.getloadavg()[0]),
    )


def _spark_setting(spark: "SparkSession", job: Job) -> SparkSetting | None:
    if job.engine == "trino":
        return None
    context = spark.sparkContext
    return SparkSetting(
        master=str(context.master),
        workers=executors(spark) or context.defaultParallelism,
        join_strategy=job.join_strategy,
        combine=job.combine,
    )
