"""The calibrations of a project: where they are kept, and which of its stores they are of."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from advisor.project.project import Project
from advisor.project.store_settings import StoreSettings, StrengthSettings
from evaluation.calibration.calibration import Calibration, StoreCalibration, latest_calibration


def calibrations_folder(project: Project) -> Path:
    """Return the folder with a file for each calibration."""
    return project.folder / "calibrations"


def calibration_of(project: Project) -> Calibration | None:
    """Return the newest one, or None.

    A quick one counts only where no full one is of any of the project's stores as they are now.

    Raises:
        ConfigurationError: Its file cannot be read.
    """
    folder = calibrations_folder(project)
    full = latest_calibration(folder)
    if full is not None and _own(project, full):
        return full
    return latest_calibration(folder, quick=True) or full


def own_calibration(project: Project) -> Calibration | None:
    """Return the newest one with the project's stores alone, as they are now; or None.

    Raises:
        ConfigurationError: Its file cannot be read.
    """
    found = calibration_of(project)
    return None if found is None else replace(found, stores=_own(project, found))


def quick_beside(project: Project) -> Calibration | None:
    """Return the newest quick calibration where a full one is used; otherwise None.

    A full one has no rates of live stores, which a quick one reads.

    Raises:
        ConfigurationError: Its file cannot be read.
    """
    found = calibration_of(project)
    if found is None or found.quick:
        return None
    return latest_calibration(calibrations_folder(project), quick=True)


def _own(project: Project, found: Calibration) -> Mapping[str, StoreCalibration]:
    targets = {settings.name: target(settings) for settings in project.stores}
    return {name: s for name, s in found.stores.items() if targets.get(name) == s.target}


def lacks_rates(project: Project) -> bool:
    """Tell whether the rates of all stores are defaults: nobody has measured or written one.

    Raises:
        ConfigurationError: The calibration's file cannot be read.
    """
    if writes_rates(project):
        return False
    found = calibration_of(project)
    return found is None or not _own(project, found)


def writes_rates(project: Project) -> bool:
    """Tell whether the project file has a rate of any store."""
    return any(store.strength != StrengthSettings() for store in project.stores)


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
