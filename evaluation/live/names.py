"""Names of tables across the schemas of a store."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from evaluation.store_protocol.connection import Connection
from workloads.errors import CatalogError
from workloads.schema_names import unique_names


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A table or view by its bare name, and the schema that it is in."""

    schema: str
    name: str


def checked_names(
    connection: Connection, found: Iterable[Named], *, schemas: Collection[str]
) -> Mapping[tuple[str, str], str]:
    """Return (schema, name) → the name in the catalog: the shortest that is unique in any case.

    Raises:
        CatalogError: Nothing is found.
    """
    known = [(each.schema, each.name) for each in found]
    if not known:
        where = (
            f"in the schema {' or '.join(map(repr, schemas))}" if schemas else "of the users' own"
        )
        raise CatalogError(
            f"Store '{connection.store}' has no table {where}: check its database and the "
            "catalog's schema, and that the user may see them."
        )
    return unique_names(known)
