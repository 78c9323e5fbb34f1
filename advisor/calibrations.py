"""The calibrations of a project: where they are kept, and which of its stores they are of."""

from pathlib import Path

from advisor.project import Project
from advisor.store_settings import StoreSettings
from evaluation.calibration.calibration import Calibration, latest_calibration


def calibrations_folder(project: Project) -> Path:
    """Return the folder with a file for each calibration."""
    return project.folder / "calibrations"


def calibration_of(project: Project) -> Calibration | None:
    """Return the newest one, or None.

    Raises:
        ConfigurationError: Its file cannot be read.
    """
    return latest_calibration(calibrations_folder(project))


def target(settings: StoreSettings) -> str:
    """Return which store it is that rates were measured of: its kind, and where it is."""
    options = "".join(f" {name}={value}" for name, value in sorted(settings.options.items()))
    return f"{settings.kind} {_place(settings)}{options}"


def _place(settings: StoreSettings) -> str:
    if settings.embedded:
        return f"embedded {settings.other_server or ''} {settings.nodes or ''}".strip()
    if isinstance(settings.nodes, tuple):
        return ",".join(settings.nodes)
    if settings.path is not None:
        return str(settings.path)
    return f"{settings.host}:{settings.port}/{settings.database}"
