"""Who estimates the rows of fragments: formulas over statistics, or PostgreSQL's optimizer."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager

from advisor.analysis.analysis import Analysis
from advisor.project.project import Project
from workloads.cache import cache_folder
from workloads.estimation.cardinality import Estimator
from workloads.estimation.estimator import CardinalityEstimator
from workloads.estimation.kept_answers import KeptAnswers
from workloads.estimation.sample_database import SampleDatabase
from workloads.footprint import Footprint
from workloads.progress import Progress

OfQuery = Callable[[Footprint], CardinalityEstimator]


@contextmanager
def statistics(project: Project, analysis: Analysis, progress: Progress) -> Iterator[OfQuery]:
    """Count on the catalog's samples, and estimate by formulas from its statistics."""
    del project, progress
    kept = KeptAnswers(cache_folder() / "estimates", analysis.catalog.tables.values())
    with SampleDatabase(analysis.catalog, kept) as samples:
        yield lambda footprint: Estimator(analysis.catalog, footprint, samples=samples)


@contextmanager
def postgresql(project: Project, analysis: Analysis, progress: Progress) -> Iterator[OfQuery]:
    """Ask the optimizer of an embedded PostgreSQL that has the catalog's statistics.

    Raises:
        StoreError: The server cannot be started.
        SetUpError: Its binaries are missing, or the disk is full.
    """
    from evaluation.live.explain import embedded_optimizer

    with embedded_optimizer(
        project.folder, analysis.workload, analysis.catalog, progress
    ) as optimizer:
        yield optimizer.estimator


ESTIMATORS: Mapping[
    str, Callable[[Project, Analysis, Progress], AbstractContextManager[OfQuery]]
] = {"statistics": statistics, "postgresql": postgresql}
