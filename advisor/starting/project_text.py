"""The text of a new project file, with comments that say what was found and what to change."""

from collections.abc import Sequence

from advisor.starting.found import Found
from advisor.starting.logins import COPIES
from advisor.starting.sources import DuckDBFile
from advisor.starting.store_text import (
    SNAPSHOT,
    capacity_lines,
    copies_on,
    live_lines,
    live_section,
)
from advisor.starting.toml import array, commented, line, remark, text
from advisor.starting.workload_text import workload_section


def project_text(found: Found) -> str:
    """Return the project file of what was found."""
    parts = [
        _head(found),
        workload_section(found),
        _catalog(found),
        *map(live_section, found.stores),
        *(_file(name, each) for name, each in found.files.items()),
        _copies(found),
        *map(copies_on, found.stores),
        _memory(),
        _place(found),
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _head(found: Found) -> Sequence[str]:
    shown = [each.login.server.shown for each in found.stores]
    shown += [each.shown for each in found.files.values()]
    shown += [] if found.folder is None else [found.folder.shown]
    made = f"Made by `advisor init` at {found.at:%Y-%m-%d %H:%M:%S} UTC from:"
    return (
        *(each for told in (made, *shown) for each in remark(told)),
        *remark(
            "docs/project-file.md has all keys. No password belongs into this file: each is read "
            "from the environment variable that password_env names."
        ),
    )


def _catalog(found: Found) -> Sequence[str]:
    if found.folder is None:
        return ()
    return (
        "[catalog]",
        line(f"source = {array([found.folder.source])}", "tables of live stores need no mention"),
    )


def _file(name: str, file: DuckDBFile) -> Sequence[str]:
    return (
        line(f"[stores.{name}]", "a DuckDB file"),
        'kind = "duckdb"',
        f"path = {text(file.path)}",
        *live_lines(),
        *remark(
            "While it is read, no process can open it to write. Where one has it open, it cannot "
            "be read."
        ),
        SNAPSHOT,
    )


def _copies(found: Found) -> Sequence[str]:
    return (
        line(f"[stores.{COPIES}]", "a place for copies: a file that `run` makes here"),
        'kind = "duckdb"',
        'path = "copies.duckdb"',
        *capacity_lines(found.free_bytes, "the disk of this file"),
    )


def _memory() -> Sequence[str]:
    return (
        *remark("Another place for copies is shared memory, here or on other machines:"),
        *commented(
            (
                "[stores.memory]",
                'kind = "objects"',
                line("embedded = true", "or nodes and password_env: docs/object-store.md"),
                'capacity = "1 GiB"',
            )
        ),
    )


def _place(found: Found) -> Sequence[str]:
    current = line('current = "live"', "where the tables are today: a candidate that is measured")
    return (
        "[place]",
        *((current,) if found.stores or found.files else ()),
        line("max_copies = 2", "the most stores that a table may be in at once"),
        "",
        "[evaluate]",
        line("references = false", "true also measures what breaks a capacity, to tell its cost"),
    )
