"""The links of stores: results of two widths, fetched with many settings."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING

from evaluation.calibration.whole_statements import whole_statement
from evaluation.engines.fragments import dialects
from evaluation.federation.compile import Compiler
from evaluation.federation.compiled import CompiledFragment, CompiledQuery
from evaluation.kinds import BACKENDS
from evaluation.running.bounded_frames import QueryFailedError
from evaluation.running.execution import Federation
from evaluation.running.job import Job
from placement.transfer.bounds import MOST_MESSAGE
from placement.transfer.fit import Probe, fitted, relative_error
from placement.transfer.link import Link, Result, TransferSettings
from workloads.errors import SqlError
from workloads.progress import Progress
from workloads.workload import Query, Workload

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FETCH_ROWS = (100, 1_000, 10_000, 30_000, 100_000)
"""Those between them told no other settings on the recorded grids (decision 164)."""
MESSAGE_BYTES = (MOST_MESSAGE,)
"""A receive buffer below a segment of the link, as loopback has them of 64 KiB, stands still:
a megabyte takes 42 s with one of 4 KiB (decision 148). So none is probed."""
_TABLE = "lineitem"
RESULTS = {
    "narrow": (("l_orderkey", "l_linenumber"), 120_000),
    "wide": (("l_orderkey", "l_shipinstruct", "l_shipmode", "l_shipdate", "l_comment"), 40_000),
}
"""Name → columns, and the greatest order of which lines are fetched: about a line for each."""
_VIEW = "fetched"


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkCalibration:
    """The link of one store, of so many `probes`; `error` is its mean relative error of these."""

    link: Link
    probes: int
    error: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    """The links of the stores whose drivers wait for portions; `failed` maps store → why not."""

    stores: Mapping[str, LinkCalibration]
    failed: Mapping[str, str]


def links(spark: "SparkSession", job: Job, progress: Progress) -> Links:
    """Probe the links of the job's stores, each of which holds TPC-H whole.

    Each pair of settings is probed once, in an order drawn by the job's seed, after one probe of
    each width that does not count.
    """
    names = [each for each in job.connections if _waits(job, each)]
    found: dict[str, LinkCalibration] = {}
    failed: dict[str, str] = {}
    with (
        Federation(spark, job.connections, timeout_s=job.query_timeout_s) as federation,
        progress.task("Probing links", len(names)) as task,
    ):
        for store in names:
            try:
                found[store] = _calibrated(tuple(_probes(job, federation, store)))
            except (QueryFailedError, SqlError) as error:
                failed[store] = str(error)
            task.advance()
    return Links(stores=found, failed=failed)


def _waits(job: Job, store: str) -> bool:
    return BACKENDS[job.connections[store].kind].strength.portions


def _calibrated(probes: Sequence[Probe]) -> LinkCalibration:
    link, client = fitted(probes)
    return LinkCalibration(
        link=link, probes=len(probes), error=relative_error(link, client, probes)
    )


def _probes(job: Job, federation: Federation, store: str) -> Iterator[Probe]:
    """Yield what was measured with every pair of settings, of results of both widths."""
    compiler = Compiler(_workload(), job.catalog, dialects(job))
    fragments = [_fragment(job, compiler, store, name) for name in RESULTS]
    asked = [
        (fragment, TransferSettings(fetch_rows=rows, message_bytes=message))
        for fragment, rows, message in product(fragments, FETCH_ROWS, MESSAGE_BYTES)
    ]
    random.Random(job.seed).shuffle(asked)  # noqa: S311 - an order, no secret
    for fragment in fragments:
        federation.run(_query(fragment, None))
    for fragment, settings in asked:
        (read,) = federation.run(_query(fragment, settings)).fragments
        row_bytes = fragment.fragment.work.row_bytes_out
        if read.rows and read.seconds > 0:
            yield Probe(
                result=Result(result_bytes=read.rows * row_bytes, row_bytes=row_bytes),
                settings=settings,
                seconds=read.seconds,
            )


def _query(fragment: CompiledFragment, settings: TransferSettings | None) -> CompiledQuery:
    """Return a query that reads every column of a fragment, and of which Spark hands out a row.

    To count rows Spark would ask for no column, and rows of all widths would be alike.
    """
    read = ", ".join(f"max(`{each}`) AS `{each}`" for each in fragment.columns)
    return CompiledQuery(
        query=_VIEW,
        fragments=(replace(fragment, view=_VIEW, transfer=settings),),
        combine_sql=f"SELECT {read} FROM {_VIEW}",  # noqa: S608
    )


def _workload() -> Workload:
    return Workload(
        name="links",
        dialect="duckdb",
        queries=tuple(
            Query(
                name=name,
                sql=f"SELECT {', '.join(columns)} FROM {_TABLE} WHERE l_orderkey <= {most}",  # noqa: S608
                origin=f"calibration {name}",
            )
            for name, (columns, most) in RESULTS.items()
        ),
    )


def _fragment(job: Job, compiler: Compiler, store: str, name: str) -> CompiledFragment:
    columns, _ = RESULTS[name]
    widths = {each.name: each.width_bytes for each in job.catalog.table(_TABLE).columns}
    row_bytes = sum(widths[column] for column in columns)
    return whole_statement(compiler, name, _TABLE, store, row_bytes=row_bytes)
