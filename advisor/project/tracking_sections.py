"""The section ``[tracking]`` of a project file."""

import re
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from advisor.project.project import TrackingSettings
from advisor.project.project_file import ProjectFile

_FILES = ("ca", "certificate", "key")
_URI, _SQLITE = "[tracking].uri", "sqlite:///"
_NO_PASSWORD = "a password does not belong into a file"  # noqa: S105 - a sentence
_LOGIN = re.compile(r"[^:/]+://[^@:]*:.*@")
_OPTION = re.compile(r"[?&;](?:password|passwd|pwd|sslpassword)=", re.IGNORECASE)


def read_tracking(file: ProjectFile, raw: dict[str, Any]) -> TrackingSettings:
    """Return the section, with the files of TLS made absolute."""
    settings = file.read(TrackingSettings, raw, "tracking")
    if settings.uri is not None:
        settings = replace(settings, uri=_checked(file, settings.uri))
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


def _checked(file: ProjectFile, uri: str) -> str:
    """Return MLflow's address, that of a SQLite file relative to the project file.

    Raises:
        ConfigurationError: It has a password.
    """
    if uri.startswith(("http:", "https:")):
        if urlsplit(uri).password:
            raise file.error(_URI, f"{_NO_PASSWORD}: set MLFLOW_TRACKING_PASSWORD instead")
        return uri
    # A database's driver takes all up to the last @ for the login, and a password of the options.
    if _LOGIN.match(uri) or _OPTION.search(uri):
        raise file.error(
            _URI,
            f"{_NO_PASSWORD}: the database's own client has a place for it, as PostgreSQL's has "
            "PGPASSWORD and ~/.pgpass",
        )
    path = uri.removeprefix(_SQLITE)
    if path == uri or path.startswith(("/", "file:", ":")) or not path:
        return uri
    return _SQLITE + str(file.resolved(path, _URI))
