"""Reasons to leave a statement out of a workload, and its record."""

import re
from collections.abc import Mapping

from sqlglot import exp

from workloads.errors import SqlError
from workloads.sql.parsing.kinds import Kind, first_word, is_system_table, kind_of
from workloads.sql.parsing.parse import statement
from workloads.sql.resolving.views import cte_of
from workloads.workload import Query, Skipped, SkippedKind

_BY_KIND: Mapping[Kind, tuple[SkippedKind, str]] = {
    "definition": ("definition", "reads no table"),
    "session": ("session", "reads no table"),
    "maintenance": ("maintenance", "is maintenance"),
    "load": ("load", "loads a table"),
    "dump": ("dump", "copies a table out"),
}

_ADMINISTERS = re.compile(
    r"(?i)\bpg_(?:reload_conf|rotate_logfile|(?:terminate|cancel)_backend|current_logfile"
    r"|ls_\w+|stat_file)\s*\("
)
"""Functions of those who look after a PostgreSQL, and of what watches it."""
_READ = re.compile(r"(?i)\b(?:from|join)\s+([\w.\"]+)")


def left_out_as(kind: Kind) -> tuple[SkippedKind, str] | None:
    """Return as what a statement of a kind is left out, and why; None if it may be workload."""
    return _BY_KIND.get(kind)


def left_out(
    query: Query,
    reason: str,
    kind: SkippedKind,
    error: SqlError | None = None,
    *,
    temporary: str = "",
) -> Skipped:
    """Return the record of a statement that is left out, at its place or that of its error.

    `temporary` is the temporary table for which it is left out.
    """
    return Skipped(
        source=query.origin,
        line=(error.line if error else None) or query.line,
        column=(error.column if error else None) or query.column,
        reason=reason,
        kind=kind,
        executions=query.executions,
        temporary=temporary,
    )


def describes_the_system(query: Query, dialect: str) -> bool:
    """Whether a statement reads tables in which the system describes itself, and no other."""
    try:
        tables = statement(query, dialect).find_all(exp.Table)
    except SqlError:  # its tables were found by its tokens
        return False
    named = [each for each in tables if cte_of(each) is None and each.name]
    return all(is_system_table(".".join(part.name for part in each.parts)) for each in named)


def kind_of_query(query: Query) -> Kind:
    """Return the kind of a statement; what an administrator asked of a server is maintenance."""
    if query.system and first_word(query.sql)[0] == "SELECT" and _ADMINISTERS.search(query.sql):
        # It is not parsed: what reaches the host is refused there, whoever ran it.
        read = (found.replace('"', "") for found in _READ.findall(query.sql))
        if all(map(is_system_table, read)):
            return "maintenance"
    return kind_of(query.sql)
