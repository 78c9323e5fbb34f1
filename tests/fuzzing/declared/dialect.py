"""What a dialect's statements are drawn from, and how its server holds a database."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tests.fuzzing.schemas import ColumnSpec, Database, TableSpec

UNUSUAL = {
    "ß": "ö",
    "ẞ": "Ö",
    "İ": "I",
    "ǆ": "d",
    "9999-12-31": "9000-12-31",
    "0001-01-01": "0101-01-01",
}
_LONG = re.compile(r"\d{16,}")
_EXACT = str(2**53 - 1)
Templates = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """A declared dialect: its words by the family of their result, and its server's types.

    `types` maps DuckDB's types that the server has not to those in which it holds their values.
    `words` fill the holes that are not expressions. `joins`, `set_operators`, `groups`,
    `directions` and `limits` are the clauses that it has.
    """

    name: str
    store: str
    quote: str
    types: Mapping[str, str]
    values: Templates
    conditions: tuple[str, ...]
    aggregates: Templates
    windows: Templates
    words: Templates
    literals: Mapping[str, str]
    joins: tuple[str, ...]
    set_operators: tuple[str, ...]
    groups: tuple[str, ...]
    directions: tuple[str, ...]
    limits: tuple[str, ...]
    has_infinity: bool = True
    unusual: Mapping[str, str] = field(default_factory=lambda: UNUSUAL)

    def quoted(self, name: str) -> str:
        """Return a name as a quoted identifier."""
        return self.quote + name.replace(self.quote, self.quote * 2) + self.quote

    def held(self, database: Database) -> Database:
        """Return the database with types that the server has, and without what it cannot hold."""
        return Database(tables=tuple(self._held(table) for table in database.tables))

    def _held(self, table: TableSpec) -> TableSpec:
        kept = [
            place
            for place, column in enumerate(table.columns)
            if self.has_infinity or column.name != "inf"
        ]
        columns = tuple(table.columns[place] for place in kept)
        return replace(
            table,
            columns=tuple(
                ColumnSpec(name=each.name, type=self.types.get(each.type, each.type))
                for each in columns
            ),
            rows=tuple(tuple(self._usual(row[place]) for place in kept) for row in table.rows),
        )

    def _usual(self, value: str) -> str:
        """Return a value's literal, without what servers handle in ways of their own.

        The capitals of these letters hang on the version of Unicode; a sum of a day and an
        interval that ends before the year 1 or after 9999 is NULL in MySQL. Quotients of
        whole numbers beyond 2^53 are exact on servers, and DOUBLE in DuckDB.
        """
        for unusual, usual in self.unusual.items():
            value = value.replace(unusual, usual)
        return _LONG.sub(_EXACT, value) if value.endswith("AS BIGINT)") else value
