"""Tables that only their session sees: which statements make and drop them."""

import re
from typing import NamedTuple

SCHEMA = "pg_temp"
"""Where PostgreSQL has them: no path leads to a permanent table there."""

PREFIX = f"{SCHEMA}."
"""The unique name of a temporary table begins so."""

_GAP = r"(?:\s|--[^\n]*(?:\n|\Z)|/\*(?s:.*?)\*/)"
_NAME = r"(?:\"(?:[^\"]|\"\")+\"|`(?:[^`]|``)+`|[\w$]+)"
_TEMP = rf"(?:(?:local|global){_GAP}+)?temp(?:orary)?{_GAP}+"
_CREATES = re.compile(
    rf"(?i){_GAP}*create{_GAP}+(?:or{_GAP}+replace{_GAP}+)?(?P<temp>{_TEMP})?table{_GAP}+"
    rf"(?:if{_GAP}+not{_GAP}+exists{_GAP}+)?(?:(?P<schema>{_NAME})\s*\.\s*)?(?P<name>{_NAME})"
)
_INTO = re.compile(
    rf"(?i)\binto{_GAP}+{_TEMP}(?:table{_GAP}+)?(?:{_NAME}\s*\.\s*)?(?P<name>{_NAME})"
)
_SELECTS = re.compile(rf"(?i)(?:{_GAP}|\()*(?:select|with)\b")
_DROPS = re.compile(
    rf"(?i){_GAP}*drop{_GAP}+(?:temporary{_GAP}+)?table{_GAP}+(?:if{_GAP}+exists{_GAP}+)?"
    rf"(?P<names>.*)"
)
_DROPPED = re.compile(rf"(?:(?P<schema>{_NAME})\s*\.\s*)?(?P<name>{_NAME})\s*(?:,\s*|(?P<end>))")
_RENAMES = re.compile(
    rf"(?i){_GAP}*alter{_GAP}+table{_GAP}+(?:if{_GAP}+exists{_GAP}+)?(?:only{_GAP}+)?"
    rf"(?P<name>{_NAME}){_GAP}+rename{_GAP}+to{_GAP}+(?P<new>{_NAME})"
)
_DISCARDS = re.compile(rf"(?i){_GAP}*discard{_GAP}+(?:temp(?:orary)?|all)\b")
_ON_COMMIT = re.compile(rf"(?i)\bon{_GAP}+commit{_GAP}+drop\b")


class Made(NamedTuple):
    """A temporary table that a statement makes, in small letters; `schema` is "" if it has none."""

    name: str
    is_dropped_on_commit: bool = False
    schema: str = ""


def made(sql: str) -> Made | None:
    """Return the temporary table that a statement makes; None if it makes none."""
    found = _CREATES.match(sql)
    if found is not None:
        own = plain(found["schema"] or "") == SCHEMA
        if found["temp"] is None and not own:
            return None
    elif _SELECTS.match(sql):
        found = _INTO.search(sql)
    if found is None:
        return None
    schema = plain(found.groupdict().get("schema") or "")
    return Made(plain(found["name"]), _ON_COMMIT.search(sql, found.end()) is not None, schema)


def dropped(sql: str) -> frozenset[str] | None:
    """Return the names that a statement drops tables of; None if it drops all temporary ones."""
    if _DISCARDS.match(sql):
        return None
    found = _DROPS.match(sql)
    if found is None:
        return frozenset()
    named = _DROPPED.finditer(found["names"])
    return frozenset(
        plain(each["name"]) for each in named if plain(each["schema"] or SCHEMA) == SCHEMA
    )


def renamed(sql: str) -> tuple[str, str] | None:
    """Return the old name and the new one that a statement gives a table."""
    found = _RENAMES.match(sql)
    return None if found is None else (plain(found["name"]), plain(found["new"]))


def plain(name: str) -> str:
    """Return a name without its quotes, in small letters."""
    if name[:1] in ('"', "`"):
        name = name[1:-1].replace(2 * name[0], name[0])
    return name.lower()
