"""Workloads from files of SQL: one file, a folder of `.sql` files, or several of both."""

import math
import re
from collections.abc import Sequence
from pathlib import Path

from workloads.errors import ConfigurationError, SqlError
from workloads.sql.split import Statement, split_statements
from workloads.workload import Query, Workload

_EXECUTIONS = re.compile(r"(?im)^[ \t]*--[ \t]*executions[ \t]*:[ \t]*(.*?)[ \t\r]*$")
_NAME = re.compile(r"(?im)^[ \t]*--[ \t]*name[ \t]*:[ \t]*(.*?)[ \t\r]*$")


def workload(paths: Path | Sequence[Path], dialect: str) -> Workload:
    """Return the statements of files and folders, in the order of their names.

    A statement is called as the comment ``-- name: x`` before it says, or as its file, with a
    number where the file has several. It counts as often as ``-- executions: 120`` says, once
    without.

    Raises:
        ConfigurationError: A path is missing, there is no statement, two have one name, or the
            dialect is unknown.
        SqlError: A file is not UTF-8, a string or comment does not end, or a number of
            executions is not a positive number.
    """
    roots = [paths] if isinstance(paths, Path) else list(paths)
    queries: dict[str, Query] = {}
    for root in roots:
        for name, file in _files(root):
            for query in _queries(name, file, dialect):
                other = queries.setdefault(query.name, query)
                if other is not query:
                    raise ConfigurationError(
                        f"Two statements are called '{query.name}' ({other.origin}:{other.line}"
                        f" and {query.origin}:{query.line}): put '-- name: …' before one of them."
                    )
    if not queries:
        where = ", ".join(map(str, roots)) or "an empty list of paths"
        raise ConfigurationError(f"There is no SQL statement in {where}.")
    return Workload(name=roots[0].stem, dialect=dialect, queries=tuple(queries.values()))


def _files(root: Path) -> list[tuple[str, Path]]:
    """Return the files at `root` with the names that their queries start from."""
    if root.is_file():
        return [(root.stem, root)]
    if not root.is_dir():
        raise ConfigurationError(f"There is no file or folder {root}: give one that holds SQL.")
    found = [file for file in root.rglob("*.sql") if file.is_file()]
    if not found:
        raise ConfigurationError(f"The folder {root} holds no .sql file.")
    named = [(file.relative_to(root).with_suffix("").as_posix(), file) for file in found]
    return sorted(named, key=lambda pair: _natural(pair[0]))


def _queries(name: str, file: Path, dialect: str) -> list[Query]:
    statements = split_statements(_text(file), dialect, str(file))
    return [
        Query(
            name=_name(statement) or (name if len(statements) == 1 else f"{name}-{index}"),
            sql=statement.sql,
            origin=str(file),
            line=statement.line,
            executions=_executions(statement, file),
        )
        for index, statement in enumerate(statements, start=1)
    ]


def _text(file: Path) -> str:
    try:
        data = file.read_bytes()
    except OSError as error:
        raise ConfigurationError(f"{file} cannot be read: {error.strerror}.") from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        raise SqlError(
            f"byte {data[error.start]:#04x} is not UTF-8: convert the file to UTF-8",
            origin=str(file),
            line=before.count(b"\n") + 1,
            column=error.start - before.rfind(b"\n"),
        ) from error


def _name(statement: Statement) -> str | None:
    found = _NAME.findall(statement.comment)
    return found[-1] or None if found else None


def _executions(statement: Statement, file: Path) -> float:
    found = _EXECUTIONS.findall(statement.comment)
    if not found:
        return 1.0
    try:
        executions = float(found[-1].replace("_", ""))
    except ValueError:
        executions = math.nan
    if math.isfinite(executions) and executions > 0:
        return executions
    raise SqlError(
        f"'-- executions: {found[-1]}' before this statement is not a positive number",
        origin=str(file),
        line=statement.line,
        column=1,
    )


def _natural(name: str) -> list[tuple[int, str]]:
    """Order q2 before q10."""
    return [(int(p), "") if p.isdecimal() else (-1, p) for p in re.split(r"(\d+)", name)]
