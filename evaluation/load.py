"""Loads the union of all candidates' copies, each once."""

from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from contextvars import copy_context
from dataclasses import dataclass, replace
from functools import partial
from threading import Event
from time import perf_counter

from evaluation.bulk.bulk import LoadStoppedError
from evaluation.kinds import BACKENDS
from evaluation.replaced_files import is_replaced
from evaluation.store_protocol.backend import LoadedTable, Reindexing
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.indexes import index_mark
from evaluation.store_protocol.patience import interrupted_by
from placement.plan import PlacementPlan
from workloads.catalog import Catalog, Table
from workloads.copied_indexes import with_indexes
from workloads.errors import StoreError
from workloads.indexes import NamedIndex
from workloads.progress import Progress, Task


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedStores:
    """The copies that the candidates need, all complete, by (table, store)."""

    copies: Mapping[tuple[str, str], LoadedTable]

    @property
    def loaded(self) -> tuple[LoadedTable, ...]:
        """The copies that were missing or out of date, and were loaded now."""
        return tuple(copy for copy in self.copies.values() if not copy.found)

    @property
    def reindexed(self) -> tuple[LoadedTable, ...]:
        """The copies that were complete already but for their indexes, which were changed now."""
        return tuple(copy for copy in self.copies.values() if copy.reindexed)

    @property
    def found(self) -> tuple[LoadedTable, ...]:
        """The copies that were complete already, with other indexes or with those of now."""
        return tuple(copy for copy in self.copies.values() if copy.found)

    def load_s(self, plan: PlacementPlan) -> float:
        """Return the seconds that loading the copies of `plan` took, whenever that was."""
        return sum(
            self.copies[table, store].load_s
            for table, stores in plan.placement.items()
            for store in stores
        )


def load(
    catalog: Catalog,
    plans: Sequence[PlacementPlan],
    connections: Mapping[str, Connection],
    progress: Progress,
    *,
    ends: float | None = None,
) -> LoadedStores:
    """Load what any of `plans` places and is missing or out of date; touch nothing else.

    A copy that lacks nothing but indexes, or has others, is re-indexed: its rows stay.
    The stores load side by side, each as many tables at once as its kind bears. When one fails, or
    is not done at `ends` (of `perf_counter`), the others stop as well, and what is complete stays.

    Raises:
        StoreError: A store cannot be reached, does not take a table, is late, or is in no
            connection.
        CatalogError: A plan places a table that the catalog does not know.
    """
    wanted = _wanted(catalog, plans, connections)
    total = sum(table.bytes for tables in wanted.values() for table in tables)
    failed, interrupted = Event(), Event()
    context = interrupted_by(interrupted)
    with ExitStack() as stack:
        task = stack.enter_context(progress.task("Loading the stores", total))
        pool = stack.enter_context(ThreadPoolExecutor(max(1, len(wanted))))
        futures = {
            store: pool.submit(
                context.copy().run, _load_store, connections[store], tables, task, failed
            )
            for store, tables in wanted.items()
        }
        try:
            copies = [copy for each in futures.items() for copy in _loaded(*each, ends)]
        except Exception:
            failed.set()
            if ends is not None and perf_counter() >= ends:
                interrupted.set()
            raise
        except BaseException:
            # The pool would wait for every table still to come, and for a server that is silent.
            failed.set()
            interrupted.set()
            raise
    copies += _live(catalog, plans)
    return LoadedStores(copies={(copy.table, copy.store): copy for copy in copies})


def _loaded(
    store: str, loading: Future[list[LoadedTable]], ends: float | None
) -> list[LoadedTable]:
    """Wait for a store's copies; raise StoreError where it is not done in time."""
    try:
        return loading.result(None if ends is None else max(0.0, ends - perf_counter()))
    except TimeoutError:
        if loading.done():  # it is the store's own
            raise
        raise StoreError(store, "was not loaded in time.") from None


