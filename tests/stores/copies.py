"""Copies of a catalog's tables in stores that tests share, in a namespace of their own."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from evaluation.kinds import BACKENDS
from evaluation.store_protocol.connection import Connection
from workloads.catalog import Catalog


@contextmanager
def copied(
    catalog: Catalog, stores: Mapping[str, Connection], namespace: str
) -> Iterator[Mapping[str, Connection]]:
    """Load all tables into every store; they are dropped at the end of the block."""
    found = {name: replace(each, namespace=namespace) for name, each in stores.items()}
    for connection in found.values():
        BACKENDS[connection.kind].prepare(connection)
        for table in catalog.tables.values():
            BACKENDS[connection.kind].load(connection, table)
    yield found
    for connection in found.values():
        for table in catalog.tables:
            BACKENDS[connection.kind].drop(connection, table)
