"""A quick calibration that a run contradicts, remembered: the next run makes it again."""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from advisor.problem.calibrations import own_calibration
from advisor.project.project import Project
from evaluation.calibration.calibration import Calibration
from evaluation.calibration.contradictions import quick_contradiction
from evaluation.measuring.measurement import Measurements
from evaluation.running.job import OURS
from workloads.adapters import adapter
from workloads.errors import SetUpError
from workloads.whole_files import write_whole

FILE = "contradicted_rates.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class ContradictedRates:
    """The quick calibration of `started_at`: queries took `factor` times what it predicts."""

    started_at: str
    factor: float


def judge_rates(
    project: Project, measurements: Measurements, calibration: Calibration | None
) -> None:
    """Keep in the project's folder whether a run contradicts the quick calibration that it is of.

    Where it cannot be kept, the next run goes on with the rates that there are.
    """
    if calibration is None or not calibration.quick or measurements.engine != OURS:
        return
    factor = quick_contradiction(measurements, calibration)
    with suppress(OSError, SetUpError):
        if factor is None:
            _file(project).unlink(missing_ok=True)
            return
        found = ContradictedRates(started_at=calibration.started_at, factor=factor)
        write_whole(_file(project), adapter(ContradictedRates).dump_json(found, indent=1))


def contradicted(project: Project) -> ContradictedRates | None:
    """Return what a run found of the project's rates, if they are to be measured again.

    None of a calibration that was itself made for this: what a second one does not mend is not of
    the moment in which it was made.

    Raises:
        ConfigurationError: The file of the calibration cannot be read.
    """
    try:
        found = adapter(ContradictedRates).validate_json(_file(project).read_bytes())
    except (OSError, SetUpError, ValidationError):
        return None
    made = own_calibration(project)
    if made is None or not made.quick or made.repeated or made.started_at != found.started_at:
        return None
    return found


def _file(project: Project) -> Path:
    return project.folder / FILE
