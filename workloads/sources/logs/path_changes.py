"""Changes that a statement makes to where tables without a schema are."""

import re
from typing import Literal, NamedTuple

from workloads.counting.own import MARK
from workloads.search_path import SearchPath, listed, path_of

_GAP = r"(?:\s|--[^\n]*(?:\n|\Z)|/\*(?s:.*?)\*/)*+"
_NAME = r"(?P<name>`(?:[^`]|``)+`|\"(?:[^\"]|\"\")+\"|\[[^]]+\]|'[^']*'|[^\s;,`'\"\[]+)"
_USE = re.compile(
    rf"(?i){_GAP}(?:use\s+(?:(?:database|schema)\s+)?|set\s+schema\s*=\s*){_NAME}\s*;?\s*$"
)
_VARIABLE = r"\"?search_path\"?"
_SET = re.compile(
    rf"(?is){_GAP}set\s+(?:(?P<how>session|local)\s+)?"
    rf"(?:{_VARIABLE}\s*(?:=|\bto\b)|(?P<schema>schema)\b(?!\s*[=.]))\s*(?P<value>.*?)\s*;?\s*$"
)
_SET_ROLE = re.compile(
    rf"(?is){_GAP}(?:set\s+(?:(?P<how>session|local)\s+)?(?:role|session\s+authorization)\b"
    r"\s*(?:=|\bto\b)?\s*(?P<value>.*?)|reset\s+(?:role|session\s+authorization))\s*;?\s*$"
)
_RESET = re.compile(
    rf"(?i){_GAP}(?:reset\s+(?:{_VARIABLE}|all)|(?P<discard>discard)\s+all)\s*;?\s*$"
)
_FIRST = re.compile(
    rf"(?i){_GAP}(?:set|reset|discard|begin|start|commit|end|rollback|abort|savepoint|prepare)\b"
)
_TELLING = re.compile(r"(?i)search_path|\bset\s+schema\b")
_CONFIG = re.compile(r"(?i)\bset_config\s*\(\s*'search_path'\s*,")
_ARGUMENTS = re.compile(
    r"(?is)\s*(?:'(?P<value>(?:[^']|'')*)'|\$(?P<number>\d+))\s*(?:::\s*\w+\s*)?"
    r",\s*(?:(?P<local>'?(?:true|t|on|yes|1)'?)|(?P<session>'?(?:false|f|off|no|0)'?))"
    r"\s*(?:::\s*\w+\s*)?\)"
)
_CONFIGURES = re.compile(r"(?i)\bset_config\s*\(\s*\$")
_OF_PG_DUMP = re.compile(r"SELECT pg_catalog\.set_config\(\$1, \$2, \$3\)\Z")
_ONLY_CALLS = re.compile(rf"(?is){_GAP}select\s+(?:pg_catalog\s*\.\s*)?set_config\s*\([^()]*\)")
_ENDS = re.compile(r"(?is)\s*(?:as\s+\w+\s*)?;?\s*$")
_DOES = re.compile(rf"(?i){_GAP}(?:do|call|execute)\b")
_PARAMETER = r"\${} = (?:'(?P<value>(?:[^']|'')*)'|(?P<null>NULL))"
_TRANSACTION = re.compile(
    rf"(?is){_GAP}(?:(?P<begin>begin\b(?!\s+atomic)|start\s+transaction\b)"
    r"|(?P<commit>(?:commit|end)\b(?!\s+prepared)|prepare\s+transaction\b)"
    r"|(?P<back>(?:rollback|abort)(?:\s+(?:work|transaction))?\s+to\s+(?:savepoint\s+)?"
    r"(?P<to>\"[^\"]+\"|\w+))"
    r"|(?P<rollback>(?:rollback|abort)\b(?!\s+prepared))"
    r"|(?P<save>savepoint\s+(?P<point>\"[^\"]+\"|\w+)))"
)
_CHAINED = re.compile(r"(?i)\band\s+chain\b")

Scope = Literal["session", "local"]


class PathChange(NamedTuple):
    """A new path, None for that of the session's beginning, `with_role` for its user too."""

    path: SearchPath | None
    scope: Scope = "session"
    with_role: bool = False


class RoleChange(NamedTuple):
    """Another user whose schema ``$user`` is, None for the session's own."""

    role: str | None
    scope: Scope = "session"


