"""A database of PostgreSQL for each test."""

from collections.abc import Iterator, Mapping

import pytest

from evaluation.store_protocol.connection import Connection
from tests.stores.live_servers import database


@pytest.fixture
def pg(embedded: Mapping[str, Connection]) -> Iterator[Connection]:
    """An empty database."""
    with database(embedded["pg"], "live catalog") as connection:
        yield connection
