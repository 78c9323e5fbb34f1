"""The section ``[evaluate]`` of a project file."""

from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from advisor.project.project import EvaluateSettings, TrinoSettings
from advisor.project.project_file import ProjectFile
from evaluation.spark.settings import contradiction


def read_evaluate(file: ProjectFile, raw: dict[str, Any]) -> EvaluateSettings:
    """Return the section, with the Trino that its engine needs."""
    if "trino" in raw:
        section = file.table(raw, "trino", "evaluate")
        if "password" in section:
            raise file.error(
                "[evaluate.trino].password",
                "a password does not belong into a file: put it into an environment variable and "
                "name that in password_env",
            )
        if urlsplit(str(section.get("url", ""))).password:
            raise file.error(
                "[evaluate.trino].url",
                "a password does not belong into a file: name its variable in password_env",
            )
        raw = {**raw, "trino": _trino(file, section)}
    settings = file.read(EvaluateSettings, raw, "evaluate")
    if settings.engine == "trino" and settings.trino is None:
        raise file.error(
            "[evaluate].engine = 'trino'",
            "say where Trino is: [evaluate.trino] with url = 'http://host:8080' and user",
        )
    if reason := contradiction(settings.master, settings.executors):
        raise file.error("[evaluate]", reason)
    return settings


def _trino(file: ProjectFile, section: dict[str, Any]) -> TrinoSettings:
    settings = file.read(TrinoSettings, section, "evaluate.trino")
    if settings.ca is None:
        return settings
    if not settings.url.startswith("https:"):
        raise file.error(
            "[evaluate.trino].ca", "nothing is verified of what url names: it begins with http"
        )
    return replace(settings, ca=file.resolved(settings.ca, "[evaluate.trino].ca"))
