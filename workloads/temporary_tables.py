"""Tables and views that only their session sees: which statements make and drop them."""

import re
from collections.abc import Mapping
from typing import NamedTuple

SCHEMA = "pg_temp"
"""Where PostgreSQL has them: no path leads to a permanent table there."""

PREFIX = f"{SCHEMA}."
"""The unique name of a temporary table begins so."""

_GAP = r"(?:\s|--[^\n]*(?:\n|\Z)|/\*(?s:.*?)\*/)"
_NAME = r"(?:\"(?:[^\"]|\"\")+\"|`(?:[^`]|``)+`|[\w$]+)"
_TEMP = rf"(?:(?:local|global){_GAP}+)?temp(?:orary)?{_GAP}+"
_CREATES = re.compile(
    rf"(?i){_GAP}*create{_GAP}+(?:or{_GAP}+replace{_GAP}+)?(?P<temp>{_TEMP})?"
    rf"(?:table|(?P<recursive>recursive{_GAP}+)?(?P<view>view)){_GAP}+"
    rf"(?:if{_GAP}+not{_GAP}+exists{_GAP}+)?(?:(?P<schema>{_NAME})\s*\.\s*)?(?P<name>{_NAME})"
)
_INTO = re.compile(
    rf"(?i)\binto{_GAP}+{_TEMP}(?:table{_GAP}+)?(?:{_NAME}\s*\.\s*)?(?P<name>{_NAME})"
)
_SELECTS = re.compile(rf"(?i)(?:{_GAP}|\()*(?:select|with)\b")
_DROPS = re.compile(
    rf"(?i){_GAP}*drop{_GAP}+(?:temporary{_GAP}+)?(?:table|view){_GAP}+(?:if{_GAP}+exists{_GAP}+)?"
    rf"(?P<names>.*)"
)
_DROPPED = re.compile(rf"(?:(?P<schema>{_NAME})\s*\.\s*)?(?P<name>{_NAME})\s*(?:,\s*|(?P<end>))")
_BEGINS = re.compile(
    rf"(?i){_GAP}*(?P<word>\(|(?:select|insert|update|delete|merge|values|from|table|with)\b)"
    rf"(?P<recursive>{_GAP}+recursive\b)?"
)
"""Statements that may have CTEs before them."""
_RENAMES = re.compile(
    rf"(?i){_GAP}*alter{_GAP}+(?:table|view){_GAP}+(?:if{_GAP}+exists{_GAP}+)?(?:only{_GAP}+)?"
    rf"(?P<name>{_NAME}){_GAP}+rename{_GAP}+to{_GAP}+(?P<new>{_NAME})"
)
_DISCARDS = re.compile(rf"(?i){_GAP}*discard{_GAP}+(?:temp(?:orary)?|all)\b")
_OF_VIEW = re.compile(
    rf"(?is){_GAP}*(?P<columns>\([^()]*\))?{_GAP}*(?:with{_GAP}*\([^()]*\){_GAP}*)?as\b{_GAP}*"
    rf"(?P<query>.*?)(?:\bwith{_GAP}+(?:(?:cascaded|local){_GAP}+)?check{_GAP}+option)?[\s;]*\Z"
)
"""The text behind the name of a view."""
_ON_COMMIT = re.compile(rf"(?i)\bon{_GAP}+commit{_GAP}+drop\b")


class Made(NamedTuple):
    """A temporary table or view that a statement makes, in small letters.

    `schema` is "" if it names none. `cte` is a view as a CTE of a statement, "" where it cannot be
    written so.
    """

    name: str
    is_dropped_on_commit: bool = False
    cte: str = ""
    schema: str = ""


def made(sql: str) -> Made | None:
    """Return the temporary table or view that a statement makes; None if it makes none."""
    found = _CREATES.match(sql)
    if found is not None:
        own = plain(found["schema"] or "") == SCHEMA
        if found["temp"] is None and not own:
            return None
        if found["view"] is not None:
            return _made_view(sql, found)
    elif _SELECTS.match(sql):
        found = _INTO.search(sql)
    if found is None:
        return None
    schema = plain(found.groupdict().get("schema") or "")
    is_dropped = _ON_COMMIT.search(sql, found.end()) is not None
    return Made(plain(found["name"]), is_dropped_on_commit=is_dropped, schema=schema)


def _made_view(sql: str, found: re.Match[str]) -> Made | None:
    """Return the view that a statement makes; None for one of files, or of all sessions of Spark.

    One that reads itself cannot be written as a CTE beside others.
    """
    rest = _OF_VIEW.match(sql, found.end())
    if rest is None or (found["temp"] or "").lower().startswith("global"):
        return None
    cte = f"{found['name']}{rest['columns'] or ''} AS ({rest['query'].rstrip()}\n)"
    return Made(plain(found["name"]), cte="" if found["recursive"] else cte)


def with_views(sql: str, views: Mapping[str, str]) -> str:
    """Return a statement with the temporary views that it may name as CTEs before it.

    `views` maps their names to CTEs, in the order in which they were made. What cannot be written
    so stays as it is: a statement that writes a view, has a CTE of its name, or is no query.
    """
    named = [name for name in views if _names(name, sql)]
    start = _BEGINS.match(sql)
    if not named or start is None:
        return sql
    # A view may read those that were made before it.
    for name in reversed(list(views)):
        if name not in named and any(_names(name, views[each]) for each in named):
            named.append(name)
    ctes = [cte for name, cte in views.items() if name in named]
    written = sql
    for name in named:
        sql = re.sub(rf"(?i)\b{SCHEMA}\s*\.\s*(?=[\"`]?{re.escape(name)}\b)", "", sql)
    begins = start.start("word")
    reads_itself = any(_names(name, views[name].partition("(")[2]) for name in named)
    if any(_is_hidden(name, sql) for name in named) or (start["recursive"] and reads_itself):
        return written
    if start["word"].lower() != "with":
        return f"{sql[:begins]}WITH {', '.join(ctes)} {sql[begins:]}"
    after = start.end("recursive") if start["recursive"] else start.end("word")
    return f"{sql[:after]} {', '.join(ctes)}, {sql[after:].lstrip()}"


def _names(name: str, sql: str) -> bool:
    return re.search(rf"(?i)(?<![\w$]){re.escape(name)}(?![\w$])", sql) is not None


def _is_hidden(name: str, sql: str) -> bool:
    """Tell whether a statement may write what is called so, or has a CTE of the name."""
    quoted = rf"(?<![\w$.])[\"`]?{re.escape(name)}[\"`]?(?![\w$.])"
    target = (
        rf"(?i)\b(?:insert\s+into|merge\s+into|(?:update|delete\s+from)(?:\s+only)?)\s+{quoted}"
    )
    cte = rf"(?i){quoted}\s*(?:\([^()]*\)\s*)?as\s*(?:not\s+)?(?:materialized\s*)?\("
    return re.search(target, sql) is not None or re.search(cte, sql) is not None


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
