"""Estimated rows from PostgreSQL's optimizer: EXPLAIN of each fragment as it would be sent."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import psycopg

from evaluation.federation.compile import Compiler
from evaluation.federation.store_dialect import StoreDialect
from evaluation.live.injected import injected
from evaluation.live.plans import Plan, below_groups, below_limit, explained, rows_of
from evaluation.servers.embedded import EmbeddedRequest, running
from evaluation.store_protocol.connection import Connection
from evaluation.stores.postgresql.sessions import Session, session_with
from placement.fragment import Fragment
from placement.plan import RoutedFragment
from placement.stores import Capability
from workloads.catalog import Catalog, Table
from workloads.errors import SqlError
from workloads.estimation.cardinality import Estimator
from workloads.footprint import Block, ColumnRef, Footprint, Source
from workloads.progress import Progress
from workloads.workload import Workload

NAMESPACE = "placement_advisor_estimates"
"""The schema of injected statistics, dropped after use."""

_STORE = "estimates"
_TIMEOUT_MS = 20_000
# Joins are written as a list of tables with conditions; past eight of them the order of the list
# would decide. From twelve (geqo_threshold) on the order is searched at random, from a fixed seed.
_COLLAPSE_LIMIT = 32
_SETTINGS = {
    "statement_timeout": str(_TIMEOUT_MS),
    "from_collapse_limit": str(_COLLAPSE_LIMIT),
    "join_collapse_limit": str(_COLLAPSE_LIMIT),
    # A parallel node's rows are those of one worker.
    "max_parallel_workers_per_gather": "0",
}


class Optimizer:
    """Asks one PostgreSQL for the rows of fragments of one workload.

    `refused` are the fragments that it could not plan, with its reason: statistics answer for
    them.
    """

    def __init__(
        self, session: Session, namespace: str, workload: Workload, catalog: Catalog
    ) -> None:
        self.catalog = catalog
        self.refused: dict[str, str] = {}
        self._session = session
        self._compiler = Compiler(
            workload, catalog, {_STORE: StoreDialect(dialect="postgres", namespace=namespace)}
        )

    def estimator(self, footprint: Footprint) -> "OptimizerEstimator":
        """Return the estimates for one query of the workload."""
        return OptimizerEstimator(self, footprint)

    def plan(self, fragment: Fragment) -> Plan | None:
        """Return the plan of a fragment, as EXPLAIN's JSON has its top node; None if refused.

        Raises:
            StoreError: The server has gone.
        """
        try:
            row = self._session.execute(explained(self.sql(fragment)).encode()).fetchone()
        except SqlError as error:
            self.refused[fragment.name] = str(error)
            return None
        except psycopg.Error as error:
            if self._session.closed:
                raise
            self.refused[fragment.name] = str(error).splitlines()[0]
            return None
        found: Plan = row[0][0]["Plan"] if row else {}
        return found

    def sql(self, fragment: Fragment) -> str:
        """Return what the federation would send for `fragment`.

        Raises:
            SqlError: PostgreSQL's dialect cannot say it.
        """
        routed = RoutedFragment(fragment=fragment, store=_STORE, predicted_s=0.0)
        return self._compiler.fragment_sql(fragment.query, routed)


class OptimizerEstimator:
    """Rows of one query's fragments by PostgreSQL's optimizer, with the interface of `Estimator`.

    What is no fragment (a block that refers to an enclosing one, a join with a derived table) and
    what PostgreSQL refuses are estimated from statistics. Widths are the catalog's: it knows them
    for every store, and the optimizer takes 32 bytes for whatever is computed.
    """

    def __init__(self, optimizer: Optimizer, footprint: Footprint) -> None:
        self.catalog = optimizer.catalog
        self.footprint = footprint
        self._optimizer = optimizer
        self._statistics = Estimator(optimizer.catalog, footprint)
        self._plans: dict[tuple[str, frozenset[str] | None], Plan | None] = {}

    def table(self, source: Source) -> Table:
        """Return the table of `source`."""
        return self._statistics.table(source)

    def rows_of_sources(self, block: str, aliases: Iterable[str]) -> float:
        """Return the rows of the join of some relations of a block after their own filters."""
        wanted = frozenset(aliases)
        found = self.footprint.block(block)
        if len(wanted) == 1 and (child := found.inputs.get(next(iter(wanted)))) is not None:
            return self.rows_of_block(child)
        plan = None
        if wanted <= {source.alias for source in found.sources}:
            plan = self._plan(found, wanted)
        if plan is None:
            return self._statistics.rows_of_sources(block, wanted)
        return rows_of(plan)

    def groups_of_sources(
        self, block: str, aliases: Iterable[str], columns: Iterable[ColumnRef]
    ) -> float:
        """Return the groups by `columns` of the join of some sources, by statistics."""
        wanted = frozenset(aliases)
        found = self._statistics.groups_of_sources(block, wanted, columns)
        return min(found, self.rows_of_sources(block, wanted))

    def joined_rows(self, block: str) -> float:
        """Return the rows that a block has before grouping, DISTINCT and LIMIT."""
        found = self.footprint.block(block)
        if found.kind == "set":
            return sum(self.rows_of_block(child) for child in found.children)
        plan = self._plan(found, None)
        return (
            self._statistics.joined_rows(block)
            if plan is None
            else rows_of(below_groups(plan, found))
        )

    def rows_of_block(self, name: str) -> float:
        """Return the rows that a block returns."""
        plan = self._plan(self.footprint.block(name), None)
        return self._statistics.rows_of_block(name) if plan is None else rows_of(plan)

    def rows_before_limit(self, name: str) -> float:
        """Return the rows that a block has before LIMIT: those that it sorts."""
        plan = self._plan(self.footprint.block(name), None)
        if plan is None:
            return self._statistics.rows_before_limit(name)
        return rows_of(below_limit(plan))

    def width(self, block: str, aliases: Iterable[str]) -> float:
        """Return the bytes of a row of the columns that a block needs of some of its sources."""
        return self._statistics.width(block, aliases)

    def needed_bytes(self, source: Source) -> float:
        """Return the bytes of a row of the columns that are needed of `source`."""
        return self._statistics.needed_bytes(source)

    def width_of_block(self, name: str) -> float:
        """Return the bytes of a row that a block returns."""
        return self._statistics.width_of_block(name)

    def _plan(self, block: Block, aliases: frozenset[str] | None) -> Plan | None:
        """Return the plan of some sources of a block, or of the whole block (None); once each."""
        key = (block.name, aliases)
        if key not in self._plans:
            fragment = self._fragment(block, aliases)
            self._plans[key] = None if fragment is None else self._optimizer.plan(fragment)
        return self._plans[key]

    def _fragment(self, block: Block, aliases: frozenset[str] | None) -> Fragment | None:
        is_root = block.name == self.footprint.blocks[0].name
        if aliases is None:
            if not (is_root or block.closed):
                return None
            kind = Capability.QUERY if is_root else Capability.BLOCK
            sources = [s for below in self.footprint.below(block.name) for s in below.sources]
        else:
            kind = Capability.JOIN if len(aliases) > 1 else Capability.SCAN
            sources = [source for source in block.sources if source.alias in aliases]
        return Fragment(
            query=self.footprint.query,
            kind=kind,
            block=block.name,
            sources=tuple(sorted(source.name for source in sources)),
            tables=frozenset(source.table for source in sources),
            scan_bytes=0.0,
            column_bytes=0.0,
            join_rows=0.0,
            aggregate_rows=0.0,
            rows_out=0.0,
            row_bytes_out=0.0,
        )


@contextmanager
def loaded_tables(
    connection: Connection, workload: Workload, catalog: Catalog
) -> Iterator[Optimizer]:
    """Ask the PostgreSQL of `connection`, whose namespace holds the tables of `catalog`.

    Raises:
        StoreError: It does not answer.
    """
    with session_with(connection, "estimating rows failed") as session:
        # Like fragments of several queries would be prepared, without values for parameters.
        session.prepare_threshold = None
        for name, value in _SETTINGS.items():
            session.execute(f"SET {name} = {value}".encode())
        yield Optimizer(session, connection.namespace, workload, catalog)


@contextmanager
def injected_statistics(
    connection: Connection, workload: Workload, catalog: Catalog, progress: Progress
) -> Iterator[Optimizer]:
    """Ask the PostgreSQL of `connection` over tables without rows that have `catalog`'s statistics.

    They lie in the schema `NAMESPACE`, which is made here and dropped afterwards.

    Raises:
        StoreError: It does not answer, or is older than PostgreSQL 18.
    """
    own = replace(connection, namespace=NAMESPACE)
    with (
        injected(own, catalog, progress) as made,
        loaded_tables(made, workload, catalog) as optimizer,
    ):
        yield optimizer


@contextmanager
def embedded_optimizer(
    folder: Path, workload: Workload, catalog: Catalog, progress: Progress
) -> Iterator[Optimizer]:
    """Ask a PostgreSQL of our own, run below `folder` for the length of the block.

    Raises:
        StoreError: The server cannot be started.
        SetUpError: Its binaries are missing, or the disk is full.
    """
    request = EmbeddedRequest(store=_STORE, kind="postgresql")
    with (
        running([request], folder, progress) as connections,
        injected_statistics(connections[_STORE], workload, catalog, progress) as optimizer,
    ):
        yield optimizer
