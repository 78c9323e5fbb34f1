"""Measurements are given to MLflow, now or later: losing MLflow loses nothing else."""

import fcntl
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from advisor.planned.measured_runs import REPORTS
from advisor.project.project import Project
from evaluation.measuring.measurement import Measurements
from evaluation.tracking.track import Artifacts, Description, TrackingError, prepare, track
from workloads.adapters import adapter
from workloads.progress import Progress
from workloads.whole_files import write_whole

UNRECORDED = "unrecorded.json"
"""Measurements that MLflow has not got yet, in the folder of their report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unrecorded:
    """Measurements and files that MLflow is to get."""

    measurements: Measurements
    artifacts: Artifacts
    description: Description = field(default_factory=Description)


def prepared(project: Project) -> str:
    """Make MLflow's database before hours are spent; return what is to be said of it, or ""."""
    try:
        return prepare(project.tracking_uri, project.tracking.tls)
    except TrackingError as error:
        return f"{error} The runs are measured; `advisor compare` records them when it can be used."


def keep(
    folder: Path, measurements: Measurements, artifacts: Artifacts, description: Description
) -> None:
    """Write what is to be recorded beside its report. OSError where that cannot be done."""
    unrecorded = Unrecorded(measurements=measurements, artifacts=artifacts, description=description)
    write_whole(folder / UNRECORDED, adapter(Unrecorded).dump_json(unrecorded))


def recorded(project: Project, folder: Path) -> str:
    """Record what is kept in a report's folder, once; return the id of MLflow's run.

    Another command that records it at the moment is waited for.

    Raises:
        TrackingError: MLflow does not take it. It stays, and is recorded by `advisor compare`.
    """
    file = folder / UNRECORDED
    try:
        with file.open("rb") as opened:
            fcntl.flock(opened, fcntl.LOCK_EX)
            unrecorded = adapter(Unrecorded).validate_json(opened.read())
            run = track(
                unrecorded.measurements,
                unrecorded.artifacts,
                unrecorded.description,
                uri=project.tracking_uri,
                tls=project.tracking.tls,
                experiment=project.experiment,
                folder=project.artifacts_folder,
            )
            file.unlink(missing_ok=True)
    except OSError as error:
        raise TrackingError(f"{file} cannot be read: {error.strerror}.") from None
    except ValidationError:
        raise TrackingError(f"{file} is of another version, or damaged: delete it.") from None
    return run


def record_what_is_left(project: Project, progress: Progress) -> tuple[str, ...]:
    """Record the project's runs that MLflow has not got; return what is to be said of them.

    Raises:
        TrackingError: MLflow's database cannot be made.
    """
    files = sorted((project.folder / REPORTS).glob(f"*/{UNRECORDED}"))
    said = [prepare(project.tracking_uri, project.tracking.tls)] if files else []
    for file in files:
        try:
            with progress.task(f"Record the run of {file.parent.name}"):
                recorded(project, file.parent)
            said.append(f"The run of {file.parent.name} is recorded now.")
        except TrackingError as error:
            # One that cannot be recorded hides no other, nor the runs that there are.
            said.append(f"The run of {file.parent.name} is not recorded: {error}")
    return tuple(each for each in said if each)
