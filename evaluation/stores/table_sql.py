"""SQL for one table, in each kind of store.

A checksum is the sum over all rows of 32 bits of the MD5 of the row's text. The text of a value
is the same in every store, so that the sums of equal copies are equal. Floating-point numbers have
no such text: of them it holds whether they are NULL, and their extremes are compared beside it.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from evaluation.store_protocol.columns import ColumnTypes, is_text, quoted
from evaluation.stores.mysql.backend import TYPES as MYSQL_TYPES
from evaluation.stores.postgresql.backend import TYPES as POSTGRESQL_TYPES
from workloads.catalog import Column

SINGLE = ("FLOAT", "FLOAT4", "REAL")
FLOATING = (*SINGLE, "DOUBLE", "FLOAT8")
KINDS_OF_TEXT: Mapping[str, str] = {
    **dict.fromkeys(FLOATING, "floating"),
    **dict.fromkeys(("BOOLEAN", "BOOL"), "boolean"),
    **dict.fromkeys(("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "DATETIME"), "moment"),
    **dict.fromkeys(("TIMESTAMPTZ", "TIMESTAMP WITH TIME ZONE"), "zoned"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSql:
    """How one kind of store writes what all of them can say.

    `text` is kind of value → its text, where ``{}`` is the column; "other" is of all others.
    `joined` puts texts, ``{}``, together with `comma` between them. `number` makes a number of
    the MD5 of the text ``{}``. `types` None: the catalog's own. `namespace` creates the schema or
    database, `complete` brings the statistics of a copy up to date. `begin` and `end` put the
    statements that publish a copy into one transaction, where the store can. `text_keys`: text may
    be in a key; `rounds_floats`: a FLOAT is handed out with fewer digits than it has.
    """

    mark: str
    text: Mapping[str, str]
    joined: str
    comma: str
    number: str
    double: str
    types: ColumnTypes | None
    namespace: str
    complete: str
    rename: str
    begin: tuple[str, ...]
    end: tuple[str, ...]
    escapes: Mapping[str, str]
    text_keys: bool
    rounds_floats: bool = False

    def literal(self, text: str) -> str:
        """Return `text` as a string literal."""
        for character, escape in self.escapes.items():
            text = text.replace(character, escape)
        return f"'{text}'"

    def value(self, column: Column) -> str:
        """Return the text of a column's value: ``-`` for NULL, else it begins with ``=``."""
        kind = column.type.upper().split("(")[0].strip()
        form = self.text["text"] if is_text(column) else self.text[KINDS_OF_TEXT.get(kind, "other")]
        text = self.joined.format(
            self.comma.join(("'='", form.format(quoted(column.name, self.mark))))
        )
        return f"coalesce({text}, '-')"


POSTGRESQL = TableSql(
    mark='"',
    text={
        "text": "{}",
        "other": "CAST({} AS TEXT)",
        "boolean": "CAST(CAST({} AS INTEGER) AS TEXT)",
        "moment": "to_char({}, 'YYYY-MM-DD HH24:MI:SS.US')",
        "zoned": "to_char({} AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')",
        "floating": "CASE WHEN {} IS NOT NULL THEN '' END",
    },
    joined="{}",
    comma=" || ",
    number="CAST(CAST('x' || substr(md5({}), 1, 8) AS bit(32)) AS bigint)",
    double="CAST({} AS DOUBLE PRECISION)",
    types=POSTGRESQL_TYPES,
    namespace="CREATE SCHEMA IF NOT EXISTS {}",
    complete="ANALYZE {}",
    rename="ALTER TABLE {staging} RENAME TO {name}",
    begin=("BEGIN",),
    end=("COMMIT",),
    escapes={"'": "''"},
    text_keys=True,
)
DUCKDB = TableSql(
    mark='"',
    text={
        "text": "{}",
        "other": "CAST({} AS VARCHAR)",
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
)
MYSQL = TableSql(
    mark="`",
    # As bytes: texts of two collations cannot be put together.
    text={
        "text": "CAST({} AS BINARY)",
        "other": "CAST(CAST({} AS CHAR) AS BINARY)",
        "boolean": "CAST(CAST({} AS CHAR) AS BINARY)",
        "moment": "CAST(date_format({}, '%Y-%m-%d %H:%i:%s.%f') AS BINARY)",
        "zoned": "CAST(date_format({}, '%Y-%m-%d %H:%i:%s.%f') AS BINARY)",
        "floating": "CASE WHEN {} IS NOT NULL THEN '' END",
    },
    joined="concat({})",
    comma=", ",
    number="CAST(conv(substr(md5({}), 1, 8), 16, 10) AS UNSIGNED)",
    double="CAST({} AS DOUBLE)",
    types=MYSQL_TYPES,
    # Each of MariaDB and MySQL reads the other's part as a comment.
    namespace="CREATE DATABASE IF NOT EXISTS {} CHARACTER SET utf8mb4"
    " /*M! COLLATE utf8mb4_nopad_bin *//*!80000 COLLATE utf8mb4_0900_bin */",
    complete="ANALYZE TABLE {}",
    rename="RENAME TABLE {staging} TO {target}",
    begin=(),
    end=(),
    escapes={"\\": "\\\\", "'": "''"},
    text_keys=False,
    rounds_floats=True,
)
TABLE_SQL: Mapping[str, TableSql] = {
    "postgresql": POSTGRESQL,
    "mysql": MYSQL,
    "duckdb": DUCKDB,
}
"""Kind of store → how it writes; the kinds of `BACKENDS`."""
