"""A project for others to run: the evaluation's job for spark-submit, its stores for a Trino."""

from dataclasses import replace

from advisor.analysis.analysis import Analysis
from advisor.analysis.load_catalog import refuse_without_data
from advisor.measuring.connections import connections, refuse_asleep
from advisor.measuring.measure import job_of
from advisor.problem.calibrations import own_calibration
from advisor.problem.machines import machines_of
from advisor.project.project import Project
from evaluation.engines.trino_catalogs import TrinoCatalog, trino_catalog
from evaluation.kinds import KINDS
from evaluation.running.job import write_job
from workloads.progress import Progress


def exported_job(project: Project, analysis: Analysis, progress: Progress) -> str:
    """Return the evaluation's job as JSON, for ``spark-submit evaluation/jobs/…``.

    Raises:
        CatalogError: A table has no data.
        ConfigurationError: An embedded store is not up: the job could not reach it. The file of the
            project's calibration cannot be read.
    """
    refuse_asleep(project)
    refuse_without_data(analysis.catalog)
    with connections(project, progress) as found:
        job = job_of(project, analysis, found)
        machines = machines_of(project, own_calibration(project))
        return write_job(replace(job, machines=machines))


def trino_catalogs(
    project: Project, analysis: Analysis, progress: Progress
) -> tuple[TrinoCatalog, ...]:
    """Return the stores as catalogs of a Trino.

    Raises:
        ConfigurationError: An embedded store is not up, or a store's name cannot be a catalog's.
        StoreError: A store does not answer that must say which server it is.
    """
    refuse_asleep(project)
    tables = analysis.catalog.tables.values()
    names = [
        name
        for table in tables
        for name in (table.name, table.schema, *(column.name for column in table.columns))
    ]
    with connections(project, progress) as found:
        return tuple(
            trino_catalog(
                connection,
                product=KINDS[connection.kind].answering(connection),
                mixed_case=any(name != name.lower() for name in (*names, connection.namespace)),
            )
            for connection in found.values()
        )