class Transaction(NamedTuple):
    """A statement that begins or ends a transaction, or a part of one (`savepoint`)."""

    kind: Literal["begin", "commit", "rollback", "save", "back"]
    savepoint: str = ""
    is_chained: bool = False


def may_matter(sql: str) -> bool:
    """Whether a text may say anything of the path or of transactions, told in little time."""
    if _FIRST.match(sql) is not None or sql.find(";", 0, -1) >= 0:
        return True
    small = sql.lower()
    return "search_path" in small or "set_config" in small


def database_in_use(sql: str) -> str | None:
    """Return the database or schema that ``USE name`` or ``SET schema = name`` names; else None."""
    found = _USE.match(sql)
    return None if found is None else _plain(found["name"])


def path_change(
    sql: str, detail: str = "", *, has_lists: bool = False
) -> PathChange | RoleChange | None:
    """Return what a statement of PostgreSQL says of the search path; None if it says nothing.

    `detail` has the values of its parameters, as PostgreSQL's log writes them. With `has_lists` a
    string may name several schemas.
    """
    if found := _RESET.match(sql):
        return PathChange(None, with_role=found["discard"] is not None)
    if found := _SET_ROLE.match(sql):
        return _role(found)
    return _of_path(sql, detail, has_lists=has_lists) if _TELLING.search(sql) else None


def _of_path(sql: str, detail: str, *, has_lists: bool) -> PathChange | None:
    """Return what a statement that mentions the path says of it."""
    if found := _SET.match(sql):
        scope: Scope = "local" if (found["how"] or "").lower() == "local" else "session"
        value, is_one = found["value"], found["schema"] is not None
        if has_lists and value[:1] == "'" == value[-1:]:
            value = value[1:-1]
        is_usual = value.lower() == "default"
        return PathChange(None if is_usual else listed(value, is_one=is_one), scope)
    if call := _CONFIG.search(sql):
        return _configured(sql, call, detail)
    if _DOES.match(sql):
        return PathChange(SearchPath(unknown="a block of code that sets it was run"))
    return None


def may_set_path(sql: str) -> bool:
    """Whether a statement without its literals may set the path: also by a call of `set_config`.

    Those of pg_dump and of the advisor are left out, whose sessions are no work of the users'.
    """
    if MARK in sql or _OF_PG_DUMP.match(sql):
        return False
    return path_change(sql) is not None or _CONFIGURES.search(sql) is not None


def transaction(sql: str) -> Transaction | None:
    """Return what a statement says of transactions; None if it says nothing."""
    found = _TRANSACTION.match(sql)
    if found is None:
        return None
    chained = _CHAINED.search(sql) is not None
    if found["begin"]:
        return Transaction("begin")
    if found["commit"]:
        return Transaction("commit", is_chained=chained)
    if found["back"]:
        return Transaction("back", _plain(found["to"]).lower())
    if found["rollback"]:
        return Transaction("rollback", is_chained=chained)
    return Transaction("save", _plain(found["point"]).lower())


def _plain(name: str) -> str:
    if name[0] == "[":
        return name[1:-1]
    return name[1:-1].replace(2 * name[0], name[0]) if name[0] in "`\"'" else name


def _role(found: re.Match[str]) -> RoleChange | PathChange:
    value = (found["value"] or "").strip()
    scope: Scope = "local" if (found["how"] or "").lower() == "local" else "session"
    if value.lower() in ("", "none", "default"):
        return RoleChange(None, scope)
    role = listed(value, is_one=True)
    if role.unknown:
        unknown = "the role was set to what the log does not say"
        return PathChange(SearchPath(unknown=unknown), scope)
    return RoleChange(role.schemas[0], scope)


def _configured(sql: str, call: re.Match[str], detail: str) -> PathChange:
    """Return what ``set_config('search_path', …)`` sets, where nothing is around it."""
    found = _ARGUMENTS.match(sql, call.end())
    alone = _ONLY_CALLS.match(sql)
    if found is None or alone is None or not _ENDS.match(sql, alone.end()):
        return PathChange(SearchPath(unknown="set_config sets it to what the log does not say"))
    scope: Scope = "local" if found["local"] else "session"
    value = found["value"]
    if found["number"]:
        given = re.search(_PARAMETER.format(found["number"]), detail)
        if given is None:
            reason = f"set_config sets it to ${found['number']}, which the log does not say"
            return PathChange(SearchPath(unknown=reason), scope)
        value = given["value"] or ""
    return PathChange(path_of(value.replace("''", "'")), scope)
