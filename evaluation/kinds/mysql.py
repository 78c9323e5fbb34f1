"""MariaDB and MySQL, which speak one protocol: a store is asked which of the two it is."""

from evaluation.checks.mysql import check
from evaluation.federation.dialects import mysql
from evaluation.kinds.kind import Address, Product, SqlKind, TrinoTls
from evaluation.live.mysql import MySQL as Live
from evaluation.live.mysql_own import MySQL as OwnTables
from evaluation.server_settings import mysql as server_settings
from evaluation.servers.mysql import MySQL as MariaDBServer
from evaluation.servers.mysql8 import MySQL8
from evaluation.store_protocol.connection import Connection
from evaluation.stores.mysql.backend import TYPES, MySQL
from evaluation.stores.mysql.encryption import JDBC_MODES
from evaluation.stores.mysql.index_changes import adding, dropping
from evaluation.stores.mysql.indexes import index_statements
from evaluation.stores.mysql.key_tables import MySQLKeyTables
from evaluation.stores.mysql.made_indexes import made_indexes, primary_keys
from evaluation.stores.mysql.servers import MARIADB, asked_server
from evaluation.stores.mysql.servers import MYSQL as MYSQL_SERVER
from evaluation.stores.mysql.sessions import encryption
from evaluation.stores.table_sql import IndexSql, TableSql
from evaluation.surveys.mysql import survey

_TABLE_SQL = TableSql(
    mark="`",
    # As bytes: texts of two collations cannot be put together.
    text={
        "text": "CAST({} AS BINARY)",
        "other": "CAST(CAST({} AS CHAR) AS BINARY)",
        "bytes": "CAST(lower(hex({})) AS BINARY)",
        "boolean": "CAST(CAST({} AS CHAR) AS BINARY)",
        "moment": "CAST(date_format({}, '%Y-%m-%d %H:%i:%s.%f') AS BINARY)",
        "zoned": "CAST(date_format({}, '%Y-%m-%d %H:%i:%s.%f') AS BINARY)",
        "floating": "CASE WHEN {} IS NOT NULL THEN '' END",
    },
    joined="concat({})",
    comma=", ",
    number="CAST(conv(substr(md5({}), 1, 8), 16, 10) AS UNSIGNED)",
    double="CAST({} AS DOUBLE)",
    types=TYPES,
    # Each of MariaDB and MySQL reads the other's part as a comment.
    namespace="CREATE DATABASE IF NOT EXISTS {} CHARACTER SET utf8mb4"
    " /*M! COLLATE utf8mb4_nopad_bin *//*!80000 COLLATE utf8mb4_0900_bin */",
    complete="ANALYZE TABLE {}",
    rename="RENAME TABLE {staging} TO {target}",
    begin=(),
    end=(),
    escapes={"\\": "\\\\", "'": "''"},
    text_keys=False,
    indexes=IndexSql(
        staged=index_statements, renaming=lambda *_: (), adding=adding, dropping=dropping
    ),
    in_utc="{}",
    rounds_floats=True,
)

_MARIADB_TLS = TrinoTls(
    modes={mode: f"sslMode={name}" for mode, name in JDBC_MODES.items()}, ca="serverSslCert"
)
# Oracle's driver reads authorities from a key store of Java's alone.
_MYSQL_TLS = TrinoTls(modes={"disable": "sslMode=DISABLED", "require": "sslMode=REQUIRED"})


def _answering(connection: Connection) -> str:
    return "mariadb" if asked_server(connection) is MARIADB else "mysql8"


MYSQL = SqlKind(
    backend=MySQL(),
    address=Address(port=3306),
    products={
        "mariadb": Product(
            strength=MARIADB.strength,
            embedded=MariaDBServer(),
            trino="mariadb",
            trino_tls=_MARIADB_TLS,
        ),
        "mysql8": Product(
            strength=MYSQL_SERVER.strength,
            embedded=MySQL8(),
            trino="mysql",
            trino_tls=_MYSQL_TLS,
            told_to_hash=True,
        ),
    },
    answering_product=_answering,
    rules=mysql.RULES,
    settings=server_settings.settings,
    indexes=made_indexes,
    primary_keys=primary_keys,
    encryption=encryption,
    check=check,
    live=Live(),
    own=OwnTables(),
    survey=survey,
    table_sql=_TABLE_SQL,
    key_tables=MySQLKeyTables(),
)
