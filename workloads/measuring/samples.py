"""Random samples of tables."""

import hashlib

import duckdb

SAMPLE_ROWS = 100_000
"""So many rows are drawn of a table on average; a table of at most so many is its own sample."""

_HASHES = 2**64
_ROWS_OF_A_FILE = 2**40
_OFFSETS = 2**61


def draw(connection: duckdb.DuckDBPyConnection, relation: str, rows: int, table: str) -> str:
    """Draw a Bernoulli sample of `relation`, which reads the Parquet of `table`, of `rows` rows.

    Return the temporary table that holds it until the next one is drawn. Each row is drawn by a
    hash of its place: the same files give the same sample, whatever the threads do. The samples
    of two tables do not depend on each other.
    """
    drawn = f"SELECT * FROM {relation}"  # noqa: S608 - quoted by the caller
    if rows > SAMPLE_ROWS:
        bound = _HASHES * SAMPLE_ROWS // rows
        place = f"file_index::BIGINT * {_ROWS_OF_A_FILE} + file_row_number + {_offset(table)}"
        drawn += f" WHERE hash({place}) < {bound}::UBIGINT"
    connection.execute(f"CREATE OR REPLACE TEMP TABLE drawn AS {drawn}")
    return "drawn"


def _offset(table: str) -> int:
    """Return where the numbers of a table's rows begin.

    Hashing the name along with the place would not do: DuckDB combines hashes by exclusive or, so
    that two tables would have their samples at equal places, or none.
    """
    return int.from_bytes(hashlib.sha256(table.encode()).digest()[:8], "big") % _OFFSETS
