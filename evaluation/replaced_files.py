"""Parquet that another process has replaced or written to since it was measured."""

from workloads.catalog import Catalog, Table
from workloads.measuring.table_files import files_mark


def is_replaced(table: Table) -> bool:
    """Whether the files of a table are others than when it was measured."""
    return bool(
        table.files_mark and table.parquet and files_mark(table.parquet) != table.files_mark
    )


def replaced_tables(catalog: Catalog) -> frozenset[str]:
    """Return the tables whose files are others than when they were measured."""
    return frozenset(name for name, table in catalog.tables.items() if is_replaced(table))
