"""A quick calibration that a run contradicts, remembered: the next run makes it again, once."""

import math
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import ValidationError

from advisor.problem.calibrations import own_calibration, writes_rates
from advisor.project.project import Project
from evaluation.calibration.calibration import Calibration
from evaluation.calibration.contradictions import QUICK_FACTOR, quick_factor
from evaluation.measuring.measurement import Measurements
from evaluation.running.job import OURS
from workloads.adapters import adapter
from workloads.errors import SetUpError
from workloads.whole_files import write_whole

FILE = "contradicted_rates.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class ContradictedRates:
    """The quick calibration of `started_at`: queries took `factor` times what it predicts.

    `repeated_at` is when it was made again; None before that.
    """

    started_at: str
    factor: float
    repeated_at: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """Queries took `factor` times the seconds that quick rates predict, which is too far off.

    `again` says whether the next run of the project measures these rates quickly again, `full`
    whether a full calibration can measure any: it leaves live stores out.
    """

    factor: float
    again: bool
    full: bool


def judge_rates(
    project: Project, measurements: Measurements, calibration: Calibration | None
) -> float | None:
    """Return how many times the predicted seconds queries took, if that contradicts quick rates.

    It is kept in the project's folder, until a run agrees with the rates. A run that cannot tell
    changes nothing. Where it cannot be kept, the next run goes on with the rates that there are.
    """
    if calibration is None or not (calibration.quick and calibration.stores):
        return None
    if writes_rates(project) or measurements.engine != OURS:
        return None
    factor = quick_factor(measurements)
    if factor is None:
        return None
    if abs(math.log(factor)) <= math.log(QUICK_FACTOR):
        with suppress(OSError, SetUpError):
            _file(project).unlink(missing_ok=True)
        return None
    known = _kept(project)
    if known is None or calibration.started_at not in (known.started_at, known.repeated_at):
        known = ContradictedRates(started_at=calibration.started_at, factor=factor)
    _keep(project, replace(known, factor=factor))
    return factor


def contradicted(project: Project) -> ContradictedRates | None:
    """Return what a run found of the project's rates, if they are to be measured again.

    They are once: what a second calibration does not mend is not of the moment of the first.

    Raises:
        ConfigurationError: The file of the calibration cannot be read.
    """
    found, made = _kept(project), own_calibration(project)
    if found is None or found.repeated_at is not None or writes_rates(project):
        return None
    if made is None or not (made.quick and made.stores) or made.started_at != found.started_at:
        return None
    return found


def mark_repeated(project: Project, found: ContradictedRates, made: Calibration) -> None:
    """Remember that a contradicted calibration has been made again."""
    _keep(project, replace(found, repeated_at=made.started_at))


def _kept(project: Project) -> ContradictedRates | None:
    try:
        return adapter(ContradictedRates).validate_json(_file(project).read_bytes())
    except (OSError, SetUpError, ValidationError):
        return None


def _keep(project: Project, found: ContradictedRates) -> None:
    with suppress(OSError, SetUpError):
        write_whole(_file(project), adapter(ContradictedRates).dump_json(found, indent=1))


def _file(project: Project) -> Path:
    return project.folder / FILE
