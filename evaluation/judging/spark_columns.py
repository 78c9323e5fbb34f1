"""The columns of a Spark frame, with DuckDB's names of their types."""

from typing import TYPE_CHECKING, Any

from evaluation.judging.answer import AnswerColumn

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

_TYPES = {
    "tinyint": "TINYINT",
    "smallint": "SMALLINT",
    "int": "INTEGER",
    "bigint": "BIGINT",
    "float": "FLOAT",
    "double": "DOUBLE",
    "string": "VARCHAR",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "timestamp_ntz": "TIMESTAMP",
    "timestamp": "TIMESTAMP WITH TIME ZONE",
    "binary": "BLOB",
    "void": "NULL",
}
"""What Spark calls a type in short → what DuckDB calls it."""


def spark_columns(schema: "StructType") -> tuple[AnswerColumn, ...]:
    """Return the columns of a frame that has `schema`."""
    return tuple(
        AnswerColumn(name=field.name, type=duckdb_type(field.dataType)) for field in schema.fields
    )


def duckdb_type(type_: Any) -> str:  # noqa: ANN401 - one of Spark's types, of no common shape
    """Return DuckDB's name of a Spark type; Spark's own in capitals where DuckDB has none."""
    kind = type_.typeName()
    if kind == "array":
        return f"{duckdb_type(type_.elementType)}[]"
    if kind == "map":
        return f"MAP({duckdb_type(type_.keyType)}, {duckdb_type(type_.valueType)})"
    if kind == "struct":
        fields = ", ".join(f"{each.name} {duckdb_type(each.dataType)}" for each in type_.fields)
        return f"STRUCT({fields})"
    short: str = type_.simpleString()
    if kind == "time":
        return "TIME"
    return _TYPES.get(short, short.upper())
