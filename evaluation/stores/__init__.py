"""Store back ends and their registry."""

from collections.abc import Mapping

from evaluation.stores.backend import Backend
from evaluation.stores.duckdb import DuckDB
from evaluation.stores.mysql import MySQL
from evaluation.stores.postgresql import PostgreSQL

BACKENDS: Mapping[str, Backend] = {
    backend.kind: backend for backend in (PostgreSQL(), MySQL(), DuckDB())
}
