"""The in-memory object store: tables as sealed Arrow objects in the shared memory of its nodes."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import contextmanager
from threading import Event
from time import perf_counter
from typing import TYPE_CHECKING, ClassVar

import pyarrow as pa

from evaluation.bulk import bulk
from evaluation.bulk.arrow_columns import TYPES, arrow_schema
from evaluation.bulk.row_groups import RowGroups, row_group_parts
from evaluation.federation.dialects import spark
from evaluation.objects.client import ObjectClient
from evaluation.objects.errors import NodeLostError, ObjectError, RefusedError
from evaluation.objects.tables import SpaceTables, StoredTable, TablePart, schema_text
from evaluation.store_protocol.backend import LoadedTable, Scan, view_name
from evaluation.store_protocol.columns import quoted
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.failures import Failures
from evaluation.store_protocol.holding import Holding
from evaluation.store_protocol.register import as_of, fingerprint_of, registered
from placement.stores import Capability, Strength
from workloads.catalog import Table
from workloads.errors import StoreError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_ROWS_PER_OBJECT = 200_000
_ROWS_PER_BATCH = 50_000


class Objects:
    """The object store; the namespace is a space of its register.

    A table lies in objects of some 200,000 rows, on the nodes in turn. There is no key.
    """

    kind: ClassVar[str] = "objects"
    loads_at_once: ClassVar[int] = 1
    makes_indexes: ClassVar[bool] = False
    dialect: ClassVar[str] = "spark"
    jars: ClassVar[tuple[str, ...]] = ()
    origin: ClassVar[str] = "org.apache.spark.api.python."
    keeps_filters: ClassVar[bool] = True
    capabilities: ClassVar[frozenset[Capability]] = frozenset({Capability.SCAN})
    lacks: ClassVar[frozenset[str]] = spark.LACKS
    holding: ClassVar[Holding] = Holding(types=TYPES, first_year=None)
    strength: ClassVar[Strength] = Strength(
        columnar=True,
        start_s=0.22,
        scan_bytes_per_s=2e9,
        join_rows_per_s=1e6,
        aggregate_rows_per_s=1e6,
        transfer_bytes_per_s=150e6,
        transfer_rows_per_s=1.4e6,
        write_start_s=0.05,
        write_rows_per_s=1e6,
        load_bytes_per_s=100e6,
    )

    def scan(
        self,
        connection: Connection,
        table: str,
        *,
        timeout_s: float,  # noqa: ARG002 - a task that is cancelled stops reading
        fetch_size: int,  # noqa: ARG002 - rows come as the objects' batches
    ) -> Scan:
        """Return how Spark scans our copy: by a Python data source, which its tasks run."""
        return Scan(
            format="placement_objects",
            options={
                "nodes": json.dumps(addresses(connection)),
                "password": connection.password or "",
                "space": connection.namespace,
                "table": table,
                "silence": str(connection.silence_s),
            },
            register=_register,
            columns_option="columns",
        )

    def catalog(
        self,
        connection: Connection,  # noqa: ARG002
        *,
        timeout_s: float,  # noqa: ARG002
        fetch_size: int,  # noqa: ARG002
    ) -> Scan | None:
        """Return none: Spark's catalogs are Java's, and the scan is Python's."""
        return None

    def end_sessions(self, connection: Connection, run: str) -> int:  # noqa: ARG002
        """End none: what a task holds ends with the task."""
        return 0

    def answers(self, connection: Connection) -> bool:
        """Tell whether every node answers."""
        try:
            self.refusals(connection)
        except StoreError:
            return False
        return True

    def refusals(self, connection: Connection) -> tuple[StoreError, ...]:
        """Ask every node: whoever knows the secret may write."""
        with (
            _client(connection) as client,
            Failures(connection=connection).told("asking its nodes failed", ObjectError),
        ):
            client.usage()
        return ()

    def table_name(self, connection: Connection, table: str) -> str:
        """Return the quoted name of the view that stands for a table."""
        return quoted(view_name(connection.namespace, table), "`")

    @contextmanager
    def hold(self, connection: Connection) -> Iterator[None]:
        """Hold a lock of the nodes, which ends with our session at the latest."""
        failures = Failures(connection=connection)
        name = f"space {connection.namespace}"
        with _client(connection) as client:
            with failures.told("holding its namespace failed", ObjectError):
                if not client.lock(name):
                    raise failures.in_use()
            yield

    def prepare(self, connection: Connection) -> None:
        """Delete the objects of the namespace that are of no table."""
        with _tables(connection, "preparing the namespace failed") as tables:
            tables.clean()

    def loaded(self, connection: Connection) -> Mapping[str, LoadedTable]:
        """Return table → copy for every entry of the register, all of whose nodes answer."""
        with _tables(connection, "reading the register failed") as tables:
            return {
                name: LoadedTable(
                    store=connection.store,
                    table=name,
                    fingerprint=fingerprint_of(each.fingerprint),
                    as_of=as_of(each.fingerprint),
                    rows=each.rows,
                    load_s=each.load_s,
                    found=True,
                )
                for name, each in tables.all().items()
            }

    def load(self, connection: Connection, table: Table, stop: Event | None = None) -> LoadedTable:
        """Seal the table's rows as objects, by a thread a core; count them, then register them."""
        started = perf_counter()
        failures = Failures(connection=connection)
        files = bulk.files(failures, table)
        schema = arrow_schema(connection.store, table)
        work = f"table '{table.name}' cannot be loaded"
        with failures.told(work, pa.ArrowException, OSError), _tables(connection, work) as tables:
            pieces = row_group_parts(files, schema.names, _ROWS_PER_OBJECT)
            parts: list[TablePart] = []
            try:
                _seal(tables, pieces, schema, parts, stop or Event())
                bulk.check_rows(failures, table, sum(each.rows for each in parts))
                copy = LoadedTable.of(connection.store, table, load_s=perf_counter() - started)
                replaced = tables.register(
                    table.name,
                    StoredTable(
                        fingerprint=registered(copy.fingerprint, copy.as_of),
                        rows=copy.rows,
                        load_s=copy.load_s,
                        schema=schema_text(schema),
                        parts=tuple(parts),
                    ),
                )
            except BaseException:
                tables.drop_parts(parts)
                raise
            tables.drop_parts(replaced)
        return copy

    def drop(self, connection: Connection, table: str) -> None:
        """Remove the entry, then delete the objects."""
        with _tables(connection, f"table '{table}' cannot be dropped") as tables:
            tables.drop(table)


