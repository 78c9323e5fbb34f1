"""PostgreSQL as a source of catalogs and workloads."""

from collections.abc import Collection

from evaluation.live import postgresql_catalog, postgresql_statements
from evaluation.store_protocol.connection import Connection
from workloads.catalog import Catalog
from workloads.counting.counting import EVERYTHING, Counting
from workloads.progress import Progress
from workloads.workload import Workload


class PostgreSQL:
    """PostgreSQL 12 or newer: its system catalog and pg_stat_statements."""

    def catalog(
        self,
        connection: Connection,
        progress: Progress,
        *,
        schemas: Collection[str] = (),
        ours: Collection[str] = (),
    ) -> Catalog:
        """Return the tables and views of the database, with what ANALYZE found."""
        return postgresql_catalog.catalog(connection, progress, tuple(schemas), ours)

    def workload(
        self,
        connection: Connection,
        *,
        schema: str | None = None,
        counting: Counting = EVERYTHING,
    ) -> Workload:
        """Return the statements that pg_stat_statements holds of the database."""
        return postgresql_statements.workload(connection, schema, counting)