def _live(catalog: Catalog, plans: Sequence[PlacementPlan]) -> list[LoadedTable]:
    """Return the placed tables that no store has to be loaded with."""
    placed = {
        (name, store)
        for plan in plans
        for name, stores in plan.placement.items()
        for store in stores
    }
    return [
        replace(LoadedTable.of(store, catalog.table(name), load_s=0.0), found=True)
        for name, store in sorted(placed)
        if _is_there(catalog.table(name), store)
    ]


def _is_there(table: Table, store: str) -> bool:
    """Tell whether a store has a table by itself, or nobody asks it for its rows.

    Of a live table without rows here no statement reads any.
    """
    return table.origin is not None and (table.origin.store == store or table.parquet is None)


def _wanted(
    catalog: Catalog, plans: Sequence[PlacementPlan], connections: Mapping[str, Connection]
) -> dict[str, list[Table]]:
    """Return store → tables that any plan places there, in the catalog's order; no live ones.

    They have the indexes that any plan chooses for them: the plans share the copies.
    """
    names: dict[str, set[str]] = {}
    for plan in plans:
        for table, stores in plan.placement.items():
            catalog.table(table)
            for store in stores:
                if not _is_there(catalog.table(table), store):
                    names.setdefault(store, set()).add(table)
    for store in names:
        if store not in connections:
            known = ", ".join(connections)
            raise StoreError(store, f"a plan places tables there, but known are only {known}.")
    return {
        store: [
            with_indexes(table, _indexes(plans, store))
            for name, table in catalog.tables.items()
            if name in placed
        ]
        for store, placed in names.items()
    }


def _indexes(plans: Sequence[PlacementPlan], store: str) -> Sequence[NamedIndex]:
    """Return the indexes that any of `plans` chooses for its copies in `store`, in order."""
    return sorted({index for plan in plans for index in plan.indexes.get(store, ())})


def _load_store(
    connection: Connection,
    tables: Sequence[Table],
    task: Task,
    failed: Event,
) -> list[LoadedTable]:
    """Load the tables of one store; once `failed` is set, by any store, all stop."""
    backend = BACKENDS[connection.kind]
    try:
        backend.prepare(connection)
        there = backend.loaded(connection)
        with ThreadPoolExecutor(backend.loads_at_once) as pool:
            futures = [
                pool.submit(
                    copy_context().run,
                    partial(_load_table, connection, table, there.get(table.name), task, failed),
                )
                for table in tables
            ]
            copies = [future.result() for future in futures]
    except BaseException:
        failed.set()
        raise
    return [copy for copy in copies if copy is not None]


def _load_table(
    connection: Connection, table: Table, there: LoadedTable | None, task: Task, failed: Event
) -> LoadedTable | None:
    """Load a table that is not there as it is now; None once `failed` is set, as this may do."""
    if failed.is_set():
        return None
    try:
        copy, backend = there, BACKENDS[connection.kind]
        if copy is None or copy.fingerprint != table.fingerprint:
            copy = _loaded_anew(connection, table, failed)
        elif copy.indexes != (index_mark(table) if backend.makes_indexes else ""):
            changed = None
            if isinstance(backend, Reindexing):
                changed = backend.reindex(connection, table, copy, failed)
            copy = changed or _loaded_anew(connection, table, failed)
    except LoadStoppedError:
        return None
    except BaseException:
        failed.set()
        raise
    task.advance(table.bytes)
    return copy


def _loaded_anew(connection: Connection, table: Table, failed: Event) -> LoadedTable:
    """Load a table; StoreError where its files are others than when it was measured."""
    backend = BACKENDS[connection.kind]
    _refuse_replaced(connection, table)
    copy = backend.load(connection, table, failed)
    if is_replaced(table):
        # It may have rows of both, and its register says that they are those of before.
        backend.drop(connection, table.name)
        _refuse_replaced(connection, table)
    return copy


def _refuse_replaced(connection: Connection, table: Table) -> None:
    """Raise StoreError where the files of a table are others than when they were measured."""
    if is_replaced(table):
        raise StoreError(
            connection.store,
            f"table '{table.name}' cannot be loaded: its Parquet {table.parquet} was replaced or "
            "written to since it was measured. Run the command again once the files stay as they "
            "are.",
        )
