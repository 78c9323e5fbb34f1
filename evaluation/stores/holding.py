"""Which tables a store can hold, as far as the types and the statistics of their columns tell."""

from dataclasses import dataclass

from evaluation.stores.columns import ColumnTypes, has_days, is_floating, plain_type
from workloads.catalog import Column, Table

_FIRST_OF_YEAR_1 = -719_162
"""In days since 1970-01-01."""
_LAST_OF_YEAR_9999 = 2_932_896


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """A store's types, and the values of them that it has.

    `types` is None for one that has all of DuckDB's. The others tell whether its fractions may be
    NaN or infinite, and which days and moments it has.
    """

    types: ColumnTypes | None = None
    nan: bool = True
    infinite_days: bool = False
    before_year_1: bool = False
    after_9999: bool = True

    def lacks(self, table: Table) -> str | None:
        """Return why the store cannot hold `table`; None where nothing is known against it."""
        return next((said for each in table.columns if (said := self._lacks(each))), None)

    def _lacks(self, column: Column) -> str | None:
        if self.types is not None and self.types.equal(column) is None:
            return f"column '{column.name}' has the type {column.type}"
        if is_floating(column):
            found = self._lacked_fractions(column)
        elif has_days(column):
            found = self._lacked_days(column)
        else:
            found = None
        return None if found is None else f"column '{column.name}' has {found}"

    def _lacked_fractions(self, column: Column) -> str | None:
        known = column.statistics
        if known is not None and known.is_finite is False and not self.nan:
            return "NaN or an infinity"
        return None

    def _lacked_days(self, column: Column) -> str | None:
        known = column.statistics
        if known is None:
            return None
        if known.is_finite is False and not self.infinite_days:
            return "an infinite day"
        first, last = known.minimum, known.maximum
        # The last microsecond of a year is rounded up to the next one.
        rounded = 0 if plain_type(column) == "DATE" else 1
        if first is not None and first < _FIRST_OF_YEAR_1 and not self.before_year_1:
            return "a day before the year 1"
        if last is not None and last > _LAST_OF_YEAR_9999 + rounded and not self.after_9999:
            return "a day after the year 9999"
        return None