def addresses(connection: Connection) -> Sequence[str]:
    """Return where nodes of the store are, as ``host:port``."""
    return connection.nodes or (f"{connection.host}:{connection.port}",)


def _seal(
    tables: SpaceTables,
    pieces: Sequence[RowGroups],
    schema: pa.Schema,
    parts: list[TablePart],
    stop: Event,
) -> None:
    """Seal each piece as an object; when one fails, or `stop` is set, the others end."""

    def seal(piece: RowGroups, node: str) -> None:
        for part in tables.add_parts(_cast(piece, schema, stop), schema, node):
            parts.append(part)  # noqa: PERF402 - those of a load that fails are dropped

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        sealing = [pool.submit(seal, *each) for each in zip(pieces, tables.nodes(), strict=False)]
        try:
            done, _ = wait(sealing, return_when=FIRST_EXCEPTION)
            for each in done:
                each.result()
        except BaseException:
            stop.set()
            for each in sealing:
                each.cancel()
            raise


def _cast(piece: RowGroups, schema: pa.Schema, stop: Event) -> Iterator[pa.RecordBatch]:
    for batch in piece.batches(_ROWS_PER_BATCH):
        if stop.is_set():
            raise bulk.LoadStoppedError
        yield batch.cast(schema)


def _register(spark: "SparkSession") -> None:
    from evaluation.objects import spark_source

    spark_source.register(spark)


@contextmanager
def _tables(connection: Connection, work: str) -> Iterator[SpaceTables]:
    """Give the namespace's tables; StoreError for what fails, where `work` says what went on."""
    failures = Failures(connection=connection)
    with _client(connection) as client, failures.told(work, ObjectError):
        yield SpaceTables(client, connection.namespace)


def _client(connection: Connection) -> ObjectClient:
    with Failures(connection=connection).logging_in(NodeLostError, RefusedError):
        return ObjectClient(
            addresses(connection), connection.password or "", silence_s=connection.silence_s
        )
