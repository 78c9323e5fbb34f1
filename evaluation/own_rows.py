"""The rows of stores' own tables, read once as Parquet: what answers and copies are checked by."""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Event

import pyarrow as pa
import pyarrow.parquet as pq

from evaluation.bulk.bulk import LoadStoppedError
from evaluation.kept_rows import KeptRows, keep, kept_rows
from evaluation.kinds import KINDS
from evaluation.live.csv_rows import UnplacedValueError
from evaluation.live.own_tables import BATCH_ROWS, OwnTables, Reader, arrow_schema
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.patience import interrupted_by
from placement.sizes import human_bytes
from workloads.cache import locked
from workloads.catalog import Catalog, Column, Origin, Table
from workloads.errors import StoreError
from workloads.measuring.measured import measured
from workloads.measuring.table_files import TableFiles
from workloads.progress import Progress, Task


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnStore:
    """A store that is read: `most_bytes` is how much of it may be, counted as in the catalog.

    Tables beyond that are left there (`too_large`).
    """

    connection: Connection
    most_bytes: int

    @property
    def tables(self) -> OwnTables:
        """The reader of its tables."""
        own = KINDS[self.connection.kind].own
        if own is None:
            raise ValueError(f"stores of kind {self.connection.kind} have no tables of their own")
        return own

    def unplaced(self, tables: Sequence[Table], error: UnplacedValueError) -> StoreError:
        """Return the error that names all columns with values without a place, after the first."""
        found = [
            f"{table.name}.{column} ({type_})"
            for table in tables
            for column, type_ in self.tables.unplaced(self.connection, table).items()
        ]
        if not found:
            return error
        return StoreError(
            self.connection.store,
            f"no copy can hold values of {', '.join(found)}: change the values, or leave the "
            "statements out that read these tables, with [workload].queries.",
        )

    def outgrown(self, table: Table) -> StoreError:
        """Return the error that says that `table` has more rows than its statistics say."""
        name = self.connection.store
        return StoreError(
            name,
            f"its table '{table.name}' is larger than its statistics say, so that more than the "
            f"{human_bytes(self.most_bytes)} would be read that answers may be checked by: ANALYZE "
            f"it there, raise [stores.{name}].snapshot, or choose fewer queries with "
            "[workload].queries.",
        )


def too_large(
    catalog: Catalog, names: Collection[str], most_bytes: Mapping[str, int]
) -> frozenset[str]:
    """Return the live tables among `names` that are beyond what may be read of their stores.

    `most_bytes` is that of each store. Small tables are read first: of these there are most.
    """
    found = set()
    for store, most in most_bytes.items():
        left = most
        own = (each for each in catalog.tables_of(store).values() if each.name in names)
        for table in sorted(own, key=lambda each: (each.bytes, each.name)):
            left -= table.bytes
            if left < 0:
                found.add(table.name)
    return frozenset(found)


def with_too_large(catalog: Catalog, names: Collection[str]) -> Catalog:
    """Return the catalog in which the live tables `names` are known to be too large to be read."""
    tables = {
        name: replace(table, origin=replace(table.origin, is_too_large=True))
        if name in names and table.origin is not None
        else table
        for name, table in catalog.tables.items()
    }
    return replace(catalog, tables=tables)


def with_own_rows(
    catalog: Catalog,
    names: Collection[str],
    stores: Mapping[str, OwnStore],
    folder: Path,
    progress: Progress,
) -> Catalog:
    """Return the catalog with the rows of the tables `names`, each as its store has it now.

    Those of one store are read in one transaction, the stores side by side. They are written to
    `folder`, a part of a table after the other, and measured there. Of one that is too large only
    the mark is asked for.

    Raises:
        StoreError: A store does not answer, a table has outgrown its statistics, or a value has no
            place.
    """
    wanted = {
        name: [
            table
            for table in catalog.tables_of(name).values()
            # Of a table without columns Parquet would not even keep the number of rows.
            if table.name in names and not table.is_bare
        ]
        for name in stores
    }
    wanted = {name: tables for name, tables in wanted.items() if tables}
    if not wanted:
        return catalog
    found = dict(catalog.tables)
    with locked(f"live-tables-{_short(str(folder))}", progress):
        read = _side_by_side(wanted, stores, folder, progress)
        for name, written in read.items():
            for table in _measured(written, folder / name, progress):
                found[table.name] = table
    return replace(catalog, tables=found)


