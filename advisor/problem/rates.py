"""The rates of a project's stores and engine: what the project says, was measured, or defaults."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from advisor.problem.calibrations import own_calibration, quick_beside, target
from advisor.project.project import Project
from advisor.project.store_settings import StoreSettings
from evaluation.calibration.calibration import Calibration
from evaluation.federation.compiled import Combiner
from evaluation.kinds import KINDS
from evaluation.running.job import OURS
from evaluation.spark.combining import combiner_of_small
from placement.costs import DEFAULT_COSTS, CostModel
from placement.stores import DRIVER, Engine, Strength
from workloads.errors import ConfigurationError, StoreError


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """The rates that costs are computed with.

    `strengths`: store → its rates. `calibration` is the one that they are from, with the project's
    stores alone; None where nothing was measured. Stores that it lacks have rates of a quick one.
    """

    strengths: Mapping[str, Strength]
    engine: Engine
    calibration: Calibration | None

    def with_store(self, settings: StoreSettings) -> "Rates":
        """Return the rates with those of one more store."""
        more = strength_of(settings, self.calibration)
        return replace(self, strengths={**self.strengths, settings.name: more})


def rates_of(project: Project, *, calibrated: bool = True) -> Rates:
    """Return a project's rates; the file of its calibration is read only if they are `calibrated`.

    A server of the user's is asked what it is where servers of its kind differ. Without its
    password, or when it is not there, it is taken for what its kind is: a plan can be made without
    any store.

    Raises:
        ConfigurationError: The calibration's file cannot be read.
    """
    calibration = own_calibration(project) if calibrated else None
    beside = quick_beside(project) if calibrated else None
    combiner = combiner_of(project)
    engine = default_engine(project)
    return Rates(
        strengths={each.name: strength_of(each, calibration, beside) for each in project.stores},
        engine=engine if calibration is None else calibration.calibrated_engine(engine, combiner),
        calibration=calibration,
    )


def combiner_of(project: Project) -> Combiner:
    """Return who combines the fragments of the project's small queries.

    Rates are of our engine. Where another one answers, what is known of Spark is nearer.
    """
    settings = project.evaluate
    if settings.engine != OURS:
        return "spark"
    return combiner_of_small(settings.combine, settings.join_strategy, settings.master)


def default_engine(project: Project) -> Engine:
    """Return the default rates of who combines the project's small queries."""
    return DRIVER if combiner_of(project) == "duckdb" else DEFAULT_COSTS.engine


def default_costs(project: Project) -> CostModel:
    """Return the prices by the default rates of who combines the project's small queries."""
    return replace(DEFAULT_COSTS, engine=default_engine(project))


def strength_of(settings: StoreSettings, *calibrations: Calibration | None) -> Strength:
    """Return a store's rates: what the project says of them, else what was measured.

    The first of the `calibrations` counts that has the store. Without either they are the defaults
    of its kind or its server.
    """
    default = _default(settings)
    known = (
        each.strength(settings.name, target(settings), default)
        for each in calibrations
        if each is not None
    )
    return settings.strength.instead_of(next(filter(None, known), default))


def _default(settings: StoreSettings) -> Strength:
    kind = KINDS[settings.kind]
    # A password is only read where a server has to be asked.
    if not settings.embedded and kind.answering_product is not None:
        with suppress(ConfigurationError, StoreError):
            return kind.answering(settings.connection()).strength
    return kind.product(settings.server).strength
