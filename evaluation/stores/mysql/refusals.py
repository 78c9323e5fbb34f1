"""Reasons why a MariaDB or MySQL would refuse our copies: asked before anything is loaded."""

import re
from collections.abc import Iterable

from evaluation.store_protocol.columns import quoted
from evaluation.store_protocol.connection import Connection
from evaluation.stores.mysql.servers import refuse_older
from evaluation.stores.mysql.sessions import session
from workloads.errors import StoreError
from workloads.problems import Problems

NEEDED = ("CREATE", "DROP", "ALTER", "INSERT", "SELECT", "DELETE")
"""Privileges that are needed in the database of our tables: RENAME takes four of these."""
_GRANT = re.compile(r"GRANT (?P<what>.+?) ON (?P<where>\*|`(?:[^`]|``)*`)\.\* TO ", re.IGNORECASE)
_ROLE = re.compile(r"GRANT [`'\w].*? TO ", re.IGNORECASE)


def refusals(connection: Connection) -> tuple[StoreError, ...]:
    """Return an error for each thing that would refuse our copies.

    Raises:
        StoreError: Nothing answers, or the login is refused.
    """
    problems = Problems()
    with session(connection, "asking for its version and privileges failed") as execute:
        with problems.gathering():
            refuse_older(connection, execute)
        ((user, is_read_only),) = execute("SELECT current_user(), @@global.read_only")
        grants = [str(row[0]) for row in execute("SHOW GRANTS")]
    missing = lacked(grants, connection.namespace)
    if is_read_only and not _is_above_it(grants):
        problems.add(
            StoreError(
                connection.store,
                "it takes no writes (read_only is on), as a replica does: name its primary in "
                f"[stores.{connection.store}].host.",
            )
        )
    if missing:
        name, _, host = str(user).rpartition("@")
        problems.add(
            StoreError(
                connection.store,
                f"user '{user}' has not {', '.join(missing)} on its database "
                f"'{connection.namespace}': GRANT ALL ON {quoted(connection.namespace, '`')}.* TO "
                f"'{name}'@'{host}', or name another in [stores.{connection.store}].namespace.",
            )
        )
    return tuple(each for each in problems.errors if isinstance(each, StoreError))


def lacked(grants: Iterable[str], database: str) -> tuple[str, ...]:
    """Return which of `NEEDED` a user has not in a database, by the lines of SHOW GRANTS.

    Nothing is missing where there are roles, whose privileges these lines do not tell.
    """
    held: set[str] = set()
    for line in grants:
        found = _GRANT.match(line)
        if found is None:
            if " ON " not in line.partition(" TO ")[0] and _ROLE.match(line):
                return ()
            continue
        if found["where"] == "*" or _covers(found["where"][1:-1], database):
            held.update(each.strip().upper() for each in found["what"].split(","))
    if {"ALL PRIVILEGES", "ALL"} & held:
        return ()
    return tuple(each for each in NEEDED if each not in held)


def _covers(pattern: str, database: str) -> bool:
    r"""Tell whether a grant's name is a database's: ``%`` and ``_`` stand for any, ``\_`` not."""
    form = re.sub(
        r"\\?.",
        lambda part: {"%": ".*", "_": "."}.get(part[0], re.escape(part[0][-1])),
        pattern.replace("``", "`"),
        flags=re.DOTALL,
    )
    return re.fullmatch(form, database, re.DOTALL) is not None


def _is_above_it(grants: Iterable[str]) -> bool:
    """Tell whether a user may write where ``read_only`` keeps others from it."""
    above = ("ALL PRIVILEGES ON *.*", "SUPER", "READ_ONLY ADMIN", "CONNECTION_ADMIN")
    return any(word in line.partition(" TO ")[0].upper() for line in grants for word in above)
