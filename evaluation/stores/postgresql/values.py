"""Values in PostgreSQL: the types of copies, and the forms in which values leave."""

from evaluation.store_protocol.carried import CarriedTypes
from evaluation.store_protocol.columns import ColumnTypes

LAST_YEAR = 5_874_897
TYPES = ColumnTypes(
    # Compared by code point, as in DuckDB and Spark, whatever the database's locale is.
    text='TEXT COLLATE "C"',
    decimal="NUMERIC",
    names={
        **dict.fromkeys(("TINYINT", "SMALLINT", "UTINYINT"), "SMALLINT"),
        **dict.fromkeys(("INTEGER", "USMALLINT"), "INTEGER"),
        **dict.fromkeys(("BIGINT", "UINTEGER"), "BIGINT"),
        "UBIGINT": "NUMERIC(20, 0)",
        "FLOAT": "REAL",
        "DOUBLE": "DOUBLE PRECISION",
        "BOOLEAN": "BOOLEAN",
        "DATE": "DATE",
        **dict.fromkeys(("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "DATETIME"), "TIMESTAMP"),
        "TIMESTAMPTZ": "TIMESTAMPTZ",
        "BLOB": "BYTEA",
    },
)
_MICROSECONDS = (
    "((CAST({} AS DATE) - DATE '1970-01-01') * CAST(86400000000 AS BIGINT)"
    " + CAST(EXTRACT(EPOCH FROM CAST({} AS TIME)) * 1000000 AS BIGINT))"
)
_FINITE = (
    "CASE WHEN isfinite({{}}) THEN {form} WHEN {{}} > '2000-01-01' THEN {most}"
    " WHEN {{}} < '2000-01-01' THEN -{most} END"
)
"""Infinite days and moments leave as the numbers that DuckDB has for them."""
_DAYS = "({} - DATE '1970-01-01')"
_INSTANTS = _MICROSECONDS.replace("{}", "({} AT TIME ZONE 'UTC')")
CARRIED = CarriedTypes(
    mark='"',
    day=_FINITE.format(form=_DAYS, most=2**31 - 1),
    moment=_FINITE.format(form=_MICROSECONDS, most=2**63 - 1),
    instant=_FINITE.format(form=_INSTANTS, most=2**63 - 1),
    other="CAST({} AS TEXT)",
)
