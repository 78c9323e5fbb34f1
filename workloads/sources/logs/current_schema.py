"""Statements that say in which schema tables without one are from there on."""

import re

_NAME = r"(?P<name>`(?:[^`]|``)+`|\"(?:[^\"]|\"\")+\"|\[[^]]+\]|'[^']*'|[^\s;,`'\"\[]+)"
_USE = re.compile(rf"(?i)\s*use\s+(?:(?:database|schema)\s+)?{_NAME}\s*;?\s*$")
_SEARCH_PATH = re.compile(
    rf"(?i)\s*set\s+(?:(?:session|local)\s+)?search_path\s*(?:=|\bto\b)\s*{_NAME}"
)


def current_schema(sql: str) -> str | None:
    """Return the schema that ``USE name`` or ``SET search_path = name, …`` names; else None."""
    found = _USE.match(sql) or _SEARCH_PATH.match(sql)
    if found is None:
        return None
    name = found["name"]
    if name[0] == "[":
        return name[1:-1]
    return name[1:-1].replace(2 * name[0], name[0]) if name[0] in "`\"'" else name
