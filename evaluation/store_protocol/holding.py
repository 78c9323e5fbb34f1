"""Tables that a store can hold, judged by the types and statistics of their columns."""

from dataclasses import dataclass

from evaluation.store_protocol.columns import ColumnTypes, has_days, is_floating, is_text
from workloads.catalog import Column, ColumnStatistics, Table

_MOST_TOLD = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """A store's types, and the values of them that it has.

    `types` is None for one that has all of DuckDB's. The others tell whether its fractions may be
    NaN or infinite and its days and moments infinite, of which years these are at most, and
    whether its text may have the character U+0000. Names of tables and columns may be
    `name_bytes` and `name_characters` long.
    """

    types: ColumnTypes | None = None
    nan: bool = True
    infinite_days: bool = False
    first_year: int | None = 1
    last_year: int | None = None
    nul: bool = True
    name_bytes: int | None = None
    name_characters: int | None = None

    def lacks(self, table: Table) -> str | None:
        """Return why the store cannot hold `table`; None where nothing is known against it."""
        found = [f"a name of {said}"] if (said := self._too_long(table.name)) else []
        found += [
            f"column '{each.name}' has {said}"
            for each in table.columns
            if (said := self._lacks(each))
        ]
        more = len(found) - _MOST_TOLD
        told = " and ".join(found[:_MOST_TOLD])
        return (told if more <= 0 else f"{told}, and {more} more have the like") or None

    def _too_long(self, name: str) -> str | None:
        if self.name_bytes is not None and len(name.encode()) > self.name_bytes:
            return f"{len(name.encode())} bytes, with {self.name_bytes} at most"
        if self.name_characters is not None and len(name) > self.name_characters:
            return f"{len(name)} characters, with {self.name_characters} at most"
        return None

    def _lacks(self, column: Column) -> str | None:
        if said := self._too_long(column.name):
            return f"a name of {said}"
        if self.types is not None and self.types.equal(column) is None:
            return f"the type {column.type}"
        known = column.statistics
        if known is None:
            return None
        if is_floating(column) and known.is_finite is False and not self.nan:
            return "NaN or an infinity"
        if is_text(column) and known.has_nul and not self.nul:
            return "the character U+0000"
        return self._lacked_days(known) if has_days(column) else None

    def _lacked_days(self, known: ColumnStatistics) -> str | None:
        if known.is_finite is False and not self.infinite_days:
            return "an infinite day"
        if known.years is None:
            return None
        first, last = known.years
        if self.first_year is not None and first < self.first_year:
            return f"a day before the year {self.first_year}"
        if self.last_year is not None and last > self.last_year:
            return f"a day after the year {self.last_year}"
        return None
