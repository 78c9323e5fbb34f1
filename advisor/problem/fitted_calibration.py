"""The calibration that measurements of a project's stores make: rates, caches, errors."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from advisor.figures import SINGLE_STORE
from advisor.problem.calibrations import target
from advisor.problem.rates import combiner_of
from advisor.project.project import Project
from advisor.project.store_settings import StoreSettings
from evaluation.calibration.behaviour import Behaviours
from evaluation.calibration.calibration import Calibration, LeftOut, StoreCalibration
from evaluation.calibration.core_use import CoreUse, Counted, core_use
from evaluation.calibration.disk import DiskProfile
from evaluation.calibration.join_sweep import Memories
from evaluation.calibration.links import Links
from evaluation.calibration.observation import as_planned, observations
from evaluation.calibration.rates import (
    FittedRates,
    engine_with_rates,
    fitted_rates,
    with_rates,
)
from evaluation.calibration.scan_cache import ScanCache, scan_cache
from evaluation.calibration.stream_probes import Streaming
from evaluation.calibration.terms import ENGINE
from evaluation.load import LoadedStores
from evaluation.measuring.measurement import CandidateMeasurement, Measurements
from evaluation.server_settings.settings import ServerSettings
from placement.demands import by_place
from placement.problem import PlacementProblem
from placement.routing.repriced import repriced
from placement.stores import Strength
from workloads.errors import ConfigurationError


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The loaded tables and measurements of a calibration, and the problem that planned it.

    `settings` are the stores' own, `disk_of` maps store → the folder that stands for its disk.
    """

    problem: PlacementProblem
    loaded: LoadedStores
    measurements: Measurements
    behaviours: Behaviours
    links: Links
    streaming: Streaming
    memories: Memories
    settings: Mapping[str, ServerSettings] = field(default_factory=dict)
    disk_of: Mapping[str, str] = field(default_factory=dict)
    disks: Mapping[str, DiskProfile] = field(default_factory=dict)
    unmeasured: tuple[LeftOut, ...] = ()


def fitted(asked: Project, measured: Measured, scale_factor: float, seconds: float) -> Calibration:
    """Return the calibration that the measurements make.

    Raises:
        ConfigurationError: There are none.
    """
    problem, measurements = measured.problem, measured.measurements
    seen = tuple(observations(problem, measurements.candidates))
    left_out = (*_left_out(measured), *measured.unmeasured)
    if not seen:
        why = f" {left_out[0].message}" if left_out else ""
        raise ConfigurationError(f"No query of the calibration was answered in time.{why}")
    caches = dict(_scan_caches(measured))
    strengths = _strengths(asked, measured, caches)
    fit = fitted_rates(
        seen,
        strengths,
        problem.costs.engine,
        fetch_size=problem.costs.fetch_size,
        seed=problem.seed,
    )
    uses = _core_uses(measured, fit, strengths)
    return Calibration(
        started_at=measurements.started_at,
        seconds=seconds,
        scale_factor=scale_factor,
        repeats=measurements.repeats,
        seed=problem.seed,
        fetch_size=problem.costs.fetch_size,
        machine=measurements.machine,
        versions=measurements.versions,
        stores={
            store.name: _of_store(
                store, measured, fit, caches.get(store.name), uses.get(store.name)
            )
            for store in asked.stores
        },
        engine=fit.rates[ENGINE],
        engine_errors=fit.errors.get(ENGINE),
        observed=len(seen),
        observations=seen,
        left_out=left_out,
        disks=measured.disks,
        together=measured.behaviours.together,
        combiner=combiner_of(asked),
    )


def _strengths(
    asked: Project, measured: Measured, caches: Mapping[str, ScanCache]
) -> dict[str, Strength]:
    """Return what is known of the stores beforehand; what the project says of them comes first."""
    strengths = {store.name: store.strength for store in measured.problem.stores}
    for store in asked.stores:
        known = strengths[store.name]
        if store.name in caches:
            known = caches[store.name].strength(known)
            known = known.holding(_loaded_bytes(measured, store.name))
        if store.name in measured.links.stores:
            known = replace(known, link=measured.links.stores[store.name].link)
        strengths[store.name] = store.strength.instead_of(known)
    return strengths


