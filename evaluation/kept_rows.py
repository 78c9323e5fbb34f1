"""Rows of live tables that were read before, and what tells whether these still have them."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from evaluation.store_protocol.connection import Connection
from workloads.catalog import Table

_FORMAT = 2
"""Changes with how values are read or what a mark means: what was kept before is then not used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptRows:
    """The rows in the Parquet of a table: their store's mark of them, and their bytes as read."""

    mark: str
    size_bytes: int


def kept_rows(path: Path, table: Table, connection: Connection) -> KeptRows | None:
    """Return what is known of the rows at `path`; None where they are not those of this table.

    They may be of another server, have other columns, or be left of a process that was killed.
    """
    try:
        found = json.loads(_note(path).read_text("utf-8"))
        if found["of"] != _identity(path, table, connection):
            return None
        return KeptRows(**found["rows"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def keep(path: Path, table: Table, connection: Connection, rows: KeptRows) -> None:
    """Note what is known of the rows of `table`, which are whole at `path`.

    Rows without a mark are not kept: their store cannot tell whether they have changed.
    """
    note = _note(path)
    if not rows.mark:
        note.unlink(missing_ok=True)
        return
    text = json.dumps({"of": _identity(path, table, connection), "rows": asdict(rows)})
    partial = note.with_suffix(".partial-note")
    partial.write_text(text, "utf-8")
    partial.replace(note)


def _note(path: Path) -> Path:
    return path.with_suffix(".json")


def _identity(path: Path, table: Table, connection: Connection) -> list[Any]:
    """Return all that must be the same, the file too: a note is written after its rows."""
    status = path.stat()
    return [
        _FORMAT,
        [status.st_size, status.st_mtime_ns],
        [
            connection.kind,
            connection.host,
            connection.port,
            connection.database,
            connection.user,
            "" if connection.path is None else str(connection.path),
        ],
        [table.schema, table.own_name],
        [[each.name, each.type, each.own_type, each.read_as] for each in table.columns],
    ]
