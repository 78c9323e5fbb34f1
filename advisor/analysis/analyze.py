"""Reading a workload over a catalog: the first stage of the pipeline."""

import time
from dataclasses import dataclass, replace

from advisor.analysis.analysis import Analysis
from advisor.analysis.chosen_indexes import offering, with_asked_indexes
from advisor.analysis.literals import with_literals
from advisor.analysis.live_tables import with_rows_of_live_tables, with_too_large_tables
from advisor.analysis.load_catalog import (
    FoundCatalog,
    read_catalog,
    reads_quickly,
    refuse_without_data,
)
from advisor.analysis.load_workload import read_workload
from advisor.figures import percent
from advisor.project.constraints import refuse_constraints, unheld_of
from advisor.project.project import Project
from advisor.project.project_file import ProjectFile
from advisor.project.store_access import refuse_inaccessible
from placement.fragment import Fragment, SharedFragment
from placement.fragments.enumeration import enumerate_fragments
from placement.fragments.one_scans import one_scans
from placement.fragments.preaggregation import preaggregated_fragments
from placement.fragments.reductions import reduced_fragments
from placement.fragments.shared_fragments import shared_fragments
from workloads.access_graph import access_graph
from workloads.cache import cache_folder
from workloads.catalog import Catalog
from workloads.errors import ConfigurationError, InvalidStatementsError
from workloads.estimation.cardinality import Estimator
from workloads.estimation.estimator import CardinalityEstimator
from workloads.estimation.kept_answers import KeptAnswers
from workloads.estimation.sample_database import SampleDatabase
from workloads.footprint import Footprint
from workloads.problems import Problems
from workloads.progress import Progress
from workloads.sources.benchmarks import BENCHMARKS
from workloads.sql.statements import understand
from workloads.workload import FILTERED, Workload


def analyze(
    project: Project, progress: Progress, *, spark: bool = False, needs_data: bool = False
) -> Analysis:
    """Read the workload and the catalog, and find what each query touches.

    With `spark` logs are folded into templates by a Spark job. Where it `needs_data` the rows of
    live tables are read: what is only placed needs none.

    Raises:
        InvalidStatementsError: Statements are not understood, and are not to be left out.
        ConfigurationError: No statement reads or writes a table, or a constraint cannot be kept.
        CatalogError: The catalog cannot be read, or a table has no data that `needs_data`.
        RefusalsError: Several of these.
    """
    analysis = understood_project(project, progress, spark=spark, needs_data=needs_data)
    analysis = with_too_large_tables(project, analysis)
    if needs_data:
        analysis = with_rows_of_live_tables(project, analysis, progress)
        analysis = with_literals(analysis, project.evaluate.seed, progress)
    return _estimated(with_asked_indexes(project, analysis), progress)


def understood_project(
    project: Project, progress: Progress, *, spark: bool = False, needs_data: bool = False
) -> Analysis:
    """Return the analysis of a project before anything is estimated, or all that is refused of it.

    Raises:
        AdvisorError: As `analyze`.
    """
    file, problems = ProjectFile(path=project.file), Problems()
    for store in dict.fromkeys((*project.workload.stores, *project.catalog.stores)):
        with problems.gathering():  # a missing password is known before anything is read
            refuse_inaccessible(file, project.store(store))
    problems.raise_any()
    started = time.perf_counter()
    analysis = None
    given, found = _sources(project, progress, problems, spark=spark)
    if given is not None and found is not None:
        generate_s = time.perf_counter() - started
        with problems.gathering():
            analysis = _understood(project, given, found, progress, generate_s=generate_s)
    if found is not None:
        with problems.gathering():
            _refuse_constraints(project, found.catalog, analysis)
        if needs_data:
            with problems.gathering():
                refuse_without_data(found.catalog)
    problems.raise_any()
    if analysis is None:
        raise AssertionError("what cannot be analysed has an error that says why")
    return analysis


def _sources(
    project: Project, progress: Progress, problems: Problems, *, spark: bool
) -> tuple[Workload | None, FoundCatalog | None]:
    """Return the workload and the catalog, None for what `problems` has an error of.

    A catalog that is read quickly goes first: it says which schemas search paths may name.
    """
    given, found = None, None
    is_quick = reads_quickly(project.catalog)
    if is_quick:
        with problems.gathering():
            found = read_catalog(project, progress)
    with problems.gathering():
        catalog = None if found is None else found.catalog
        given = read_workload(project, progress, spark=spark, catalog=catalog)
    if not is_quick:
        problems.raise_any()
        with problems.gathering():
            found = read_catalog(project, progress)
    return given, found


def _refuse_constraints(project: Project, catalog: Catalog, analysis: Analysis | None) -> None:
    if project.stores:
        queries = None if analysis is None else [each.query for each in analysis.footprints]
        refuse_constraints(project, catalog.tables, queries, unheld_of(project, catalog))


