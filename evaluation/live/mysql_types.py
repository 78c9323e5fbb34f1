"""MySQL's and MariaDB's types as the catalog has them."""

import re

_WHOLE = {
    "tinyint": "TINYINT", "smallint": "SMALLINT", "mediumint": "INTEGER", "int": "INTEGER",
    "bigint": "BIGINT",
}  # fmt: skip
_NAMES = {
    "float": "FLOAT", "double": "DOUBLE", "date": "DATE", "datetime": "TIMESTAMP",
    "timestamp": "TIMESTAMP WITH TIME ZONE", "time": "TIME", "year": "SMALLINT", "bit": "UBIGINT",
    "binary": "BLOB", "varbinary": "BLOB", "tinyblob": "BLOB", "blob": "BLOB",
    "mediumblob": "BLOB", "longblob": "BLOB", "uuid": "UUID",
    # Bytes in a format of their own, which are not cast to text.
    **dict.fromkeys(
        ("geometry", "point", "linestring", "polygon", "multipoint", "multilinestring",
         "multipolygon", "geometrycollection", "geomcollection"),
        "BLOB",
    ),
}  # fmt: skip
_DECIMAL = re.compile(r"decimal\((\d+)(?:,(\d+))?\)")
_DECIMAL_DIGITS = 38


def duckdb_type(column_type: str) -> str:
    """Return DuckDB's name of a type that is written as in ``information_schema.columns``.

    A DECIMAL that DuckDB's cannot hold is DOUBLE; what is unknown, such as JSON, is VARCHAR.
    """
    written = column_type.lower()
    if decimal := _DECIMAL.match(written):
        precision, scale = int(decimal[1]), int(decimal[2] or 0)
        return f"DECIMAL({precision},{scale})" if precision <= _DECIMAL_DIGITS else "DOUBLE"
    name = re.split(r"[ (]", written, maxsplit=1)[0]
    if name in _WHOLE:
        return ("U" if "unsigned" in written else "") + _WHOLE[name]
    return _NAMES.get(name, "VARCHAR")
