"""From a project and its analysis to the placement problem."""

from collections.abc import Mapping
from dataclasses import replace

from advisor.analysis.analysis import Analysis
from advisor.analysis.chosen_indexes import own_indexes
from advisor.analysis.live_tables import tables_read
from advisor.problem.hosting import hosting
from advisor.problem.machines import machines_of
from advisor.problem.rates import Rates
from advisor.project.constraints import constraints_of, current_of, unheld_of
from advisor.project.project import Project
from advisor.project.staying import live_tables, staying_of
from advisor.project.store_settings import StoreSettings
from evaluation.kinds import BACKENDS, capabilities, most_tabled
from placement.costs import DEFAULT_COSTS
from placement.fetching import Budget
from placement.problem import Constraints, PlacementProblem, QueryProblem
from placement.stores import Store, Strength
from workloads.copied_indexes import copies_bytes, copy_bytes, index_bytes
from workloads.indexes import NamedIndex


def placement_problem(project: Project, analysis: Analysis, rates: Rates) -> PlacementProblem:
    """Return the problem: sizes, stores with their strengths, fragments with their estimates.

    Raises:
        ConfigurationError: The constraints or the current placement name what there is not.
    """
    table_bytes = {name: copy_bytes(each) for name, each in analysis.catalog.tables.items()}
    capacities = project.capacities_bytes(copies_bytes(analysis.catalog))
    own, offered = own_indexes(analysis), _candidates(analysis)
    return PlacementProblem(
        table_bytes=table_bytes,
        stores=tuple(
            _store(each, capacities[each.name], _strength(each, rates, table_bytes), own)
            for each in project.stores
        ),
        queries=tuple(
            QueryProblem(
                name=each.query,
                executions=each.executions,
                sources=tuple(source.name for source in each.sources()),
                fragments=analysis.offered(each.query),
                shared=analysis.shared.get(each.query, ()),
            )
            for each in analysis.footprints
        ),
        constraints=_constraints(project, analysis, table_bytes),
        costs=replace(
            DEFAULT_COSTS,
            engine=rates.engine,
            fetch_size=project.evaluate.fetch_size,
            period_days=project.workload.period_days,
            budget=Budget() if project.place.tune_transfers else None,
        ),
        graph=analysis.graph,
        current=current_of(project, table_bytes, live_tables(analysis.catalog)),
        current_indexes={
            store: frozenset(indexes) for store, indexes in project.current_indexes.items()
        },
        horizon=project.place.horizon,
        objective=project.place.objective,
        time_limit_s=project.place.time_limit_s,
        work_limit=project.place.work_limit,
        seed=project.place.seed,
        candidates={
            store.name: frozenset(offered)
            for store in project.stores
            if offered and _takes_indexes(store, rates)
        },
        index_bytes=offered,
        machines=machines_of(project, rates.calibration),
        clients=project.clients_at_once,
    )


def _candidates(analysis: Analysis) -> Mapping[NamedIndex, int]:
    """Return the indexes that may be chosen, with their bytes."""
    return {
        index: index_bytes(analysis.catalog.table(table), index.columns)
        for table, indexes in analysis.candidates.items()
        for index in indexes
    }


def _takes_indexes(settings: StoreSettings, rates: Rates) -> bool:
    """Whether copies in a store get indexes that it reads by; a live one is only read."""
    makes = BACKENDS[settings.kind].makes_indexes and not settings.is_live
    return makes and rates.strengths[settings.name].index_rows_per_s is not None


def _constraints(
    project: Project, analysis: Analysis, table_bytes: Mapping[str, int]
) -> Constraints:
    return constraints_of(
        project,
        table_bytes,
        [each.query for each in analysis.footprints],
        unheld_of(project, analysis.catalog),
        hosting(project, analysis).tables(analysis),
        staying=staying_of(project, analysis.catalog, tables_read(analysis)),
    )


def _strength(settings: StoreSettings, rates: Rates, table_bytes: Mapping[str, int]) -> Strength:
    """Return a store's rates where it may hold every table; what the project says comes first."""
    strength = rates.strengths[settings.name]
    if settings.strength.kept_bytes is not None:
        return strength
    return strength.holding(sum(table_bytes.values()))


def _store(
    settings: StoreSettings,
    capacity_bytes: int | None,
    strength: Strength,
    own: Mapping[str, frozenset[NamedIndex]],
) -> Store:
    backend = BACKENDS[settings.kind]
    if settings.name in own:
        strength = replace(strength, indexes=own[settings.name])
    return Store(
        name=settings.name,
        kind=settings.kind,
        capacity_bytes=capacity_bytes,
        strength=strength,
        capabilities=capabilities(settings.kind, read_only=settings.is_live),
        lacks=backend.lacks,
        most_tabled=most_tabled(settings.kind),
        prices=settings.prices.prices(),
    )
