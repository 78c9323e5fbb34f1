"""Names that mean a temporary table of the session that ran the statement."""

from sqlglot import exp

from workloads.catalog import View
from workloads.temporary_tables import PREFIX, SCHEMA
from workloads.workload import Query


def temporary_meant(table: exp.Table, query: Query, dialect: str) -> View | None:
    """Return the temporary table that a name means in the session of `query`; None if none."""
    schema, name = table.db.lower(), table.name.lower()
    hides = schema == "" or (dialect == "mysql" and schema == query.schema.lower())
    if schema.startswith(SCHEMA) or (hides and name in (query.temporary or ())):
        return View(name=f"{PREFIX}{name}", sql="", dialect="", schema=SCHEMA)
    return None
