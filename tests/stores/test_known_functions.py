"""The functions that servers list of their own are known, so that none is called misspelt."""

from collections.abc import Mapping

import pytest

from evaluation.store_protocol.connection import Connection
from evaluation.stores.mysql.sessions import session
from evaluation.stores.postgresql.sessions import session_with
from workloads.sql.known_functions import known_functions

pytestmark = pytest.mark.stores

# What takes or gives values of no column's type: functions of the server within itself.
_POSTGRESQL = """
SELECT DISTINCT proname FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace
AND prorettype NOT IN ('internal'::regtype, 'cstring'::regtype, 'trigger'::regtype,
  'event_trigger'::regtype, 'language_handler'::regtype, 'fdw_handler'::regtype,
  'index_am_handler'::regtype, 'table_am_handler'::regtype, 'tsm_handler'::regtype)
AND NOT proargtypes::oid[] && ARRAY['internal'::regtype::oid, 'cstring'::regtype::oid]
"""


def test_the_functions_of_postgresql_are_known(embedded: Mapping[str, Connection]) -> None:
    with session_with(embedded["pg"], "asking for its functions") as asked:
        found = {name for (name,) in asked.execute(_POSTGRESQL).fetchall()}
    assert len(found) > 1_000
    assert found - known_functions("postgres") == set()


def test_the_functions_of_mariadb_are_known(embedded: Mapping[str, Connection]) -> None:
    with session(embedded["maria"], "asking for its functions") as execute:
        rows = execute("SELECT LOWER(function) FROM information_schema.sql_functions")
    found = {name for (name,) in rows if not name.endswith("_oracle") and "wsrep" not in name}
    assert len(found) > 200
    assert found - known_functions("mysql") == set()
