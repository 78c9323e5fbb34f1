"""DuckDB: a file."""

from evaluation.federation.dialects import duckdb
from evaluation.kinds.kind import Address, Product, SqlKind
from evaluation.live.duckdb import DuckDB as Live
from evaluation.live.duckdb_own import DuckDB as OwnTables
from evaluation.server_settings import duckdb as server_settings
from evaluation.servers.duckdb import DuckDB as Server
from evaluation.stores.duckdb.backend import DuckDB
from evaluation.stores.duckdb.key_tables import DuckDBKeyTables
from evaluation.stores.table_sql import TableSql

_TABLE_SQL = TableSql(
    mark='"',
    text={
        "text": "{}",
        "other": "CAST({} AS VARCHAR)",
        "bytes": "lower(hex({}))",
        "boolean": "CAST(CAST({} AS INTEGER) AS VARCHAR)",
        "moment": "strftime({}, '%Y-%m-%d %H:%M:%S.%f')",
        "zoned": "strftime({} AT TIME ZONE 'UTC', '%Y-%m-%d %H:%M:%S.%f')",
        "floating": "CASE WHEN {} IS NOT NULL THEN '' END",
    },
    joined="{}",
    comma=" || ",
    number="CAST('0x' || substr(md5({}), 1, 8) AS BIGINT)",
    double="CAST({} AS DOUBLE)",
    types=None,
    namespace="CREATE SCHEMA IF NOT EXISTS {}",
    complete="ANALYZE {}",
    rename="ALTER TABLE {staging} RENAME TO {name}",
    begin=("BEGIN",),
    end=("COMMIT",),
    escapes={"'": "''"},
    text_keys=False,
    indexes=None,
    in_utc="{} AT TIME ZONE 'UTC'",
)
DUCKDB = SqlKind(
    backend=DuckDB(),
    address=Address(),
    products={"duckdb": Product(strength=DuckDB.strength, embedded=Server(), trino="duckdb")},
    rules=duckdb.RULES,
    settings=server_settings.settings,
    live=Live(),
    own=OwnTables(),
    table_sql=_TABLE_SQL,
    key_tables=DuckDBKeyTables(),
)
