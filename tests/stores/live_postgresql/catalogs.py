"""The catalog of a live PostgreSQL, and tables for it."""

from evaluation.kinds import LIVE
from evaluation.store_protocol.connection import Connection
from workloads.catalog import Catalog
from workloads.progress import Silent


def read(connection: Connection, schema: str | None = None) -> Catalog:
    return LIVE["postgresql"].catalog(connection, Silent(), schemas=(schema,) if schema else ())


ORDERS = (
    "CREATE TABLE customer (id int PRIMARY KEY, name text)",
    "INSERT INTO customer SELECT g, repeat('n', 10) FROM generate_series(1, 100) g",
    (
        "CREATE TABLE orders (id bigint PRIMARY KEY, customer int REFERENCES customer (id),"
        " day date, total numeric(9, 2), state text, note text)"
    ),
    (
        "INSERT INTO orders SELECT g, 1 + g % 100, DATE '2020-01-01' + g % 500, g / 100.0,"
        " CASE WHEN g % 10 < 7 THEN 'done' WHEN g % 10 < 9 THEN 'open' END, NULL"
        " FROM generate_series(1, 20000) g"
    ),
)
