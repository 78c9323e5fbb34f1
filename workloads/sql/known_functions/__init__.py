"""The functions that servers have of their own, by name: of PostgreSQL 18, MariaDB 11 and MySQL 8.

The lists are `pg_proc` and what PostgreSQL's grammar has as functions; `SQL_FUNCTIONS` of MariaDB's
information schema, and the help tables of MySQL.
"""

from functools import cache
from importlib.resources import files


@cache
def known_functions(dialect: str) -> frozenset[str]:
    """Return the names in small letters that a server of `dialect` has; none of other dialects."""
    file = files(__name__) / f"{dialect}.txt"
    return frozenset(file.read_text(encoding="ascii").split()) if file.is_file() else frozenset()