def analyzed(
    project: Project,
    given: Workload,
    found: FoundCatalog,
    progress: Progress,
    *,
    generate_s: float,
) -> Analysis:
    """Find what each query of a workload touches, over a catalog that was read already.

    Raises:
        InvalidStatementsError: Statements are not understood, and are not to be left out.
        ConfigurationError: No statement reads or writes a table.
    """
    analysis = _understood(project, given, found, progress, generate_s=generate_s)
    return _estimated(with_asked_indexes(project, analysis), progress)


def _understood(
    project: Project,
    given: Workload,
    found: FoundCatalog,
    progress: Progress,
    *,
    generate_s: float,
) -> Analysis:
    understood = understand(given, found.catalog, progress, project.workload.search_path)
    passed = understood.passed_through
    read = (*understood.footprints, *understood.writes, *(each.footprint for each in passed))
    of_workload = [each for each in given.skipped if each.kind not in FILTERED]
    analysis = Analysis(
        workload=understood.workload,
        catalog=understood.catalog,
        footprints=understood.footprints,
        graph=access_graph(read),
        writes=understood.writes,
        passed_through=passed,
        # The catalog's DDL is no execution of the workload.
        skipped=(*(replace(each, executions=0.0) for each in found.skipped), *understood.skipped),
        statements=understood.statements + len(of_workload) + len(found.skipped),
        executions=understood.executions + sum(skipped.executions for skipped in of_workload),
        assumed_rows=found.assumed_rows,
        generate_s=generate_s,
    )
    if analysis.invalid and not project.workload.skip_invalid:
        raise _invalid_statements(project, analysis)
    if not read:
        raise ConfigurationError(
            f"None of the {analysis.statements} statements of '{given.name}' reads or writes a "
            f"table{_first_reason(analysis)}"
        )
    return analysis


def _invalid_statements(project: Project, analysis: Analysis) -> InvalidStatementsError:
    """Return the error that lists what was not understood, each with its place."""
    invalid = analysis.invalid
    are = "is" if len(invalid) == 1 else "are"
    return InvalidStatementsError(
        f"{len(invalid)} of {analysis.statements} statements {are} not understood "
        f"({percent(analysis.invalid_share)} of the executions): correct them, or leave them out "
        f"with --skip-invalid, or skip_invalid = true under [workload].{_other_catalog(project)}",
        tuple(f"{each.source}:{each.line}:{each.column}: {each.reason}" for each in invalid),
    )


def _other_catalog(project: Project) -> str:
    """Say which tables are known where the user's own statements are read over a benchmark's."""
    if project.catalog.benchmark in (None, project.workload.benchmark):
        return ""
    title = BENCHMARKS[project.catalog.benchmark].title
    return f" The catalog is that of {title}: name another with --catalog, or [catalog].source."


def _first_reason(analysis: Analysis) -> str:
    first = next(iter(analysis.skipped), None)
    if first is None:
        return "."
    return f"; the first, {first.source}:{first.line}, is left out since {first.reason}."


def _estimated(analysis: Analysis, progress: Progress) -> Analysis:
    """Return the analysis with what one store could run alone of each query, and its estimates."""
    found: dict[str, _Offered] = {}
    catalog = offering(analysis)
    kept = KeptAnswers(cache_folder() / "estimates", catalog.tables.values())
    with (
        SampleDatabase(catalog, kept) as samples,
        progress.task("Estimating fragments", len(analysis.footprints)) as task,
    ):
        for each in analysis.footprints:
            try:
                found[each.query] = _offered(each, Estimator(catalog, each, samples=samples))
            except ArithmeticError:
                # Values at the ends of DOUBLE overflow what is computed of them: sizes remain.
                sizes = Estimator(catalog.without_values(), each)
                found[each.query] = _offered(each, sizes)
            task.advance()
    return replace(
        analysis,
        fragments={query: each.fragments for query, each in found.items()},
        reduced={query: each.reduced for query, each in found.items()},
        preaggregated={query: each.preaggregated for query, each in found.items()},
        shared={query: each.shared for query, each in found.items()},
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Offered:
    """The parts of a query that one store could run alone."""

    fragments: tuple[Fragment, ...]
    reduced: tuple[Fragment, ...]
    preaggregated: tuple[Fragment, ...]
    shared: tuple[SharedFragment, ...]


def _offered(footprint: Footprint, estimates: CardinalityEstimator) -> _Offered:
    fragments = enumerate_fragments(footprint, estimates)
    reduced = reduced_fragments(footprint, estimates, fragments)
    return _Offered(
        fragments=fragments,
        reduced=reduced,
        preaggregated=preaggregated_fragments(footprint, estimates, fragments + reduced),
        shared=shared_fragments(footprint, fragments + reduced)
        + one_scans(footprint, estimates, fragments),
    )
