"""A quick calibration that failed, remembered: later runs of a project do not try it again."""

import hashlib
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pydantic import ValidationError

from advisor.project.project import Project
from workloads.adapters import adapter
from workloads.errors import SetUpError
from workloads.whole_files import write_whole

FILE = "failed_rates.json"
_DIGITS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedRates:
    """A quick calibration that failed: when, why, and the command that tries it again.

    `stores` is a digest of the settings of the stores that it was to measure.
    """

    started_at: str
    reason: str
    again: str
    stores: str


def remember(project: Project, reason: str) -> FailedRates:
    """Keep in the project's folder why its stores have no rates, and return it.

    Where it cannot be kept, the next run tries to measure rates again.
    """
    failed = FailedRates(
        started_at=datetime.now(UTC).isoformat(timespec="seconds"),
        reason=reason,
        again=f"advisor calibrate {project.file} --quick",
        stores=_digest(project),
    )
    with suppress(OSError, SetUpError):
        project.folder.mkdir(parents=True, exist_ok=True)
        write_whole(_file(project), adapter(FailedRates).dump_json(failed, indent=1))
    return failed


def remembered(project: Project) -> FailedRates | None:
    """Return the failure of the stores as they are now; None where none is known."""
    try:
        found = adapter(FailedRates).validate_json(_file(project).read_bytes())
    except (OSError, SetUpError, ValidationError):
        return None
    return found if found.stores == _digest(project) else None


def forget(project: Project) -> None:
    """Forget a failure, so that the next run that wants rates tries to measure them."""
    with suppress(OSError, SetUpError):
        _file(project).unlink(missing_ok=True)


def _file(project: Project) -> Path:
    return project.folder / FILE


def _digest(project: Project) -> str:
    """Return a digest of all settings of the stores, which have no passwords."""
    settings = sorted(map(repr, project.stores))
    return hashlib.sha256("\n".join(settings).encode(errors="surrogateescape")).hexdigest()[
        :_DIGITS
    ]
