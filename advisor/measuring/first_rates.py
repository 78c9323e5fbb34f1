"""Rates measured before a project is placed: where there are none, or a run contradicts them."""

from collections.abc import Mapping, Sequence

from advisor.measuring.contradicted_rates import (
    Doubt,
    contradicted,
    judge_rates,
    mark_repeated,
)
from advisor.measuring.failed_rates import forget, remember, remembered
from advisor.measuring.open_stores import OpenStores
from advisor.measuring.quick_calibration import quick_calibration
from advisor.problem.calibrations import calibrations_folder, lacks_rates, own_calibration
from advisor.project.project import Project
from evaluation.calibration.calibration import Calibration, write_calibration
from evaluation.calibration.quick_plans import ALONE
from evaluation.measuring.measurement import Measurements
from evaluation.running.job import OURS
from workloads.catalog import Catalog
from workloads.errors import AdvisorError
from workloads.progress import Progress

_MESSAGE_CHARACTERS = 300


def wants_rates(project: Project) -> bool:
    """Tell whether a run measures rates before it places.

    It does if nobody has measured or written any, or if a run has contradicted those that were
    measured quickly. Rates are of our own engine. A project that has another one answer has no use
    for them. Measuring that has failed is not tried again. A run that is told not to measure
    forgets the failure.

    Raises:
        ConfigurationError: The file of a calibration cannot be read.
    """
    if not project.place.quick_rates:
        forget(project)
    return _is_wanted(project)


def _is_wanted(project: Project) -> bool:
    if not project.place.quick_rates or project.evaluate.engine != OURS:
        return False
    lacks = lacks_rates(project) or contradicted(project) is not None
    return lacks and remembered(project) is None


def doubted(
    project: Project, measurements: Measurements, calibration: Calibration | None
) -> Doubt | None:
    """Hold a run against the quick rates that it was predicted by; None if it does not doubt them.

    Raises:
        ConfigurationError: The file of a calibration cannot be read.
    """
    factor = judge_rates(project, measurements, calibration)
    if factor is None:
        return None
    full = not all(store.is_live for store in project.stores)
    return Doubt(factor=factor, again=_is_wanted(project), full=full)


def measure_first_rates(
    project: Project, catalog: Catalog, opened: OpenStores, progress: Progress
) -> str | None:
    """Calibrate quickly and keep the rates; return why there are none, in a sentence.

    Without them those hold that there are, so whatever goes wrong ends nothing. It is remembered:
    the next run of these stores does not try it again. Rates that are contradicted are only
    replaced by those of as many stores.
    """
    before = contradicted(project)
    needed = _seen(own_calibration(project)) if before is not None else set()
    try:
        with progress.task("Measuring rates quickly"):
            found = quick_calibration(project, catalog, opened, progress)
            lost = needed - _seen(found)
            if found.stores and not lost:
                write_calibration(found, calibrations_folder(project))
    except AdvisorError as error:
        return _failed(project, str(error))
    except Exception as error:  # noqa: BLE001 - a run goes on without measured rates
        said = " ".join(str(error).split())
        for secret in project.secrets():
            said = said.replace(secret, "***")
        return _failed(project, f"{type(error).__name__}: {said[:_MESSAGE_CHARACTERS]}")
    missing = [store.name for store in project.stores if store.name not in found.stores]
    following = [name for name, each in found.stores.items() if not each.is_seen]
    reasons = {each.placement: each.message for each in found.left_out}
    if not found.stores or lost:
        named = sorted(lost) or missing
        why = _why(named, reasons)
        return _failed(project, why or f"{', '.join(named)} did not answer in time.")
    if before is not None:
        mark_repeated(project, before, found)
    told = [
        f"Rates of {', '.join(names)} were not measured, and {are}. {_why(names, reasons)}".strip()
        for names, are in (
            (following, "are defaults times this machine's factor"),
            (missing, "are defaults"),
        )
        if names
    ]
    return " ".join(told) or None


def _seen(calibration: Calibration | None) -> set[str]:
    """Return the stores that a calibration has measured rates of."""
    stores = {} if calibration is None else calibration.stores
    return {name for name, each in stores.items() if each.is_seen}


def _why(stores: Sequence[str], reasons: Mapping[str, str]) -> str:
    keys = (each for name in stores for each in (name, f"{ALONE}:{name}"))
    return " ".join(dict.fromkeys(reasons[each] for each in keys if each in reasons))


def _failed(project: Project, reason: str) -> str:
    """Remember the reason, and return it in a sentence with what tries again."""
    failed = remember(project, reason)
    kept, are = own_calibration(project), "are defaults"
    if kept is not None and kept.stores:
        are = f"stay those of {kept.started_at[:16].replace('T', ' ')}"
    return (
        f"Rates were not measured, and {are}: {reason.rstrip('.')}. The next runs do not "
        f"try it again until the stores of the project change: `{failed.again}` does."
    )
