"""The rights of an account of MySQL or MariaDB, from what SHOW GRANTS says."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from evaluation.stores.mysql.sessions import Execute

ALL = "ALL PRIVILEGES"
_GRANT = re.compile(r"GRANT (?P<rights>.+?) ON (?:TABLE )?(?P<where>.+?) TO ", re.DOTALL)
_PLACE = re.compile(r"(?P<database>\*|`(?:[^`]|``)*`)\.(?P<table>\*|`(?:[^`]|``)*`)")
# Rights on some columns have these in parentheses.
_RIGHT = re.compile(r"([A-Z][A-Z ]*[A-Z])(\s*\([^)]*\))?(?:,|$)")
_WILD = re.compile(r"\\(.)|([%_])|(.)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """Rights on the databases whose names match `database`, or on a `table` of one."""

    rights: frozenset[str]
    database: re.Pattern[str]
    table: str | None


def grants(execute: Execute) -> tuple[Grant, ...]:
    """Return the account's rights, with those of the roles that it has on."""
    rows = list(execute("SHOW GRANTS"))
    role = str(execute("SELECT CURRENT_ROLE()")[0][0] or "NONE")
    # MySQL names roles as accounts, and shows their rights on demand; MariaDB shows them anyway.
    if "@" in role:
        rows = list(execute(f"SHOW GRANTS FOR CURRENT_USER() USING {role}"))
    return tuple(read(str(row[0]) for row in rows))


def read(lines: Iterable[str]) -> Iterator[Grant]:
    """Yield what each line of SHOW GRANTS grants; those of roles and proxies grant no right."""
    for line in lines:
        found = _GRANT.match(line)
        place = _PLACE.fullmatch(found["where"]) if found is not None else None
        if found is None or place is None:
            continue
        rights = frozenset(
            right.strip() for right, columns in _RIGHT.findall(found["rights"]) if not columns
        )
        table = None if place["table"] == "*" else place["table"][1:-1].replace("``", "`")
        yield Grant(rights=rights, database=_pattern(place["database"], table), table=table)


def missing(
    found: Iterable[Grant], wanted: Iterable[str], database: str, table: str | None = None
) -> tuple[str, ...]:
    """Return those of the `wanted` rights that no grant gives on a database, or on its `table`."""
    had: set[str] = set()
    for grant in found:
        if grant.database.fullmatch(database) and grant.table in (None, table):
            had |= grant.rights
    return () if ALL in had else tuple(right for right in wanted if right not in had)


def _pattern(database: str, table: str | None) -> re.Pattern[str]:
    if database == "*":
        return re.compile(".*", re.DOTALL)
    name = database[1:-1].replace("``", "`")
    if table is not None:
        # Wildcards are those of grants on whole databases.
        return re.compile(re.escape(name))
    wild = {"%": ".*", "_": "."}
    return re.compile(
        "".join(
            wild[each[2]] if each[2] else re.escape(each[1] or each[3])
            for each in _WILD.finditer(name)
        ),
        re.DOTALL,
    )
