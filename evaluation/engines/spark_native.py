"""Spark's own pushdown as an engine: every store a catalog of Spark, the query as it was written.

The catalogs of stores that run SQL are `JDBCTableCatalog` with all that it can push down: filters,
aggregates, limits, offsets, samples and joins. Those of scanned stores are their back ends', which
take columns and filters. What is pushed is Spark's choice.
"""

import secrets
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

from evaluation.engines.engine import Engine
from evaluation.federation.compile import Compiler
from evaluation.federation.located import LocatedQuery, Writer
from evaluation.judging.oracle import Oracle
from evaluation.judging.types import TypeRule
from evaluation.kinds import JDBC, SCANNED, in_catalogs
from evaluation.measuring.measurement import Moved
from evaluation.measuring.plan_metrics import CatalogScan, catalog_scans
from evaluation.running.bounded_frames import BoundedFrames, QueryFailedError, vendor
from evaluation.running.executed import Execution
from evaluation.running.failover import SecondTry
from evaluation.running.job import Job
from evaluation.spark.in_process import connected_in_process
from evaluation.spark.joins import join_settings
from evaluation.store_protocol.connection import Connection
from placement.plan import PlacementPlan
from workloads.catalog import Catalog
from workloads.errors import ConfigurationError
from workloads.sql.meaning import FOREIGN

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CATALOG = "org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog"
PUSHED = ("Aggregate", "Limit", "Offset", "TableSample", "Join")
"""Pushdowns of a catalog that ``pushDown…`` turns on; filters are pushed anyway."""
JOIN_PUSHDOWN = "spark.sql.optimizer.datasourceV2JoinPushdown"
# By how much the store's own time limit comes before the one on its silence.
_SILENCE_BEYOND_S = 2.0
_VALUE_BYTES = 8.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Located:
    """One query in Spark's SQL."""

    query: LocatedQuery
    frames: BoundedFrames
    stores: Mapping[str, str]
    widths: Mapping[str, float]

    def run(self, *, counted: bool = True) -> Execution:
        """Run it in Spark, which asks the stores for what it likes."""
        spark = self.frames.spark
        done = self.frames.collect(
            lambda: spark.sql(self.query.sql), self.query.stores, counted=counted
        )
        answered = Execution(
            columns=done.answer.columns, rows=done.answer.rows, seconds=done.seconds, moved={}
        )
        if done.counted is None:
            return answered
        return replace(
            answered,
            moved=moved(catalog_scans(done.frame), self.stores, self.widths),
            exchanges=done.counted.exchanges,
            shuffle_bytes=done.counted.shuffle_bytes,
            peak_memory_bytes=done.counted.peak_memory_bytes,
            operators_memory_bytes=done.counted.operators_memory_bytes,
            shuffle_records=done.counted.shuffle_records,
            exchanged_rows=done.counted.exchanged_rows,
            spilled_bytes=done.counted.spilled_bytes,
        )

    def again(self, error: QueryFailedError) -> SecondTry | None:  # noqa: ARG002
        """Try nothing: Spark knows of no other copies."""
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class SparkNative:
    """Spark with a catalog for each store. `stores` maps the source of a scan to its store."""

    types: ClassVar[TypeRule] = TypeRule.FAMILY
    compiler: Compiler
    writer: Writer
    frames: BoundedFrames
    stores: Mapping[str, str]

    def prepare(self, query: str, plan: PlacementPlan) -> _Located:
        """Write `query` in Spark's SQL; SqlError where that cannot be done."""
        located = self.writer.located(
            query, self.compiler.tree(query, as_asked=True), plan.routing[query]
        )
        return _Located(
            query=located,
            frames=self.frames,
            stores=self.stores,
            widths=widths(self.writer.catalog),
        )

    def learn(self, other: Engine) -> None:
        """Know no more: Spark plans every statement anew."""