def _of_store(
    store: StoreSettings,
    measured: Measured,
    fit: FittedRates,
    cache: ScanCache | None,
    use: CoreUse | None,
) -> StoreCalibration:
    settings = measured.settings.get(store.name)
    return StoreCalibration(
        kind=store.kind,
        target=target(store),
        rates=fit.rates[store.name],
        errors=fit.errors.get(store.name),
        load_bytes_per_s=_load_bytes_per_s(measured, store.name),
        cache_bytes=None if settings is None else settings.cache_bytes,
        disk=measured.disk_of.get(store.name),
        scan_cache=cache,
        behaviour=measured.behaviours.stores.get(store.name),
        link=measured.links.stores.get(store.name),
        stream_times=measured.streaming.stores.get(store.name),
        memory=measured.memories.stores.get(store.name),
        core_use=use,
    )


def _core_uses(
    measured: Measured, fit: FittedRates, strengths: Mapping[str, Strength]
) -> dict[str, CoreUse | None]:
    """Return store → the cores that it keeps busy, by the queries that it alone answered.

    Their seconds are shared out by the fitted rates.
    """
    problem = measured.problem
    stores = [
        replace(each, strength=with_rates(strengths[each.name], fit.rates[each.name], "", None))
        for each in problem.stores
    ]
    engine = engine_with_rates(problem.costs.engine, fit.rates[ENGINE], "")
    known = replace(problem, stores=tuple(stores), costs=replace(problem.costs, engine=engine))
    candidates, cores = measured.measurements.candidates, measured.measurements.machine.cores
    return {
        store.name: core_use(store.name, tuple(counted_alone(known, candidates, store.name)), cores)
        for store in stores
    }


def counted_alone(
    problem: PlacementProblem, candidates: Iterable[CandidateMeasurement], store: str
) -> Iterator[Counted]:
    """Yield the queries that a store alone answered as planned, if their cores were counted."""
    for candidate in candidates:
        if candidate.plan.strategy != f"{SINGLE_STORE}{store}":
            continue
        routing = repriced(problem, candidate.plan, candidate.plan.strategy).routing
        for query in candidate.queries:
            seconds, cores = query.measured_s, query.busy_cores
            routed = routing[query.query]
            if seconds is not None and cores is not None and as_planned(query, routed):
                yield Counted(seconds=seconds, cores=cores, predicted=by_place([(1.0, routed)]))


def _left_out(measured: Measured) -> Iterator[LeftOut]:
    for store, message in measured.behaviours.failed.items():
        yield LeftOut(placement=store, query="behaviour", outcome="failed", message=message)
    for store, message in measured.links.failed.items():
        yield LeftOut(placement=store, query="link", outcome="failed", message=message)
    for store, message in measured.streaming.failed.items():
        yield LeftOut(placement=store, query="streams", outcome="failed", message=message)
    for store, message in measured.memories.failed.items():
        yield LeftOut(placement=store, query="memory", outcome="failed", message=message)
    yield from left_out_queries(measured.measurements.candidates)


def left_out_queries(candidates: Sequence[CandidateMeasurement]) -> Iterator[LeftOut]:
    """Yield the queries that have no seconds, and why."""
    for candidate in candidates:
        for query in candidate.queries:
            if query.measured_s is None:
                yield LeftOut(
                    placement=candidate.plan.strategy,
                    query=query.query,
                    outcome=str(query.outcome),
                    message=query.message,
                )


def _scan_caches(measured: Measured) -> Iterator[tuple[str, ScanCache]]:
    """Yield each store of this machine with what is known of its memory."""
    for store, settings in measured.settings.items():
        disk = measured.disks.get(measured.disk_of.get(store, ""))
        found = disk and scan_cache(
            settings,
            disk,
            table_bytes=_loaded_bytes(measured, store),
            memory_bytes=measured.measurements.machine.memory_bytes,
        )
        if found:
            yield store, found


def _loaded_bytes(measured: Measured, store: str) -> int:
    """Return the catalog's bytes of the tables that were loaded into a store."""
    held = [table for table, holder in measured.loaded.copies if holder == store]
    return sum(measured.problem.table_bytes[table] for table in held)


def _load_bytes_per_s(measured: Measured, store: str) -> float:
    """Return the catalog's bytes that were loaded a second, of all tables together."""
    loads = [copy for (_, held), copy in measured.loaded.copies.items() if held == store]
    size = sum(measured.problem.table_bytes[copy.table] for copy in loads)
    return size / max(1e-3, sum(copy.load_s for copy in loads))
