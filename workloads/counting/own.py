"""Executions that are no work of the users': the advisor's own, and those of dumping programs."""

import re
from collections.abc import Sequence

from workloads.counting.facts import Facts
from workloads.counting.filters import Left

APPLICATION = "placement-advisor"
"""The name of the advisor's sessions; a run's own stands behind it, after a space."""

MARK = f"/* {APPLICATION} */"
"""Stands in each statement of ours that is no query of a workload, where a log has no sessions."""

RUN_MARK = "/* placement advisor run"
"""Begins the comment in what engines send for a run."""

ALIAS = "placement_advisor"
"""The usual schema or database of the advisor's copies, and a table's name in its statements."""

_DUMPING = frozenset({"pg_dump", "pg_dumpall", "mysqldump", "mariadb-dump", "mydumper"})
_LOADING = frozenset({"pg_restore", "myloader"})
# As a table's or a variable's name, not as a schema's, nor in a string.
_ALIAS = re.compile(rf"(?<![\w'$-]){ALIAS}(?![\w'$-])(?![\"`]?\s*\.)")
_CURSOR_OF_PG_DUMP = "_pg_dump_cursor"
# mysqldump and mariadb-dump, which quote all names; a digest has no comments. Clients of their own
# use the comment too.
_NAME = r"`(?:[^`]|``)+`"
_OF_MYSQLDUMP = re.compile(
    rf"\s*SELECT\s+(?:/\*!40001 SQL_NO_CACHE \*/\s+(?:\*|{_NAME}(?:\s*,\s*{_NAME})*)\s+FROM\s+`"
    rf"|SQL_NO_CACHE\s+\*\s+FROM\s+{_NAME}(?:\s*\.\s*{_NAME})?\s*$)",
)
# They read the state of a sequence as if it were a table. pg_dump always names its schema, and asks
# the catalog from PostgreSQL 18 on.
_PART = r"(?:[a-z_][a-z0-9_]*|\"(?:[^\"]|\"\")+\")"
_OF_SEQUENCE = re.compile(
    rf"\s*SELECT\s+(?:last_value, is_called FROM {_PART}\.{_PART}"
    rf"|`?next_not_cached_value`?\s+FROM\s+{_NAME}(?:\s*\.\s*{_NAME})?)[\s;]*$"
)
_OWN: Left = "own", "the advisor ran it"
_DUMP: Left = "dump", "a program that dumps ran it"
_LOAD: Left = "load", "a program that restores a dump ran it"


def recognised(sql: str, facts: Facts, namespaces: Sequence[str]) -> Left | None:
    """Return why an execution is none of the users', None if it may be.

    `namespaces` are the schemas or databases of the advisor's copies.
    """
    by_program = None if facts.application is None else _of_program(facts.application)
    if by_program is not None:
        return by_program
    if MARK in sql or RUN_MARK in sql or (ALIAS in sql and _ALIAS.search(sql)):
        return _OWN
    for each in namespaces:
        if facts.database == each or (each in sql and _is_named(sql, each)):
            return _OWN
    return _DUMP if _is_of_dump(sql) else None


def _is_of_dump(sql: str) -> bool:
    """Whether a statement is as dumping programs write it."""
    of_table = _CURSOR_OF_PG_DUMP in sql or _OF_MYSQLDUMP.match(sql) is not None
    return of_table or _OF_SEQUENCE.match(sql) is not None


def _of_program(application: str) -> Left | None:
    """Return what is known of a program by the name that it gives its sessions."""
    if application == APPLICATION or application.startswith(f"{APPLICATION} "):
        return _OWN
    if application in _DUMPING:
        return _DUMP
    return _LOAD if application in _LOADING else None


def _is_named(sql: str, namespace: str) -> bool:
    """Whether a statement makes a schema or database, or names a table of it, outside strings."""
    name = rf"(?<![\w'$-]){re.escape(namespace)}(?![\w'$-])[\"`]?"
    made = r"(?i:\b(?:SCHEMA|DATABASE)\s+(?:IF\s+(?:NOT\s+)?EXISTS\s+)?[\"`]?)"
    words = "FROM|JOIN|INTO|TABLE|UPDATE|EXISTS|COPY|ANALYZE|VACUUM|TRUNCATE"
    read = rf"(?i:\b(?:{words})\s*[\"`]?)"
    return re.search(rf"{read}{name}\s*\.|{made}{name}", sql) is not None
