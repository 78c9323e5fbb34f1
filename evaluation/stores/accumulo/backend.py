"""Accumulo: a sorted store of keys, read by Spark through a connector of ours."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event
from typing import ClassVar

from evaluation.bulk import bulk
from evaluation.federation.dialects import spark
from evaluation.installation.accumulo_jars import CLIENT, CONNECTOR
from evaluation.store_protocol.backend import LoadedTable, Scan, view_name
from evaluation.store_protocol.columns import quoted
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.failures import Failures
from evaluation.store_protocol.holding import Holding
from evaluation.store_protocol.register import STAGING, found, registered, staging_name
from evaluation.store_protocol.shared_clock import SharedClock
from evaluation.stores.accumulo import sessions
from evaluation.stores.accumulo.client_process import FailedError, Lane
from evaluation.stores.accumulo.names import qualified, spelled
from evaluation.stores.accumulo.sessions import session
from evaluation.stores.accumulo.tablets import TYPES, key_sample, schema, tablets
from placement.stores import Capability, Strength
from workloads.catalog import Table
from workloads.errors import StoreError

FORMAT = "placementadvisor.accumulo.spark.Source"
CATALOG = "placementadvisor.accumulo.spark.Catalog"
_NAME_CHARACTERS = 1024
_clock = SharedClock()


class Accumulo:
    """Accumulo 2.1; the namespace is a namespace.

    What is known of a copy stands in its table's own properties, and a copy appears by getting its
    name: there is no register beside the tables that could tell of others.
    """

    kind: ClassVar[str] = "accumulo"
    dialect: ClassVar[str] = "spark"
    jars: ClassVar[tuple[str, ...]] = (CONNECTOR, *CLIENT)
    capabilities: ClassVar[frozenset[Capability]] = frozenset(
        {Capability.SCAN, Capability.KEYS, Capability.ONE_SCAN}
    )
    lacks: ClassVar[frozenset[str]] = spark.LACKS
    holding: ClassVar[Holding] = Holding(types=TYPES)
    origin: ClassVar[str] = "placementadvisor.accumulo"
    # Most of a small table's load is waiting for the manager.
    loads_at_once: ClassVar[int] = 3
    makes_indexes: ClassVar[bool] = False
    keeps_filters: ClassVar[bool] = False
    strength: ClassVar[Strength] = Strength(
        key_ranges=True,
        start_s=0.02,
        scan_bytes_per_s=320e6,
        scan_rows_per_s=3.9e6,
        join_rows_per_s=1e6,
        aggregate_rows_per_s=1e6,
        transfer_bytes_per_s=85e6,
        transfer_rows_per_s=3e6,
        transfer_decimals_per_s=5e6,
        write_start_s=0.01,
        write_rows_per_s=10_000.0,
        load_bytes_per_s=5e6,
    )

    def scan(
        self, connection: Connection, table: str, *, timeout_s: float, fetch_size: int
    ) -> Scan:
        """Return the connector's options."""
        options = _options(connection, timeout_s, fetch_size)
        name = qualified(connection.namespace, table)
        return Scan(format=FORMAT, options={**options, "table": name})

    def catalog(self, connection: Connection, *, timeout_s: float, fetch_size: int) -> Scan:
        """Return the connector's catalog, whose tables are scanned in the same way."""
        return Scan(format=CATALOG, options=_options(connection, timeout_s, fetch_size))

    def end_sessions(self, connection: Connection, run: str) -> int:  # noqa: ARG002
        """End nothing: a scan ends with its task."""
        sessions.probe(connection)
        return 0

    def answers(self, connection: Connection) -> bool:
        """Tell whether a login succeeds."""
        return sessions.answers(connection)

    def refusals(self, connection: Connection) -> tuple[StoreError, ...]:
        """Log in: what the user may do is known when the namespace is prepared."""
        sessions.check(connection)
        return ()

    def table_name(self, connection: Connection, table: str) -> str:
        """Return the view's quoted name."""
        return quoted(view_name(connection.namespace, table), "`")

    @contextmanager
    def hold(self, connection: Connection) -> Iterator[None]:
        """Hold a node of ZooKeeper that ends with its session."""
        namespace = spelled(connection.namespace)
        with session(connection, "holding the namespace failed") as held:
            if not held.execute("hold", namespace=namespace):
                raise Failures(connection=connection).in_use()
            try:
                yield
            finally:
                if held.alive:
                    held.execute("release", namespace=namespace)

    def prepare(self, connection: Connection) -> None:
        """Create the namespace; publish or drop staged tables, as they are complete or not."""
        with session(connection, "preparing the namespace failed") as opened:
            opened.execute("prepare", namespace=spelled(connection.namespace), staging=STAGING)

    def loaded(self, connection: Connection) -> Mapping[str, LoadedTable]:
        """Return table → copy for every table that has what is known of a complete one."""
        with session(connection, "reading the tables' properties failed") as opened:
            tables = opened.execute("list", namespace=spelled(connection.namespace))
        entries = [
            (known["name"], known["fingerprint"], int(known["rows"]), float(known["load_s"]))
            for name, known in tables.items()
            if known.get("final") == name
        ]
        return found(connection.store, entries, [entry[0] for entry in entries])

    def load(self, connection: Connection, table: Table, stop: Event | None = None) -> LoadedTable:
        """Load text through a batch writer, merge each tablet's files, count, and give the name."""
        failures = Failures(connection=connection)
        name = qualified(connection.namespace, table.name)
        if len(name) > _NAME_CHARACTERS:
            raise StoreError(connection.store, f"the name of table '{table.name}' is too long.")
        staging = qualified(connection.namespace, staging_name(table.name))
        columns = schema(connection, table)
        sample = key_sample(failures, table)
        with (
            _clock.working() as seconds,
            session(connection, f"table '{table.name}' cannot be loaded") as opened,
        ):
            opened.execute(
                "create",
                table=staging,
                schema=columns,
                tablets=tablets(table),
                sample=sample,
                rows=table.rows,
            )
            sent = bulk.send(failures, table, _Rows(opened, connection), stop=stop)
            bulk.check_rows(failures, table, sent)
            bulk.check_rows(failures, table, opened.execute("finish"))
            opened.execute("settle", table=staging)
            bulk.check_rows(failures, table, opened.execute("count", table=staging))
            copy = LoadedTable.of(connection.store, table, load_s=seconds())
            opened.execute("publish", table=staging, name=name, known=_known(copy))
        return copy

    def drop(self, connection: Connection, table: str) -> None:
        """Drop the table, and what is known of it with it."""
        with session(connection, f"table '{table}' cannot be dropped") as opened:
            opened.execute("drop", table=qualified(connection.namespace, table))


