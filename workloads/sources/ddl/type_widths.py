"""Mean widths of columns of which only the type is known."""

from workloads.definition import TypeDefinition
from workloads.measuring.statistics import is_fixed, width_bytes

UNLIMITED_BYTES = 32.0
"""Mean width of text, binary, JSON and nested values without a limit on their length."""

_SHORT, _LONG = 32, 1_000


def mean_width_bytes(defined: TypeDefinition, type_: str) -> float:
    """Return the mean width of a column of DuckDB's `type_`, defined as `defined`.

    Types of fixed width have it. Text and binary follow PostgreSQL's ``get_typavgwidth``
    (lsyscache.c): padded to the limit, or the limit up to 32, half of what is above that up to
    1,000, and 32 without a limit. An enumeration has the mean length of its labels.
    """
    if defined.labels:
        return sum(map(len, defined.labels)) / len(defined.labels)
    if defined.length is None:
        return width_bytes(type_) if is_fixed(type_) else UNLIMITED_BYTES
    if defined.padded or defined.length <= _SHORT:
        return float(defined.length)
    return _SHORT + (min(defined.length, _LONG) - _SHORT) / 2
