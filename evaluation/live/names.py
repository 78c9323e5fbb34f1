"""Names of tables across the schemas of a store."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from evaluation.store_protocol.connection import Connection
from workloads.catalog import unique_names
from workloads.errors import CatalogError


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A table or view by its bare name, and the schema that it is in."""

    schema: str
    name: str


def checked_names(
    connection: Connection, found: Iterable[Named], *, schemas: Collection[str]
) -> Mapping[tuple[str, str], str]:
    """Return (schema, name) → the name in the catalog: the shortest that is unique.

    Names that differ in nothing but case are one: unquoted ones are read in any case.

    Raises:
        CatalogError: Nothing is found, or two tables of a schema differ by case alone.
    """
    known: dict[tuple[str, str], Named] = {}
    for each in found:
        other = known.setdefault((each.schema.lower(), each.name.lower()), each)
        if other is each:
            continue
        raise CatalogError(
            f"Store '{connection.store}' has the tables '{other.name}' and '{each.name}' in the "
            f"schema '{each.schema}': rename one, as queries may write both in any case."
        )
    if not known:
        where = (
            f"in the schema {' or '.join(map(repr, schemas))}" if schemas else "of the users' own"
        )
        raise CatalogError(
            f"Store '{connection.store}' has no table {where}: check its database and the "
            "catalog's schema, and that the user may see them."
        )
    return unique_names((each.schema, each.name) for each in known.values())
