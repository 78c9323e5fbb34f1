"""Live tables of a project that its workload reads."""

from dataclasses import replace

from advisor.analysis.analysis import Analysis
from advisor.project.project import Project
from evaluation.own_rows import OwnStore, with_own_rows
from workloads.progress import Progress


def with_rows_of_live_tables(project: Project, analysis: Analysis, progress: Progress) -> Analysis:
    """Return the analysis with the rows of the live tables that are read, as they are now.

    Raises:
        StoreError: A store does not answer, or has more than it may.
    """
    stores = {
        store.name: OwnStore(connection=store.connection(), most_bytes=store.snapshot)
        for store in project.stores
        if store.is_live
    }
    catalog = with_own_rows(
        analysis.catalog,
        tables_read(analysis),
        stores,
        project.folder / "live",
        progress,
    )
    return replace(analysis, catalog=catalog)


def tables_read(analysis: Analysis) -> frozenset[str]:
    """Return the tables that a query or a statement that is passed through reads."""
    passed = (each.tables for each in analysis.passed_through)
    return frozenset().union(*passed, *(each.tables for each in analysis.footprints))
