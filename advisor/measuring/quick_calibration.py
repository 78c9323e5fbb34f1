"""A quick calibration: a handful of statements a store and of the engine, within seconds."""

import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from statistics import median
from time import perf_counter

from advisor.measuring.calibrate import dropping
from advisor.measuring.open_stores import OpenStores
from advisor.measuring.quick_loading import load_bytes_per_s, load_quickly
from advisor.measuring.quick_parts import Findings, Part, live_parts, written_part
from advisor.problem.calibrations import target
from advisor.problem.fitted_calibration import left_out_queries
from advisor.problem.rates import combiner_of, default_engine, strength_of
from advisor.project.project import Project
from advisor.project.store_cores import HERE
from advisor.project.store_cores import machine_of as machine_of_store
from evaluation.bench import KeptBench
from evaluation.calibration.calibration import Calibration, StoreCalibration
from evaluation.calibration.observation import observations
from evaluation.calibration.quick_plans import alone, by_reader, copies, crossing, turn
from evaluation.calibration.quick_probes import LARGE, SCALE_FACTOR, SMALL
from evaluation.calibration.quick_rates import quick_rates, warm
from evaluation.calibration.rates import FittedRates
from evaluation.calibration.repeated import MOST_RUNS, measured_for
from evaluation.calibration.terms import ENGINE
from evaluation.calibration.warming import EngineRuns, slowness
from evaluation.evaluate import machine_of, versions_of
from evaluation.kinds import BACKENDS
from evaluation.spark.settings import is_local
from placement.plan import PlacementPlan
from placement.stores import Strength
from workloads.catalog import Catalog
from workloads.errors import ConfigurationError, StoreError
from workloads.progress import Progress

BUDGET_S = 10.0
"""Seconds of statements, but for the first that Spark reads, in which it loads its classes."""
_OWN_SHARE = 0.4
"""The share of this time that statements have that Spark has no part in, if there are others."""
_LIVE_SHARE = 0.3
"""The share of this time that live stores have where there are others too."""


def quick_calibration(
    project: Project,
    catalog: Catalog,
    opened: OpenStores,
    progress: Progress,
    *,
    seconds: float = BUDGET_S,
    runs: EngineRuns | None = None,
) -> Calibration:
    """Measure a project's stores and its engine, and scale their default rates by what was found.

    Statements start for so many `seconds`; `runs` takes note of them, if it is given.

    Stores get five tables of TPC-H in namespaces of their own, which are dropped again. Those with
    live tables, which `catalog` has, are only read. A store of which nothing could be measured has
    its default rates times this machine's factor, if all that was measured is on it. Otherwise it
    has no rates.

    Raises:
        ConfigurationError: No rate was measured.
        AdvisorError: The stores or Spark cannot be opened.
    """
    begun, load_before = perf_counter(), os.getloadavg()[0]
    started_at = datetime.now(UTC).isoformat(timespec="seconds")
    findings = Findings(runs=runs or EngineRuns())
    connections = opened.connections()
    written = written_part(project, connections, progress)
    live = list(live_parts(project, catalog, connections, findings, progress))
    parts = [*live] if written is None else [written, *live]
    if not parts:
        raise ConfigurationError(f"No store can be measured.{findings.first_reason}")
    live_s = seconds * (_LIVE_SHARE if written is not None else 1.0) / max(1, len(live))
    if written is not None:
        _measure_written(written, opened.bench, findings, seconds - live_s * len(live), progress)
    for part in live:
        opened.bench.opened(part.job)  # It is no store's fault if Spark does not start.
        _measure_live(part, opened.bench, findings, live_s, progress)
    fit = _fit(project, findings)
    return Calibration(
        started_at=started_at,
        seconds=perf_counter() - begun,
        scale_factor=SCALE_FACTOR,
        repeats=MOST_RUNS,
        seed=project.place.seed,
        fetch_size=project.evaluate.fetch_size,
        machine=machine_of(load_before),
        versions=versions_of(opened.bench.opened(parts[0].job).spark),
        stores=_stores(project, findings, fit),
        engine=fit.rates[ENGINE],
        engine_errors=None,
        observed=sum(
            query.measured_s is not None
            for _, measured in findings.seen
            for candidate in measured
            for query in candidate.queries
        ),
        left_out=tuple(findings.left_out),
        quick=True,
        combiner=combiner_of(project),
    )


