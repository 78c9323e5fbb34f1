"""The values of a row that are decimal numbers: a driver makes an object of each."""

from collections.abc import Iterable

from workloads.catalog import Column

_DECIMAL = "DECIMAL"


def number_of_decimals(columns: Iterable[Column]) -> float:
    """Return how many of some columns are known to be decimals; a computed one's type is not."""
    return float(sum(column.type.startswith(_DECIMAL) for column in columns))
