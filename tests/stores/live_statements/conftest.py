"""Databases of servers that remember statements, with nothing remembered yet."""

from collections.abc import Iterator, Mapping

import pytest

from evaluation.store_protocol.connection import Connection
from tests.stores.live_servers import database, maria, postgres

TABLES = (
    "CREATE TABLE orders (id int PRIMARY KEY, customer int, day date, state varchar(9))",
    "CREATE TABLE customer (id int PRIMARY KEY, name varchar(30))",
)


@pytest.fixture
def pg(remembering: Mapping[str, Connection]) -> Iterator[Connection]:
    """A database with statement statistics of its own."""
    with database(remembering["pg"], "remembers") as connection:
        postgres(
            connection,
            "CREATE EXTENSION pg_stat_statements",
            "SELECT pg_stat_statements_reset()",
            *TABLES,
        )
        yield connection


@pytest.fixture(params=["maria", "mysql8"])
def shop(
    remembering: Mapping[str, Connection], request: pytest.FixtureRequest
) -> Iterator[Connection]:
    """A server with a database `shop` that has seen nothing else."""
    connection = remembering[request.param]
    truncate = "TRUNCATE performance_schema.events_statements_summary_by_digest"
    maria(connection, "CREATE DATABASE shop", truncate)
    maria(connection, *TABLES, database="shop")
    yield connection
    maria(connection, "DROP DATABASE shop")
