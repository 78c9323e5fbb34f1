"""Keys for DuckDB, within the statement: as one text, which is cast to a list.

The file is open in the engine, to be read alone and with no access to other files, so that there is
no table to load. A list of literals would take the parser many times as long.
"""

from typing import TYPE_CHECKING, ClassVar

from evaluation.store_protocol.columns import quoted
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.key_tables import KEY, KeyTable, key_lines, key_type

if TYPE_CHECKING:
    import pyarrow as pa


class DuckDBKeyTables:
    """Keys as a common table expression.

    Spark keeps the statement, and its plans say it again. With 10 million keys, which are 86 MB, a
    query was not done after three minutes.
    """

    most: ClassVar[int] = 1_000_000

    def load(
        self,
        connection: Connection,  # noqa: ARG002
        name: str,
        keys: "pa.Array",
        run: str,  # noqa: ARG002
    ) -> KeyTable:
        """Return the expression with the keys."""
        lines = "".join(str(each, "ascii") for each in key_lines(keys))
        values = lines.rstrip("\n").replace("\n", ",")
        listed = f"unnest(CAST('[{values}]' AS {key_type(keys)}[]))"
        return KeyTable(
            select=f"SELECT {quoted(KEY)} FROM {quoted(name)}",  # noqa: S608 - quoted
            common=f"{quoted(name)} AS (SELECT {listed} AS {quoted(KEY)})",
        )

    def drop(self, connection: Connection, name: str) -> None:
        """Drop nothing: the keys end with their statement."""
