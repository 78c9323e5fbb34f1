"""Sweeps of stores' hash joins: two joins of TPC-H's tables, with several settings of memory."""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING

from evaluation.calibration.caches import levels, reference_seconds, said_caches
from evaluation.calibration.join_memory import SHORT_SWEEP_BYTES, JoinSweep, fitted
from evaluation.calibration.server_settings import is_here
from evaluation.calibration.whole_statements import whole_statement
from evaluation.engines.fragments import dialects
from evaluation.federation.compile import Compiler
from evaluation.federation.compiled import CompiledFragment, CompiledQuery
from evaluation.kinds import SQL_KINDS
from evaluation.running.bounded_frames import QueryFailedError
from evaluation.running.execution import Federation
from evaluation.running.job import Job
from placement.memory.hash_table import spilled_bytes, table_bytes
from placement.memory.hybrid_hash import pipeline_cost
from placement.memory.join import HashJoin
from placement.memory.machine import CacheLevel, Machine
from placement.memory.store_memory import StoreMemory
from workloads.catalog import Catalog
from workloads.errors import SqlError, StoreError
from workloads.progress import Progress
from workloads.workload import Query, Workload

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_ROUNDS = 3
# Of TPC-H's tables that are looked up in no order this is the largest: its hash table does not fit
# into caches, so that misses are seen.
_BUILD, _PROBE = "partsupp", "lineitem"
_BUILD_COLUMNS = ("ps_partkey", "ps_suppkey", "ps_comment")
_PROBE_COLUMNS = ("l_partkey", "l_suppkey", "l_orderkey")
JOINS = {"every": "l_suppkey", "none": "-l_suppkey"}
"""Join → the supplier of a line that is looked up: each line finds one, or none does."""
MOST_ERROR = 0.2
"""A fit whose sweeps are further off is not used."""
CACHE_SHARES = (1.0, 0.5, 0.25)
_VIEW = "joined"


@dataclass(frozen=True, slots=True, kw_only=True)
class Memories:
    """Store → how its hash joins take memory; `failed` maps store → why not."""

    stores: Mapping[str, StoreMemory]
    failed: Mapping[str, str]


def memories(spark: "SparkSession", job: Job, progress: Progress) -> Memories:
    """Sweep the joins of the job's stores, each of which holds TPC-H whole.

    Only stores of this machine are swept: the caches that are measured are this machine's. Settings
    are tried in rounds, in an order drawn by the job's seed; the first round does not count.
    """
    names = [
        name
        for name, each in job.connections.items()
        if each.kind in SQL_KINDS and SQL_KINDS[each.kind].memory and is_here(each)
    ]
    if not names:
        return Memories(stores={}, failed={})
    seconds = reference_seconds(seed=job.seed, progress=progress)
    caches = levels(seconds, said_caches())
    found: dict[str, StoreMemory] = {}
    failed: dict[str, str] = {}
    with (
        Federation(spark, job.connections, timeout_s=job.query_timeout_s) as federation,
        progress.task("Sweeping the memory of joins", len(names)) as task,
    ):
        for store in names:
            try:
                found[store] = _swept(job, federation, store, caches)
            except (QueryFailedError, SqlError, StoreError) as error:
                failed[store] = str(error)
            task.advance()
    return Memories(stores=found, failed=failed)


def _swept(
    job: Job, federation: Federation, store: str, caches: tuple[CacheLevel, ...]
) -> StoreMemory:
    """Return what a sweep of both joins finds of one store."""
    connection = job.connections[store]
    known = SQL_KINDS[connection.kind].memory
    if known is None:
        raise TypeError(f"sessions of kind {connection.kind} have no memory of joins")
    set_bytes, joins = known.known(connection)
    seconds = _seconds(job, federation, store)
    sweeps = [JoinSweep(joins=(joined(job.catalog, name),), cpu_s=seconds[name]) for name in JOINS]
    stores = [replace(joins, cache_share=each) for each in CACHE_SHARES]
    machine = Machine(caches=caches, page_cache_bytes=float("inf"))
    fit = fitted(sweeps, machine, pipeline_cost, stores)
    if fit.error > MOST_ERROR:
        raise StoreError(
            store,
            f"the seconds of its joins with several settings of memory are off by {fit.error:.0%} "
            "of what any model says, so that no setting is chosen by them: calibrate when the "
            "machine does nothing else.",
        )
    return StoreMemory(set_bytes=set_bytes, joins=fit.joins, caches=caches, error=fit.error)


def _seconds(job: Job, federation: Federation, store: str) -> Mapping[str, Mapping[int, float]]:
    """Return join → setting → median seconds that the store was waited for."""
    compiler = Compiler(_workload(), job.catalog, dialects(job))
    fragments = {
        name: whole_statement(compiler, name, _BUILD, store, row_bytes=24) for name in JOINS
    }
    asked = [(name, each) for name in JOINS for each in SHORT_SWEEP_BYTES]
    draw = random.Random(job.seed)  # noqa: S311 - an order, no secret
    runs: dict[tuple[str, int], list[float]] = {each: [] for each in asked}
    for number in range(1 + _ROUNDS):
        for name, memory in draw.sample(asked, len(asked)):
            (read,) = federation.run(_query(fragments[name], memory)).fragments
            if number:
                runs[name, memory].append(read.seconds)
    return {name: {each: median(runs[name, each]) for each in SHORT_SWEEP_BYTES} for name in JOINS}


def _query(fragment: CompiledFragment, memory_bytes: int) -> CompiledQuery:
    return CompiledQuery(
        query=_VIEW,
        fragments=(replace(fragment, view=_VIEW, memory_bytes=memory_bytes),),
        combine_sql=f"TABLE {_VIEW}",
    )


def joined(catalog: Catalog, name: str) -> HashJoin:
    """Return a join of the sweep: offers of parts are hashed, lines look them up in no order."""
    offers, lines = catalog.table(_BUILD), catalog.table(_PROBE)
    build_bytes = sum(_widths(catalog, _BUILD, _BUILD_COLUMNS))
    probe_bytes = sum(_widths(catalog, _PROBE, _PROBE_COLUMNS))
    return HashJoin(
        build_rows=offers.rows,
        table_bytes=table_bytes(offers.rows, build_bytes),
        build_bytes=spilled_bytes(offers.rows, build_bytes),
        probe_rows=lines.rows,
        probe_bytes=spilled_bytes(lines.rows, probe_bytes),
        joined_rows=lines.rows if name == "every" else 0.0,
    )


def _widths(catalog: Catalog, table: str, columns: tuple[str, ...]) -> Iterator[float]:
    return (each.width_bytes for each in catalog.table(table).columns if each.name in columns)


def _workload() -> Workload:
    return Workload(
        name="joins",
        dialect="duckdb",
        queries=tuple(
            Query(
                name=name,
                sql="SELECT sum(length(ps_comment)) AS s, sum(l_orderkey) AS v, count(*) AS n "  # noqa: S608 - names of ours
                f"FROM {_BUILD} JOIN {_PROBE} "
                f"ON ps_partkey = l_partkey AND ps_suppkey = {supplier}",
                origin=f"calibration {name}",
            )
            for name, supplier in JOINS.items()
        ),
    )
