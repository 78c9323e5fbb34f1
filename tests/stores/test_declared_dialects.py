"""A statement of PostgreSQL or MySQL is answered as that server itself answers it."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import pytest

from evaluation.judging.oracle import Oracle
from evaluation.kinds import BACKENDS
from evaluation.store_protocol.connection import Connection
from tests.dialect_facts import catalog
from tests.stores import test_embedded_servers
from workloads.catalog import Catalog
from workloads.workload import Query

pytestmark = [pytest.mark.stores]

NAMESPACE = "declared"
STORES = {"postgres": "pg", "mysql": "maria"}


def statements(dialect: str) -> list[str]:
    file = Path(__file__).parents[1] / "declared_dialects" / f"{dialect}.sql"
    return [line for line in file.read_text().splitlines() if not line.startswith("--")]


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    return catalog(tmp_path_factory.mktemp("declared"))


@pytest.fixture(scope="module")
def servers(embedded: Mapping[str, Connection], tables: Catalog) -> Iterator[dict[str, Connection]]:
    found = {
        dialect: replace(embedded[store], namespace=NAMESPACE) for dialect, store in STORES.items()
    }
    for connection in found.values():
        backend = BACKENDS[connection.kind]
        backend.prepare(connection)
        for table in tables.tables.values():
            backend.load(connection, table)
    yield found
    for connection in found.values():
        for table in tables.tables:
            BACKENDS[connection.kind].drop(connection, table)


def own_answer(dialect: str, connection: Connection, sql: str) -> Sequence[Sequence[object]]:
    if dialect == "postgres":
        with test_embedded_servers.postgres(connection) as session:
            session.execute(f'SET search_path = "{NAMESPACE}"')
            return session.execute(sql.encode()).fetchall()
    with test_embedded_servers.maria(connection, database=NAMESPACE) as session:
        return test_embedded_servers.execute(session, sql)


def plain(value: object) -> object:
    """A value without what its type alone makes of it: 1 for TRUE, a number for its kind."""
    if isinstance(value, (bool, int, Decimal)):
        return float(value)
    if isinstance(value, datetime) and (value.hour, value.minute, value.second) == (0, 0, 0):
        return value.date()
    return value


def alike(one: object, other: object) -> bool:
    one, other = plain(one), plain(other)
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=0.0)
    return type(one) is type(other) and one == other


@pytest.mark.parametrize(
    ("dialect", "sql"), [(dialect, sql) for dialect in STORES for sql in statements(dialect)]
)
def test_the_judge_answers_a_declared_dialect_as_its_server_does(
    servers: Mapping[str, Connection], tables: Catalog, dialect: str, sql: str
):
    oracle = Oracle(tables, dialect)
    expected = own_answer(dialect, servers[dialect], sql)
    found = oracle.answer(Query(name="q", sql=sql, origin="q")).rows
    oracle.close()
    if "ORDER BY" not in sql.rpartition(")")[2]:
        expected, found = sorted(expected, key=in_order), sorted(found, key=in_order)
    assert len(expected) > 0
    assert len(found) == len(expected)
    for one, other in zip(expected, found, strict=True):
        assert len(one) == len(other)
        assert all(map(alike, one, other)), (one, other)


def in_order(row: Sequence[object]) -> list[tuple[str, str]]:
    return [(type(plain(each)).__name__, str(plain(each))) for each in row]
