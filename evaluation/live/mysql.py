"""MySQL and MariaDB as sources of catalogs and workloads."""

from collections.abc import Collection

from evaluation.live import mysql_catalog, mysql_statements
from evaluation.store_protocol.connection import Connection
from workloads.catalog import Catalog
from workloads.counting.counting import EVERYTHING, Counting
from workloads.progress import Progress
from workloads.workload import Workload


class MySQL:
    """MariaDB 10.5 or MySQL 8.0, or newer; a schema is a database."""

    def catalog(
        self,
        connection: Connection,
        progress: Progress,
        *,
        schemas: Collection[str] = (),
        ours: Collection[str] = (),
    ) -> Catalog:
        """Return the tables and views of a database, or of all, with what is kept of columns."""
        return mysql_catalog.catalog(connection, progress, tuple(schemas), ours)

    def workload(
        self,
        connection: Connection,
        *,
        schema: str | None = None,
        counting: Counting = EVERYTHING,
    ) -> Workload:
        """Return the statements that the performance schema holds of a database, or of all."""
        return mysql_statements.workload(connection, schema, counting)
