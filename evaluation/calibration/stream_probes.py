"""The seconds of one result by the number of statements that read it: what dividing saves."""

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import mean
from typing import TYPE_CHECKING

from evaluation.calibration.whole_statements import whole_statement
from evaluation.engines.fragments import dialects
from evaluation.federation.compile import Compiler
from evaluation.federation.compiled import CompiledQuery
from evaluation.federation.portions import Ranged
from evaluation.kinds import JDBC
from evaluation.running.bounded_frames import QueryFailedError
from evaluation.running.execution import Federation
from evaluation.running.job import Job
from placement.transfer.bounds import MOST_MESSAGE
from placement.transfer.link import TransferSettings
from placement.transfer.streams import StreamTimes
from workloads.errors import SqlError
from workloads.progress import Progress
from workloads.workload import Query, Workload

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

STATEMENTS = (1, 2, 4)
REPEATS = 2
_TABLE, _VIEW = "lineitem", "divided"
COLUMNS = ("l_orderkey", "l_suppkey", "l_shipdate", "l_comment")
"""Some numbers, a day and a text: a row of neither the least nor the greatest width."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Streaming:
    """The times of the stores whose driver reads ranges; `failed` maps store → why not."""

    stores: Mapping[str, StreamTimes]
    failed: Mapping[str, str]


def stream_times(spark: "SparkSession", job: Job, progress: Progress) -> Streaming:
    """Read a table of each of the job's stores, which hold TPC-H whole, by several statements.

    Numbers of statements take turns, in an order drawn by the job's seed, after one reading that
    does not count. The seconds are those of the whole query: the engine's cores are in them.
    """
    names = [name for name, each in job.connections.items() if each.kind in JDBC]
    found: dict[str, StreamTimes] = {}
    failed: dict[str, str] = {}
    with (
        Federation(spark, job.connections, timeout_s=job.query_timeout_s) as federation,
        progress.task("Probing statements at once", len(names)) as task,
    ):
        for store in names:
            try:
                found[store] = times_of(_seconds(job, federation, store))
            except (QueryFailedError, SqlError) as error:
                failed[store] = str(error)
            task.advance()
    return Streaming(stores=found, failed=failed)


def times_of(seconds: Mapping[int, Sequence[float]]) -> StreamTimes:
    """Return what the repeated readings by each number of statements tell."""
    one_s = mean(seconds[1])
    spreads = [(max(each) - min(each)) / mean(each) for each in seconds.values()]
    return StreamTimes(
        shares=tuple((count, mean(seconds[count]) / one_s) for count in sorted(seconds)),
        error=max(spreads),
    )


def _seconds(job: Job, federation: Federation, store: str) -> dict[int, list[float]]:
    """Return number of statements → the seconds of each reading."""
    workload = Workload(name="streams", dialect="duckdb", queries=(_query(),))
    compiler = Compiler(workload, job.catalog, dialects(job))
    table = job.catalog.table(_TABLE)
    row_bytes = sum(table.column(each).width_bytes for each in COLUMNS)
    fragment = whole_statement(compiler, _VIEW, _TABLE, store, row_bytes=row_bytes)
    read = ", ".join(f"max(`{each}`) AS `{each}`" for each in fragment.columns)
    asked = CompiledQuery(
        query=_VIEW,
        fragments=(replace(fragment, view=_VIEW),),
        combine_sql=f"SELECT {read} FROM {_VIEW}",  # noqa: S608
    )
    known = table.column(COLUMNS[0]).statistics
    if known is None or known.minimum is None or known.maximum is None:
        raise SqlError(f"nothing is known of the values of {COLUMNS[0]}", origin=_VIEW)
    low, high = int(known.minimum), int(known.maximum)

    # Large results come in portions; without settings, one that is predicted to be small does not.
    portions = TransferSettings(fetch_rows=job.fetch_size, message_bytes=MOST_MESSAGE)

    def by(count: int) -> CompiledQuery:
        divided = Ranged(
            column=fragment.columns[0], low=low, high=high, rows=table.rows, statements=count
        )
        return replace(
            asked, fragments=(replace(asked.fragments[0], ranged=divided, transfer=portions),)
        )

    turns = [count for count in STATEMENTS for _ in range(REPEATS)]
    random.Random(job.seed).shuffle(turns)  # noqa: S311 - an order, no secret
    federation.run(by(1))
    seconds: dict[int, list[float]] = defaultdict(list)
    for count in turns:
        seconds[count].append(federation.run(by(count)).seconds)
    return seconds


def _query() -> Query:
    sql = f"SELECT {', '.join(COLUMNS)} FROM {_TABLE}"  # noqa: S608
    return Query(name=_VIEW, sql=sql, origin="calibration of statements at once")