def _options(connection: Connection, timeout_s: float, fetch_size: int) -> Mapping[str, str]:
    return {
        **sessions.login(connection),
        "timeout": str(timeout_s),
        "batch": str(fetch_size),
        "iterators": _iterators(connection),
    }


def _iterators(connection: Connection) -> str:
    return connection.options.get("iterators", "client")


def catalog_options(connection: Connection) -> Mapping[str, str]:
    """Return what our connector of Trino's is told of a store: its password is no part of it."""
    known = sessions.login(connection)
    told = {key: known[key] for key in ("zookeepers", "instance", "user", "tls", "ca")}
    told["iterators"] = _iterators(connection)
    return {key: value for key, value in told.items() if value}


@dataclass(frozen=True, slots=True)
class _Rows:
    """Sends rows to the load of a session; its other end writes them as they come."""

    lane: Lane
    connection: Connection

    def __call__(self, chunks: Iterable[memoryview]) -> int:
        rows = 0
        with Failures(connection=self.connection).told("sending rows failed", FailedError):
            for chunk in chunks:
                self.lane.send(chunk)
                # Of a row's text only its end is a new line.
                rows += bytes(chunk).count(b"\n")
        return rows


def _known(copy: LoadedTable) -> Mapping[str, str]:
    return {
        "name": copy.table,
        "fingerprint": registered(copy.fingerprint, copy.as_of),
        "rows": str(copy.rows),
        "load_s": repr(copy.load_s),
    }
