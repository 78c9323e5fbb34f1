"""Types of columns whose values may be sent to another store."""

from collections.abc import Collection

from workloads.catalog import Table

KEY_TYPES = frozenset({"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "DATE"})
"""Types whose values every store writes and compares alike."""


def is_key(table: Table, column: str) -> bool:
    """Whether values of a column may be sent; not those of one that the table lacks."""
    return table.type_of(column) in KEY_TYPES


def compare_alike(types: Collection[str]) -> bool:
    """Whether keys of these types are equal in every store where their columns are."""
    dates = sum(each == "DATE" for each in types)
    return KEY_TYPES.issuperset(types) and dates in (0, len(types))
