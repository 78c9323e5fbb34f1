"""The protocol of a live source. One file a kind, named in its description."""

from collections.abc import Collection
from typing import Protocol

from evaluation.store_protocol.connection import Connection
from workloads.catalog import Catalog
from workloads.counting.counting import EVERYTHING, Counting
from workloads.progress import Progress
from workloads.workload import Workload


class Live(Protocol):
    """A kind of store that knows its tables and, if it keeps statistics of statements, its work.

    Every method raises StoreError for a store that does
    not answer or refuses, and never writes to it.
    """

    def catalog(
        self,
        connection: Connection,
        progress: Progress,
        *,
        schemas: Collection[str] = (),
        ours: Collection[str] = (),
    ) -> Catalog:
        """Return the tables and views of `schemas`, or of every schema of the users' own.

        Our own namespaces (`connection.namespace`, and `ours` of other stores on the server) are
        only read where they are named. A name
        has its schema only where it would not be unique without. Statistics are the store's own
        where it has any, else measured on a sample.

        Raises:
            CatalogError: There is no table, or two tables of a schema differ by case alone.
        """
        ...

    def workload(
        self,
        connection: Connection,
        *,
        schema: str | None = None,
        counting: Counting = EVERYTHING,
    ) -> Workload:
        """Return the statements that the store remembers, the most time-consuming first.

        `counting` says which of them count; where its filters leave none there is no query.

        Raises:
            ConfigurationError: It remembers none; the message says what to switch on.
        """
        ...
