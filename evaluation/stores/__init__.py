"""Store back ends and their registries."""

from collections.abc import Mapping

from evaluation.stores.accumulo.backend import Accumulo
from evaluation.stores.backend import Backend, JdbcBackend, ScannedBackend
from evaluation.stores.duckdb import DuckDB
from evaluation.stores.mysql import MySQL
from evaluation.stores.objects import Objects
from evaluation.stores.postgresql import PostgreSQL

JDBC: Mapping[str, JdbcBackend] = {
    backend.kind: backend for backend in (PostgreSQL(), MySQL(), DuckDB())
}
"""Stores that run SQL."""
SCANNED: Mapping[str, ScannedBackend] = {
    backend.kind: backend for backend in (Accumulo(), Objects())
}
"""Stores whose tables Spark scans."""
BACKENDS: Mapping[str, Backend] = {**JDBC, **SCANNED}
