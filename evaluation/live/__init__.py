"""Live stores as sources: their tables, their statistics and the statements they ran."""

from collections.abc import Mapping

from evaluation.live.duckdb import DuckDB
from evaluation.live.live import Live
from evaluation.live.mysql import MySQL
from evaluation.live.postgresql import PostgreSQL

LIVE: Mapping[str, Live] = {live.kind: live for live in (PostgreSQL(), MySQL(), DuckDB())}
