"""Live tables of a project that its workload reads."""

from dataclasses import replace

from advisor.analysis.analysis import Analysis
from advisor.project.project import Project
from evaluation.own_rows import OwnStore, too_large, with_own_rows, with_too_large
from workloads.progress import Progress


def with_rows_of_live_tables(project: Project, analysis: Analysis, progress: Progress) -> Analysis:
    """Return the analysis with the rows of the live tables that are read, as they are now.

    Raises:
        StoreError: A store does not answer, or has more than its statistics say.
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


def with_too_large_tables(project: Project, analysis: Analysis) -> Analysis:
    """Return the analysis in which live tables beyond [stores.NAME].snapshot are known as such."""
    most_bytes = {store.name: store.snapshot for store in project.stores if store.is_live}
    found = too_large(analysis.catalog, tables_read(analysis), most_bytes)
    if not found:
        return analysis
    return replace(analysis, catalog=with_too_large(analysis.catalog, found))


def tables_read(analysis: Analysis) -> frozenset[str]:
    """Return the tables that a query or a statement that is passed through reads."""
    passed = (each.tables for each in analysis.passed_through)
    return frozenset().union(*passed, *(each.tables for each in analysis.footprints))
