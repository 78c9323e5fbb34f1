"""PostgreSQL's types as the catalog has them."""

_NAMES = {
    "bool": "BOOLEAN", "int2": "SMALLINT", "int4": "INTEGER", "int8": "BIGINT", "oid": "UINTEGER",
    "float4": "FLOAT", "float8": "DOUBLE", "text": "VARCHAR", "varchar": "VARCHAR",
    "bpchar": "VARCHAR", "date": "DATE", "timestamp": "TIMESTAMP",
    "timestamptz": "TIMESTAMP WITH TIME ZONE", "time": "TIME", "timetz": "TIME WITH TIME ZONE",
    "interval": "INTERVAL", "uuid": "UUID", "bytea": "BLOB",
}  # fmt: skip
_HEADER_BYTES = 4
_DECIMAL_DIGITS = 38


def has_equal(name: str) -> bool:
    """Tell whether DuckDB has the type called `name` in ``pg_type``."""
    return name in _NAMES or name == "numeric"


def duckdb_type(name: str, modifier: int) -> str:
    """Return DuckDB's name of the type called `name` in ``pg_type``, with its ``atttypmod``.

    A NUMERIC that DuckDB's DECIMAL cannot hold is DOUBLE; what is unknown, such as JSON and
    arrays, is VARCHAR.
    """
    if name == "numeric":
        precision, scale = _precision(modifier)
        fits = 0 <= scale <= precision <= _DECIMAL_DIGITS
        return f"DECIMAL({precision},{scale})" if fits and precision else "DOUBLE"
    return _NAMES.get(name, "VARCHAR")


def _precision(modifier: int) -> tuple[int, int]:
    if modifier < _HEADER_BYTES:
        return 0, 0
    packed = modifier - _HEADER_BYTES
    # Eleven bits, signed: since version 15 a scale may be negative.
    return packed >> 16, ((packed & 0x7FF) ^ 0x400) - 0x400