def _measure_written(
    part: Part, bench: KeptBench, findings: Findings, seconds: float, progress: Progress
) -> None:
    """Load what is measured into the stores that take it, measure it, and drop it again."""
    with ExitStack() as held:
        stores = []
        for name in (each.name for each in part.project.stores):
            connection = part.job.connections[name]
            with findings.leaving_out(name):
                held.enter_context(BACKENDS[connection.kind].hold(connection))
                BACKENDS[connection.kind].prepare(connection)
                stores.append(name)
        given = [copies((*SMALL, LARGE), stores)]
        held.enter_context(_dropping(part, given, findings, progress))
        load_quickly(part, stores, findings, progress)
        tables = {name: [each.table for each in loaded] for name, loaded in findings.loads.items()}
        plans = [alone(part.problem, name, tables[name]) for name in tables]
        plans += crossing(part.problem, tables)
        _measure(part, plans, bench, findings, progress, seconds=seconds, judged=True)


@contextmanager
def _dropping(
    part: Part, given: Sequence[PlacementPlan], findings: Findings, progress: Progress
) -> Iterator[None]:
    """Drop the copies when the block ends; a store that is lost by then costs no other its rates.

    The next calibration drops what it left in the store that is lost.
    """
    ended = False
    try:
        with dropping(part.job.connections, given, progress):
            yield
            ended = True
    except StoreError as error:
        if not ended:
            raise
        findings.leave_out(error.store, error)


def _measure_live(
    part: Part, bench: KeptBench, findings: Findings, seconds: float, progress: Progress
) -> None:
    (store,) = part.project.stores
    with findings.leaving_out(store.name):
        plans = [alone(part.problem, store.name, part.problem.table_bytes)]
        _measure(part, plans, bench, findings, progress, seconds=seconds, judged=False)


def _measure(
    part: Part,
    plans: Sequence[PlacementPlan],
    bench: KeptBench,
    findings: Findings,
    progress: Progress,
    *,
    seconds: float,
    judged: bool,
) -> None:
    """Run the statements of `plans` for so many `seconds`, first those without a task of Spark.

    Of these the median counts: nothing has to be compiled. Where the processors' time is limited
    the least is that of a run before the limit, several times less than what most runs take. They
    do not warm up Spark, so that no run of it comes after them. Spark starts only if there are
    statements.
    """
    own, by_spark = by_reader(part.problem, plans)
    if not own and not by_spark:
        return
    spark = bench.opened(part.job).spark
    ends = perf_counter() + seconds
    if own:
        apart = EngineRuns()
        measured = measured_for(
            spark,
            part.job,
            own,
            progress,
            judged=judged,
            turn=turn,
            seconds=_OWN_SHARE * seconds if by_spark else seconds,
            runs=apart,
            typical=median,
        )
        findings.runs.later += apart.later
        findings.seen.append((part, measured))
    if by_spark:
        measured = measured_for(
            spark,
            part.job,
            by_spark,
            progress,
            judged=judged,
            turn=turn,
            seconds=max((1.0 - _OWN_SHARE) * seconds, ends - perf_counter()),
            runs=findings.runs,
        )
        findings.seen.append((part, measured))


def _fit(project: Project, findings: Findings) -> FittedRates:
    """Fit the rates of the stores that something was measured of, and of those beside them.

    Raises:
        ConfigurationError: Nothing was measured.
    """
    for _, measured in findings.seen:
        findings.left_out += left_out_queries(measured)
    seen = warm(
        [
            replace(each, slowness=slowness(findings.runs.least(each.candidate, each.query).before))
            for part, measured in findings.seen
            for each in observations(part.problem, measured)
        ]
    )
    if not seen:
        raise ConfigurationError(f"No rate was measured.{findings.first_reason}")
    told = {store for each in seen for store in each.stores}
    strengths = {
        store.name: store.strength
        for part, _ in findings.seen
        for store in part.problem.stores
        if store.name in told
    }
    fetch_size = findings.seen[0][0].problem.costs.fetch_size
    return quick_rates(
        seen,
        strengths,
        default_engine(project),
        fetch_size=fetch_size,
        unseen=unseen(project, told),
    )


def unseen(project: Project, told: Collection[str]) -> dict[str, Strength]:
    """Return the default rates of the stores of this machine that were not `told`, by name.

    There are none if the engine or a store that was told is elsewhere: what they tell is then not
    of this machine alone.
    """
    left = [each for each in project.stores if each.name not in told]
    if not left or not is_local(project.evaluate.master):
        return {}
    if any(each.name in told and machine_of_store(each) != HERE for each in project.stores):
        return {}
    return {each.name: strength_of(each) for each in left if machine_of_store(each) == HERE}


def _stores(project: Project, findings: Findings, fit: FittedRates) -> dict[str, StoreCalibration]:
    catalog = findings.seen[0][0].job.catalog
    return {
        store.name: StoreCalibration(
            kind=store.kind,
            target=target(store),
            rates=fit.rates[store.name],
            errors=None,
            load_bytes_per_s=(
                load_bytes_per_s(findings.loads[store.name], catalog)
                if store.name in findings.loads
                else None
            ),
        )
        for store in project.stores
        if store.name in fit.rates
    }
