"""The calibrations of a project: where they are kept, and which of its stores they are of."""

from dataclasses import replace
from pathlib import Path

from advisor.project.project import Project
from advisor.project.store_settings import StoreSettings
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


def own_calibration(project: Project) -> Calibration | None:
    """Return the newest one with the project's stores alone, as they are now; or None.

    Raises:
        ConfigurationError: Its file cannot be read.
    """
    found = calibration_of(project)
    if found is None:
        return None
    targets = {settings.name: target(settings) for settings in project.stores}
    own = {name: s for name, s in found.stores.items() if targets.get(name) == s.target}
    return replace(found, stores=own)


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
