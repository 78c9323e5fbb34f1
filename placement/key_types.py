"""Types of columns whose values may be sent to another store."""

from workloads.catalog import Table

KEY_TYPES = frozenset({"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "DATE"})
"""Types whose values every store writes and compares alike."""


def is_key(table: Table, column: str) -> bool:
    """Whether values of a column may be sent; not those of one that the table lacks."""
    return any(
        known.name.lower() == column.lower() and known.type.upper() in KEY_TYPES
        for known in table.columns
    )
