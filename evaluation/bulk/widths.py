"""The widest values of columns, which bound what an index over them may hold."""

from collections.abc import Mapping

from evaluation.bulk import bulk
from evaluation.store_protocol.columns import is_bytes, is_text, quoted
from evaluation.store_protocol.failures import Failures
from workloads.catalog import Table
from workloads.copied_indexes import copied_indexes
from workloads.duck import connect, literal
from workloads.errors import CatalogError, StoreError


def indexed_widths(failures: Failures, table: Table) -> Mapping[str, int]:
    """Return column → bytes of its widest value, of text and of bytes that an index is over.

    Raises:
        StoreError: The Parquet cannot be read.
    """
    indexed = {name for each in copied_indexes(table) for name in each.columns}
    columns = [each for each in table.columns if each.name in indexed]
    asked = [
        f"coalesce(max({'strlen' if is_text(each) else 'octet_length'}({quoted(each.name)})), 0)"
        for each in columns
        if is_text(each) or is_bytes(each)
    ]
    if not asked:
        return {}
    files = ", ".join(literal(file) for file in bulk.files(failures, table))
    try:
        with connect(f"reading table '{table.name}'") as connection:
            row = connection.execute(
                f"SELECT {', '.join(asked)} "  # noqa: S608 - quoted
                f"FROM read_parquet([{files}], hive_partitioning = false)"
            ).fetchone()
    except CatalogError as error:
        raise StoreError(failures.store, str(error)) from None
    names = [each.name for each in columns if is_text(each) or is_bytes(each)]
    return dict(zip(names, row or (), strict=True))
