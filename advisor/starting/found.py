"""The stores and data of a new project, each asked for what its file names."""

import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from advisor.figures import counted
from advisor.starting.logins import Login
from advisor.starting.sources import DuckDBFile, ParquetFolder
from evaluation.calibration.server_settings import data_folder, is_here, settings_of
from evaluation.kinds import KINDS, LIVE
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.side_by_side import side_by_side
from evaluation.surveys.survey import SchemaFound, ServerLog, Survey
from workloads.errors import AdvisorError, ConfigurationError, StoreError
from workloads.problems import Problems
from workloads.progress import Progress

_MOST_FILES = 7
"""So many files of a log are named, the newest: servers begin one a day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundLog:
    """A server's log, with those of its files that can be read here, and why not if none can."""

    log: ServerLog
    files: tuple[Path, ...] = ()
    older: int = 0
    obstacle: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """The statements that a server remembers, or the `obstacle` to reading any."""

    statements: int = 0
    executions: float = 0.0
    hidden: int = 0
    obstacle: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundStore:
    """A server as it was found.

    `encryption` is the protocol, "" for clear text. `needs_password` tells whether the login had
    one. `free_bytes` are None unless the server's disk is this machine's.
    """

    login: Login
    encryption: str
    survey: Survey
    schemas: tuple[SchemaFound, ...]
    statistics: Statistics
    logs: tuple[FoundLog, ...]
    free_bytes: int | None

    @property
    def readable(self) -> tuple[SchemaFound, ...]:
        """The schemas of which the account may read tables."""
        return tuple(each for each in self.schemas if each.readable)

    @property
    def complete_log(self) -> FoundLog | None:
        """A log that has every statement, with its literals, and can be read here."""
        return next((each for each in self.logs if _is_complete(each)), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Everything that a new project file names, and when it was found.

    `workload` are files and folders of statements that the user named, `free_bytes` those of the
    disk that the project file is on.
    """

    at: datetime
    stores: tuple[FoundStore, ...] = ()
    files: Mapping[str, DuckDBFile]
    folder: ParquetFolder | None = None
    workload: tuple[Path, ...] = ()
    free_bytes: int | None = None


def find(logins: Sequence[Login], progress: Progress) -> tuple[FoundStore, ...]:
    """Ask every server at the same time; nothing is changed in any.

    Raises:
        ConfigurationError: A server does not let the account in, or shows it no table.
        RefusalsError: So do several.
    """
    with progress.task("Asking the servers", len(logins)) as task:

        def one(login: Login) -> FoundStore | Problems:
            problems = Problems()
            with problems.gathering():
                found = _found(login)
            task.advance()
            return problems if problems.errors else found

        told = side_by_side(one, logins)
    problems, found = Problems(), list[FoundStore]()
    for each in told:
        if isinstance(each, Problems):
            for error in each.errors:
                problems.add(error)
        else:
            found.append(each)
    problems.raise_any()
    return tuple(found)


def _found(login: Login) -> FoundStore:
    connection, kind = login.connection(), KINDS[login.server.kind]
    if kind.encryption is None or kind.survey is None:
        raise ValueError(f"no project is begun with stores of kind {kind.name}")
    try:
        encryption = kind.encryption(connection) or ""
        survey = kind.survey(connection)
    except StoreError as error:
        raise ConfigurationError(_told(login, str(error))) from None
    schemas = _of_database(login, survey)
    if not any(each.readable for each in schemas):
        raise ConfigurationError(_nothing_readable(login, survey, schemas))
    return FoundStore(
        login=login,
        encryption=encryption,
        survey=survey,
        schemas=schemas,
        statistics=_statistics(login, connection),
        logs=tuple(_log(connection, each) for each in survey.logs),
        free_bytes=_free_bytes(connection),
    )


def _told(login: Login, said: str) -> str:
    """Return what is said of a login, for a reader who has no project file yet."""
    text = said.replace(f"in [stores.{login.store}]", f"in --from {login.server.shown}")
    if login.password is None and not login.is_typed and "password" in said:
        text += f" {login.variable} is not set: export it first, if the login needs a password."
    return text


def _of_database(login: Login, survey: Survey) -> tuple[SchemaFound, ...]:
    """Return the schemas that the URL means: one database of MySQL, or all of a PostgreSQL's."""
    wanted = login.server.database
    if wanted is None or KINDS[login.server.kind].address.database is not None:
        return survey.schemas
    return tuple(each for each in survey.schemas if each.name == wanted)


def _nothing_readable(login: Login, survey: Survey, schemas: Sequence[SchemaFound]) -> str:
    shown, user = login.server.shown, login.server.user
    if schemas:
        seen = counted(sum(each.tables for each in schemas), "table")
        grants = "docs/accounts.md has the GRANT"
        return f"--from {shown}: user '{user}' may read none of its {seen}: {grants}."
    others = [*survey.databases, *(each.name for each in survey.schemas)]
    has = f" There are the databases {', '.join(others)}: name one." if others else ""
    return (
        f"--from {shown}: user '{user}' sees no table there; docs/accounts.md has the GRANTs that "
        f"it needs.{has}"
    )


def _statistics(login: Login, connection: Connection) -> Statistics:
    """Return the statements that the server remembers, if the account may read them."""
    per_schema = KINDS[connection.kind].address.database is None
    schema = login.server.database if per_schema else None
    try:
        workload = LIVE[connection.kind].workload(connection, schema=schema)
    except AdvisorError as error:
        return Statistics(obstacle=str(error).removeprefix(f"Store '{login.store}'").lstrip(": "))
    return Statistics(
        statements=len(workload.queries),
        executions=sum(each.executions for each in workload.queries),
        hidden=sum(each.kind == "unrecorded" for each in workload.skipped),
    )


def _log(connection: Connection, log: ServerLog) -> FoundLog:
    if log.recorded == "none":
        return FoundLog(log=log, obstacle="it has no statements")
    if log.folder is None:
        return FoundLog(log=log, obstacle="the account may not know where its files are")
    if not is_here(connection):
        return FoundLog(log=log, obstacle=f"its files are on the server, in {log.folder}")
    try:
        there = [each for each in log.folder.glob(log.pattern) if _is_readable(each)]
        there.sort(key=lambda each: (each.stat().st_mtime_ns, each.name))
    except OSError:
        there = []
    if not there:
        return FoundLog(log=log, obstacle=f"no file in {log.folder} may be read here")
    return FoundLog(
        log=log, files=tuple(there[-_MOST_FILES:]), older=max(0, len(there) - _MOST_FILES)
    )


def _is_readable(file: Path) -> bool:
    """Whether a file of a log has anything to read, and a name that a project file can have."""
    try:
        str(file).encode()
        with file.open("rb") as stream:
            return bool(stream.read(1))
    except (OSError, UnicodeEncodeError):
        return False


def _is_complete(found: FoundLog) -> bool:
    return bool(found.files) and found.log.recorded == "all"


def _free_bytes(connection: Connection) -> int | None:
    with suppress(StoreError):
        folder = data_folder(connection, settings_of(connection))
        return None if folder is None else shutil.disk_usage(folder).free
    return None
