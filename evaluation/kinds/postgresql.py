"""PostgreSQL."""

from evaluation.checks.postgresql import check
from evaluation.federation.dialects import postgres
from evaluation.kinds.kind import Address, Product, SessionMemory, SqlKind, TrinoTls
from evaluation.live.postgresql import PostgreSQL as Live
from evaluation.live.postgresql_own import PostgreSQL as OwnTables
from evaluation.server_settings import postgresql as server_settings
from evaluation.servers.postgresql import PostgreSQL as Server
from evaluation.store_protocol.tls import ENCRYPTING
from evaluation.stores.postgresql.backend import PostgreSQL
from evaluation.stores.postgresql.indexes import adding, dropping, index_statements, renaming
from evaluation.stores.postgresql.key_tables import PostgreSQLKeyTables
from evaluation.stores.postgresql.sessions import encryption, memory_options
from evaluation.stores.postgresql.values import TYPES
from evaluation.stores.table_sql import IndexSql, TableSql
from evaluation.surveys.postgresql import survey

_TABLE_SQL = TableSql(
    mark='"',
    text={
        "text": "{}",
        "other": "CAST({} AS TEXT)",
        "bytes": "encode({}, 'hex')",
        "boolean": "CAST(CAST({} AS INTEGER) AS TEXT)",
        "moment": "to_char({}, 'YYYY-MM-DD HH24:MI:SS.US')",
        "zoned": "to_char({} AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')",
        "floating": "CASE WHEN {} IS NOT NULL THEN '' END",
    },
    joined="{}",
    comma=" || ",
    number="CAST(CAST('x' || substr(md5({}), 1, 8) AS bit(32)) AS bigint)",
    double="CAST({} AS DOUBLE PRECISION)",
    types=TYPES,
    namespace="CREATE SCHEMA IF NOT EXISTS {}",
    complete="ANALYZE {}",
    rename="ALTER TABLE {staging} RENAME TO {name}",
    begin=("BEGIN",),
    end=("COMMIT",),
    escapes={"'": "''"},
    text_keys=True,
    indexes=IndexSql(
        staged=lambda table, target, _: index_statements(table, target),
        renaming=renaming,
        adding=adding,
        dropping=dropping,
    ),
    in_utc="{} AT TIME ZONE 'UTC'",
    from_utc="ALTER TABLE {table} ALTER COLUMN {column} TYPE TIMESTAMPTZ"
    " USING {column} AT TIME ZONE 'UTC'",
)
_TRINO_TLS = TrinoTls(
    modes={mode: f"sslmode={mode}" for mode in ("disable", *ENCRYPTING)}, ca="sslrootcert"
)
POSTGRESQL = SqlKind(
    backend=PostgreSQL(),
    address=Address(port=5432, database="postgres"),
    products={
        "postgresql": Product(
            strength=PostgreSQL.strength,
            embedded=Server(),
            trino="postgresql",
            trino_tls=_TRINO_TLS,
        )
    },
    rules=postgres.RULES,
    settings=server_settings.settings,
    encryption=encryption,
    check=check,
    live=Live(),
    own=OwnTables(),
    survey=survey,
    table_sql=_TABLE_SQL,
    key_tables=PostgreSQLKeyTables(),
    memory=SessionMemory(known=server_settings.working_memory, options=memory_options),
)