def _side_by_side(
    wanted: Mapping[str, Sequence[Table]],
    stores: Mapping[str, OwnStore],
    folder: Path,
    progress: Progress,
) -> Mapping[str, Sequence[Table]]:
    """Read the tables of each store by a thread of its own; when one fails, the others stop."""
    total = sum(table.rows for tables in wanted.values() for table in tables)
    failed, interrupted = Event(), Event()
    context = interrupted_by(interrupted)
    with (
        progress.task("Reading the stores' own tables", total) as task,
        ThreadPoolExecutor(len(wanted)) as pool,
    ):
        work = _Work(folder=folder, task=task, stop=failed)
        reading = {
            name: pool.submit(context.copy().run, work.read, stores[name], tables)
            for name, tables in wanted.items()
        }
        try:
            for done in as_completed(reading.values()):
                done.result()
        except Exception:
            failed.set()
            raise
        except BaseException:
            # The pool would wait for all rows still to come, and for a server that is silent.
            failed.set()
            interrupted.set()
            raise
        return {name: future.result() for name, future in reading.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Work:
    """Reading of tables into `folder`, of which `task` hears, and which ends once `stop` is set."""

    folder: Path
    task: Task
    stop: Event

    def read(self, store: OwnStore, tables: Sequence[Table]) -> list[Table]:
        """Write the rows of all tables of a store, and return them with when that was."""
        folder = self.folder / store.connection.store
        folder.mkdir(parents=True, exist_ok=True)
        # Who may read the rows on their server is not for this machine's users to extend.
        folder.chmod(0o700)
        try:
            return self._read_all(store, tables, folder)
        except UnplacedValueError as error:
            raise store.unplaced(tables, error) from None

    def _read_all(self, store: OwnStore, tables: Sequence[Table], folder: Path) -> list[Table]:
        found = []
        with store.tables.at_one_moment(store.connection) as reader:
            as_of = datetime.now(UTC).isoformat(timespec="seconds")
            left_bytes = store.most_bytes
            for table in tables:
                # Rows that were read before are those of this moment, if the store says so.
                origin = Origin(store=store.connection.store, as_of=as_of)
                if table.origin is not None and table.origin.is_too_large:
                    origin = replace(origin, mark=reader.mark(table), is_too_large=True)
                    found.append(replace(table, origin=origin))
                    continue
                path = folder / f"{_key(table)}.parquet"
                rows = self._rows(store, reader, table, path, left_bytes)
                left_bytes -= rows.size_bytes
                found.append(replace(table, parquet=path, origin=replace(origin, mark=rows.mark)))
        return found

    def _rows(
        self, store: OwnStore, reader: Reader, table: Table, path: Path, most_bytes: int
    ) -> KeptRows:
        """Write the rows of one table to `path`, unless those that are there are the same."""
        kept = kept_rows(path, table, store.connection)
        if kept is not None and kept.size_bytes <= most_bytes:
            if self.stop.is_set():
                raise LoadStoppedError
            if reader.mark(table, kept.mark) == kept.mark:
                self.task.advance(table.rows)
                return kept
        # Before the rows: an engine without transactions may change them while they are read.
        mark = reader.mark(table)
        rows = self._bounded(store, table, reader.batches(table), most_bytes)
        size_bytes = self._written(rows, arrow_schema(table), path)
        read = KeptRows(mark=mark, size_bytes=size_bytes)
        keep(path, table, store.connection, read)
        return read

    def _bounded(
        self, store: OwnStore, table: Table, batches: Iterable[pa.RecordBatch], most_bytes: int
    ) -> Iterator[pa.RecordBatch]:
        """Yield the batches; StoreError once they are larger than `most_bytes`."""
        size_bytes = 0
        for batch in batches:
            if self.stop.is_set():
                raise LoadStoppedError
            size_bytes += batch.nbytes
            if size_bytes > most_bytes:
                raise store.outgrown(table)
            yield batch

    def _written(self, batches: Iterable[pa.RecordBatch], schema: pa.Schema, path: Path) -> int:
        """Write the rows of one table, which appear there when all are; return their bytes."""
        partial = path.with_suffix(".partial")
        size_bytes = 0
        with pq.ParquetWriter(partial, schema) as writer:
            for batch in batches:
                size_bytes += batch.nbytes
                writer.write_batch(batch, row_group_size=BATCH_ROWS)
                self.task.advance(batch.num_rows)
        partial.replace(path)
        return size_bytes


def _key(table: Table) -> str:
    return _short(f"{table.schema}\0{table.own_name}")


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _measured(tables: Sequence[Table], folder: Path, progress: Progress) -> list[Table]:
    """Return the tables with what their Parquet tells: exact rows, statistics and a sample."""
    files = tuple(
        TableFiles(name=_key(each), parquet=each.parquet, files=(each.parquet,))
        for each in tables
        if each.parquet is not None
    )
    if not files:
        return list(tables)
    found = measured(files, folder / "tables.json", progress)
    return [
        each if each.parquet is None else _with_statistics(each, found[_key(each)])
        for each in tables
    ]


def _with_statistics(table: Table, read: Table) -> Table:
    return replace(
        table,
        columns=tuple(_column(each, read.column(each.name)) for each in table.columns),
        rows=read.rows,
        fingerprint=read.fingerprint,
        parquet=read.parquet,
        sample=read.sample,
    )


def _column(column: Column, read: Column) -> Column:
    return replace(column, width_bytes=read.width_bytes, statistics=read.statistics)
