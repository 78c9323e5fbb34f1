"""The protocol of tables of keys: keys in a store, of which a statement holds too many."""

from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, ClassVar, Protocol

from evaluation.store_protocol.connection import Connection

if TYPE_CHECKING:
    import pyarrow as pa

KEY = "advisor_key"
"""The name of their only column."""
_ROWS_PER_CHUNK = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyTable:
    """Keys that a statement of the store may read.

    `select` is the query that returns them. Of a store that is never written `common` is the
    expression behind WITH that the statement has to begin with; "" of others.
    """

    select: str
    common: str = ""


class KeyTables(Protocol):
    """Tables of keys in the stores of a kind, each of `most` keys at most.

    Each method raises StoreError, without passwords.
    """

    most: ClassVar[int]

    def load(self, connection: Connection, name: str, keys: "pa.Array", run: str) -> KeyTable:
        """Load `keys`, 64-bit integers or days in order, each once and none NULL, as `name`.

        Sessions are marked as those of `run`, so that `Backend.end_sessions` ends them. A table of
        this name that is there is replaced.
        """
        ...

    def drop(self, connection: Connection, name: str) -> None:
        """Drop the table `name` if it is there. A store that does not answer is given seconds."""
        ...


def key_type(keys: "pa.Array") -> str:
    """Return the type of a table's column, which has the same name in every store."""
    import pyarrow as pa

    return "DATE" if pa.types.is_date(keys.type) else "BIGINT"


def key_lines(keys: "pa.Array") -> Iterator[memoryview]:
    """Yield the keys as text, a line each, some at a time."""
    import pyarrow as pa
    from pyarrow import csv

    options = csv.WriteOptions(include_header=False)
    for start in range(0, len(keys), _ROWS_PER_CHUNK):
        written = BytesIO()
        rows = pa.table({KEY: keys.slice(start, _ROWS_PER_CHUNK)})
        csv.write_csv(rows, written, options)
        yield written.getbuffer()
