"""The SQLite file of MLflow: made whole before anything is measured, and set aside if damaged."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from workloads.whole_files import unfinished

_SCHEME = "sqlite:///"
_MIGRATING = "_alembic_tmp_"
"""Tables that a migration, cut off, leaves behind: no later one gets over them."""
_SIDES = ("-journal", "-wal", "-shm")
_LOCKED_S = 0.5
"""A look at a database waits so long for a lock: one that is locked is not damaged."""


def file_of(uri: str) -> Path | None:
    """Return the file of a SQLite address; None for another address."""
    return Path(uri.removeprefix(_SCHEME)) if uri.startswith(_SCHEME) else None


def prepared(uri: str, make: Callable[[str], None]) -> str:
    """Make the database of `uri` where it is missing; return what is to be said of it, or "".

    `make` fills an empty database at an address with MLflow's tables, in dozens of steps. It does
    so beside the place, where a kill does no harm. A damaged file is renamed, never removed. An
    address of a server is left alone.

    Raises:
        OSError: The folder cannot be written to.
    """
    file = file_of(uri)
    if file is None:
        return ""
    remark = ""
    if file.is_file() and (reason := damage(file)):
        aside = _set_aside(file)
        remark = f"MLflow's database {file} is damaged ({reason}): it is kept as {aside.name}."
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        fresh = unfinished(file)
        try:
            make(f"{_SCHEME}{fresh}")
            _move_unless_there(fresh, file)
        finally:
            for path in (fresh, *(Path(f"{fresh}{side}") for side in _SIDES)):
                path.unlink(missing_ok=True)
    return remark


def damage(file: Path) -> str:
    """Return why MLflow will never open the database, or "".

    A database that is locked, or of an older MLflow, is not damaged.
    """
    try:
        with closing(
            sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", timeout=_LOCKED_S, uri=True)
        ) as opened:
            found = str(opened.execute("PRAGMA quick_check(1)").fetchone()[0])
            names = {name for (name,) in opened.execute("SELECT name FROM sqlite_master")}
    except sqlite3.OperationalError:
        # Locked, or a file that may not be read: MLflow's own error says so.
        return ""
    except sqlite3.DatabaseError as error:
        return str(error)
    if found != "ok":
        return found.splitlines()[0]
    return "" if _is_complete(names) else "its making was cut off, or it is another program's"


def refuse_unopenable(uri: str) -> None:
    """Raise sqlite3.OperationalError for a file that SQLite cannot open, at once.

    MLflow tries again for two minutes.
    """
    file = file_of(uri)
    if file is not None:
        with closing(sqlite3.connect(file)) as opened:
            opened.execute("PRAGMA schema_version")


def _is_complete(tables: set[str]) -> bool:
    return "alembic_version" in tables and not any(each.startswith(_MIGRATING) for each in tables)


def _set_aside(file: Path) -> Path:
    stamp = f"{datetime.now(UTC):%Y%m%dT%H%M%S}"
    aside = file.with_name(f"{file.name}.damaged-{stamp}")
    for side in _SIDES:
        # A journal belongs to its database: beside a new one it would be played into that.
        if (beside := Path(f"{file}{side}")).exists():
            beside.rename(f"{aside}{side}")
    return file.rename(aside)


def _move_unless_there(fresh: Path, file: Path) -> None:
    """Move it; where another process was quicker, that one's stays."""
    try:
        os.link(fresh, file)
    except FileExistsError:
        return
    except OSError:
        # A file system without links.
        fresh.rename(file)
