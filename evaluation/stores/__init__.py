"""Store back ends and their registries."""

from collections.abc import Callable, Mapping

from evaluation.store_protocol.backend import Backend, JdbcBackend, ScannedBackend
from evaluation.store_protocol.connection import Connection
from evaluation.stores.accumulo.backend import Accumulo
from evaluation.stores.duckdb import DuckDB
from evaluation.stores.mysql import servers as mysql_servers
from evaluation.stores.mysql.backend import MySQL
from evaluation.stores.objects import Objects
from evaluation.stores.postgresql.backend import PostgreSQL
from placement.stores import Strength

JDBC: Mapping[str, JdbcBackend] = {
    backend.kind: backend for backend in (PostgreSQL(), MySQL(), DuckDB())
}
"""Stores that run SQL."""
SCANNED: Mapping[str, ScannedBackend] = {
    backend.kind: backend for backend in (Accumulo(), Objects())
}
"""Stores whose tables Spark scans."""
BACKENDS: Mapping[str, Backend] = {**JDBC, **SCANNED}
SERVER_STRENGTHS: Mapping[str, Strength] = {"mysql8": mysql_servers.MYSQL.strength}
"""Name of an embedded server (`evaluation.servers.embedded.OTHERS`) → its default rates."""
ASKED_STRENGTHS: Mapping[str, Callable[[Connection], Strength]] = {"mysql": mysql_servers.strength}
"""Kind of store whose servers differ → what asks one for its default rates, within seconds."""
