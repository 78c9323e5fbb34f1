"""Reasons why a PostgreSQL would refuse our copies: asked before a load, writing nothing."""

from collections.abc import Iterator

from evaluation.store_protocol.columns import quoted
from evaluation.store_protocol.connection import Connection
from evaluation.stores.postgresql.sessions import session_with
from workloads.errors import StoreError

OLDEST = 12
"""The first version that runs what is sent to it."""
_VERSION_UNIT = 10_000
_FACTS = """
SELECT current_setting('server_version_num')::int, current_user, current_database(),
       pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on',
       EXISTS (SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = %(schema)s),
       COALESCE(
         (SELECT has_schema_privilege(oid, 'CREATE') AND has_schema_privilege(oid, 'USAGE')
          FROM pg_catalog.pg_namespace WHERE nspname = %(schema)s),
         has_database_privilege(current_database(), 'CREATE'))
"""


def refusals(connection: Connection) -> tuple[StoreError, ...]:
    """Return an error for each thing that would refuse our copies.

    Raises:
        StoreError: Nothing answers, or the login is refused.
    """
    with session_with(connection, "asking for its version and privileges failed") as session:
        found = session.execute(_FACTS, {"schema": connection.namespace}).fetchone()
    return tuple(StoreError(connection.store, each) for each in _refused(connection, found or ()))


def _refused(connection: Connection, facts: tuple[object, ...]) -> Iterator[str]:
    number, user, database, is_read_only, is_there, may_create = facts
    version = int(str(number)) // _VERSION_UNIT
    if version < OLDEST:
        yield f"its PostgreSQL {version} is too old: {OLDEST} or newer is needed."
    if is_read_only:
        yield (
            "it takes no writes, as a standby does: name its primary in "
            f"[stores.{connection.store}].host."
        )
    if may_create:
        return
    schema, role = quoted(connection.namespace), quoted(str(user))
    if is_there:
        yield (
            f"user '{user}' may not create tables in its schema '{connection.namespace}': "
            f"GRANT CREATE, USAGE ON SCHEMA {schema} TO {role}, or name another in "
            f"[stores.{connection.store}].namespace."
        )
    else:
        yield (
            f"user '{user}' may not create the schema '{connection.namespace}' in its database "
            f"'{database}': GRANT CREATE ON DATABASE {quoted(str(database))} TO {role}, or "
            f"CREATE SCHEMA {schema} AUTHORIZATION {role}."
        )
