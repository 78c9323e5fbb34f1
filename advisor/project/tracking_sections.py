"""The section ``[tracking]`` of a project file."""

from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from advisor.project.project import TrackingSettings
from advisor.project.project_file import ProjectFile

_FILES = ("ca", "certificate", "key")


def read_tracking(file: ProjectFile, raw: dict[str, Any]) -> TrackingSettings:
    """Return the section, with the files of TLS made absolute."""
    settings = file.read(TrackingSettings, raw, "tracking")
    if settings.uri is not None and urlsplit(settings.uri).password:
        raise file.error(
            "[tracking].uri",
            "a password does not belong into a file: set MLFLOW_TRACKING_PASSWORD instead",
        )
    given = {name: path for name in _FILES if (path := getattr(settings, name)) is not None}
    if given and not (settings.uri or "").startswith("https:"):
        raise file.error(
            f"[tracking].{next(iter(given))}",
            "nothing is encrypted on the way to what uri names: write one that begins with https",
        )
    for name, other in (("certificate", "key"), ("key", "certificate")):
        if name in given and other not in given:
            raise file.error(f"[tracking].{other}", f"this key is needed beside {name}")
    found: dict[str, Any] = {
        name: file.resolved(path, f"[tracking].{name}") for name, path in given.items()
    }
    return replace(settings, **found)
