"""ALTER ROLE and ALTER DATABASE: the search paths that PostgreSQL keeps for sessions."""

from dataclasses import dataclass

from workloads.search_path import RolePath, SearchPath, listed
from workloads.sql.ddl.words import Words
from workloads.workload import Query


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptPath:
    """The path of a database and a role, None where none is kept for them any more."""

    of: RolePath
    path: SearchPath | None


def kept_path(query: Query, dialect: str) -> KeptPath | None:
    """Return the path that a statement sets or resets; None where it does neither.

    Raises:
        SqlError: A quoted text or a comment does not end, or a name is missing.
    """
    words = Words(query, dialect)
    if not words.take("ALTER"):
        return None
    database = role = ""
    if words.take("DATABASE"):
        database = words.next().text
    elif words.take("ROLE") or words.take("USER"):
        role = "" if words.take("ALL") else words.next().text
        if words.take("IN", "DATABASE"):
            database = words.next().text
    else:
        return None
    return _set(words, (database, role))


def _set(words: Words, key: RolePath) -> KeptPath | None:
    if words.take("RESET", "SEARCH_PATH") or words.take("RESET", "ALL"):
        return KeptPath(of=key, path=None)
    if not words.take("SET", "SEARCH_PATH"):
        return None
    if not words.take("TO"):
        words.take("=")
    is_usual = words.at("DEFAULT") or words.at("FROM", "CURRENT")
    return KeptPath(of=key, path=None if is_usual else listed(words.text))
