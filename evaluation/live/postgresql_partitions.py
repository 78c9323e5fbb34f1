"""Partitions of a PostgreSQL's tables: a view each, of the rows of the whole within its bounds."""

from collections.abc import Mapping
from dataclasses import dataclass

from evaluation.live.names import Named
from evaluation.store_protocol.columns import quoted
from evaluation.stores.postgresql.sessions import Session
from workloads.catalog import View
from workloads.counting.own import MARK
from workloads.schema_names import other_own_name

# The condition has those of the tables that it is a part of by other partitions.
_PARTITIONS = f"""
SELECT {MARK} n.nspname, c.relname, wn.nspname, whole.relname,
       pg_get_partition_constraintdef(c.oid)
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_class whole ON whole.oid = pg_partition_root(c.oid)
JOIN pg_catalog.pg_namespace wn ON wn.oid = whole.relnamespace
WHERE c.relispartition AND whole.oid = ANY(%s) ORDER BY n.nspname, c.relname
"""  # noqa: S608 - constants


@dataclass(frozen=True, slots=True, kw_only=True)
class Partition(Named):
    """A partition of the table `whole`, as a FROM clause writes it, whose rows meet `condition`."""

    whole: str
    condition: str

    def view(self, names: Mapping[tuple[str, str], str]) -> View:
        """Return it as a view under its name in the catalog."""
        name = names[self.schema, self.name]
        return View(
            name=name,
            schema=self.schema,
            own=other_own_name(self.name, name, self.schema),
            sql=f"SELECT * FROM {self.whole} WHERE {self.condition}",  # noqa: S608 - the server's own
            dialect="postgres",
        )


def partitions(session: Session, tables: list[int]) -> tuple[Partition, ...]:
    """Return the partitions of `tables`, given by oid; a table of another schema may be one's."""
    rows = session.execute(_PARTITIONS.encode(), (tables,)).fetchall()
    return tuple(
        Partition(
            schema=schema,
            name=name,
            whole=f"{quoted(whole_schema)}.{quoted(whole)}",
            condition=condition or "TRUE",
        )
        for schema, name, whole_schema, whole, condition in rows
    )
