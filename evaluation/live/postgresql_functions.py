"""Functions of a PostgreSQL that are its users' own, or its extensions'."""

from evaluation.stores.postgresql.sessions import Session
from workloads.counting.own import MARK

_FUNCTIONS = f"""
SELECT {MARK} DISTINCT p.proname FROM pg_catalog.pg_proc p
JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname <> 'pg_catalog'
"""  # noqa: S608 - constants


def functions(session: Session) -> frozenset[str]:
    """Return their names, in small letters and without their schemas."""
    return frozenset(str(name).lower() for (name,) in session.execute(_FUNCTIONS.encode()))
