"""Notes on the indexes of tables: those that copies do not get, and stores that make none."""

from collections.abc import Iterator

from advisor.analysis.analysis import Analysis
from advisor.figures import counted
from advisor.project.project import Project
from evaluation.kinds import BACKENDS
from workloads.catalog import Table
from workloads.indexes import NOT_WANTED, Index

_NAMED = 5


def left_out_notes(analysis: Analysis) -> Iterator[str]:
    """Yield a sentence for each table that is read and has indexes like which no copy gets any."""
    for table in _tables_read(analysis):
        # What the project asks for needs no note.
        found = [each for each in table.indexes if each.obstacle not in ("", NOT_WANTED)]
        if found:
            told = "; ".join(f"{_name(each)}: {each.obstacle}" for each in found[:_NAMED])
            more = f"; and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
            yield (
                f"Copies of table '{table.name}' are made without "
                f"{len(found)} of its indexes ({told}{more})."
            )


def unindexed_store_notes(project: Project, analysis: Analysis) -> Iterator[str]:
    """Yield a sentence on the stores that make no index, where a table that is read has any."""
    indexed = [
        table
        for table in _tables_read(analysis)
        if any(each.obstacle != NOT_WANTED for each in table.indexes)
    ]
    found = [
        store
        for store in project.stores
        if not (store.is_live or BACKENDS[store.kind].makes_indexes)
    ]
    if indexed and found:
        stores = ", ".join(f"'{store.name}' ({store.kind})" for store in found)
        have = "has" if len(indexed) == 1 else "have"
        yield (
            f"Copies in {stores} get no indexes, which {counted(len(indexed), 'table')} {have}: "
            "stores of such a kind scan their columns, or find rows by the primary key alone."
        )


def _tables_read(analysis: Analysis) -> Iterator[Table]:
    read = analysis.graph.tables
    yield from (table for name, table in analysis.catalog.tables.items() if name in read)


def _name(index: Index) -> str:
    return index.name or (f"({', '.join(index.columns)})" if index.columns else "a unique key")
