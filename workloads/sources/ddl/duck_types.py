"""Names of types as DuckDB spells them, asked of DuckDB itself."""

import re
from collections.abc import Iterator
from contextlib import closing, contextmanager

import duckdb

from workloads.empty_database import EmptyDatabase


class DuckTypes:
    """Names of types, each asked for once."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        self._known: dict[str, str] = {}

    def name(self, type_: str) -> str:
        """Return DuckDB's name of `type_`; text for a type that it has not."""
        if type_ not in self._known:
            plain = re.sub(r"\(.*\)$", "", type_)
            asked = (self._asked(text) for text in dict.fromkeys((type_, plain)))
            self._known[type_] = next((name for name in asked if name), "VARCHAR")
        return self._known[type_]

    def _asked(self, type_: str) -> str | None:
        try:
            # The text is sqlglot's, made of a data type and nothing else.
            row = self._connection.execute(f"SELECT typeof(CAST(NULL AS {type_}))").fetchone()
        except duckdb.Error:
            return None
        return None if row is None else str(row[0])


@contextmanager
def duck_types() -> Iterator[DuckTypes]:
    """Ask a DuckDB without any data."""
    with closing(EmptyDatabase()) as empty:
        yield DuckTypes(empty.connection)