@contextmanager
def open_spark_native(spark: "SparkSession", job: Job, oracle: Oracle) -> Iterator[SparkNative]:  # noqa: ARG001
    """Open the engine for the length of the block, in a session of its own.

    A session keeps a catalog as it was when it was first used: another run's marks and time limit
    need another session.

    Raises:
        ConfigurationError: A store is no catalog of Spark.
    """
    refuse_unlisted(job, "spark-native")
    run = secrets.token_hex(8)
    catalogs = {name: _catalog(each, job, run) for name, each in job.connections.items()}
    own = spark.newSession()
    own.conf.set(JOIN_PUSHDOWN, "true")
    # A new session has none of the settings that the first one was given since it began.
    for key, value in join_settings(job.join_strategy).items():
        own.conf.set(key, value)
    for name, catalog in catalogs.items():
        own.conf.set(f"spark.sql.catalog.{name}", catalog.name)
        for key, value in {**catalog.options, **catalog.pushdown}.items():
            _set(own, f"spark.sql.catalog.{name}.{key}", value)
    frames = BoundedFrames(
        own,
        job.connections,
        run=run,
        origins={name: catalog.origin for name, catalog in catalogs.items()},
        timeout_s=job.query_timeout_s,
    )
    with ExitStack() as held:
        for name, connection in job.connections.items():
            if connection.path is not None and connection.path.exists():
                # It would be closed, and its cache lost, after every query.
                held.enter_context(connected_in_process(own, catalogs[name].options))
        yield SparkNative(
            compiler=Compiler(job.workload, job.catalog, {}),
            writer=writer(job, "spark"),
            frames=frames,
            stores={catalog.source: name for name, catalog in catalogs.items()},
        )


def _set(spark: "SparkSession", key: str, value: str) -> None:
    """Set a key of the session, which no log of Spark's events shows if it is a password.

    A log hides secrets of the context's own configuration, but of a session's only those whose keys
    that configuration has as well.
    """
    if "password" in key.lower():
        context: Any = spark.sparkContext
        context._jsc.sc().conf().set(key, "")
    spark.conf.set(key, value)


def writer(job: Job, dialect: str) -> Writer:
    """Return how to write the job's queries for an engine that calls each store by its name."""
    return Writer(
        dialect=dialect,
        catalog=job.catalog,
        namespaces={name: each.namespace for name, each in job.connections.items()},
        same_meaning=job.workload.dialect in ("duckdb", *FOREIGN),
    )


def refuse_unlisted(job: Job, engine: str) -> None:
    """Refuse stores whose tables are in no catalog of another engine's.

    Raises:
        ConfigurationError: There is one.
    """
    for name, connection in job.connections.items():
        if not in_catalogs(connection.kind):
            raise ConfigurationError(
                f"The engine '{engine}' cannot read store '{name}': neither Spark nor Trino has a "
                f"catalog of kind '{connection.kind}'. Write [evaluate].engine = 'fragments', or "
                "leave the store out."
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Catalog:
    """A store as a catalog: the name of its class, and what it is told.

    `pushdown` turns on what the class can push down. `origin` is how the names of the classes begin
    that its errors have, `source` what tells its scans from those of others.
    """

    name: str
    options: Mapping[str, str]
    pushdown: Mapping[str, str] = field(default_factory=dict)
    origin: str
    source: str


def _catalog(connection: Connection, job: Job, run: str) -> _Catalog:
    """Return the store with the options of our own reads."""
    timeout_s = job.query_timeout_s
    if connection.kind in SCANNED:
        scanned = SCANNED[connection.kind]
        found = scanned.catalog(connection, timeout_s=timeout_s, fetch_size=job.fetch_size)
        if found is None:
            raise TypeError(f"kind {connection.kind} has no catalog")
        return _Catalog(
            name=found.format,
            options=found.options,
            origin=scanned.origin,
            source=connection.store,
        )
    backend = JDBC[connection.kind]
    options = backend.session_options(
        backend.jdbc(connection, timeout_s=timeout_s, fetch_size=job.fetch_size),
        run,
        silence_s=timeout_s + _SILENCE_BEYOND_S,
    )
    return _Catalog(
        name=CATALOG,
        options=options,
        pushdown={f"pushDown{what}": "true" for what in PUSHED},
        origin=vendor(options["driver"]),
        source=options["url"],
    )


def widths(catalog: Catalog) -> Mapping[str, float]:
    """Return the mean width in bytes of each column, by its name in lower case.

    Columns of one name in several tables have the widest.
    """
    found: dict[str, float] = {}
    for table in catalog.tables.values():
        for column in table.columns:
            name = column.name.lower()
            found[name] = max(found.get(name, 0.0), column.width_bytes)
    return found


def moved(
    scans: list[CatalogScan], stores: Mapping[str, str], known: Mapping[str, float]
) -> Mapping[str, Moved]:
    """Return store → what Spark's scans read from it; a computed column has eight bytes."""
    rows: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    for scan in scans:
        store = stores[scan.source]
        width = sum(known.get(name.lower(), _VALUE_BYTES) for name in scan.columns)
        rows[store] += scan.rows
        sizes[store] += round(scan.rows * width)
    return {store: Moved(rows=rows[store], bytes=sizes[store]) for store in rows}
