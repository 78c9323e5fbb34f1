"""Names of tables across the schemas of a store."""

from collections.abc import Iterable
from dataclasses import dataclass

from evaluation.store_protocol.connection import Connection
from workloads.errors import CatalogError


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A table or view by its bare name, and the schema that it is in."""

    schema: str
    name: str


def check_names(connection: Connection, found: Iterable[Named], *, schema: str | None) -> None:
    """Raise CatalogError where nothing is found, or a bare name has two meanings.

    Names that differ in nothing but case are one: unquoted ones are read in any case.
    """
    known: dict[str, Named] = {}
    for each in found:
        other = known.setdefault(each.name.lower(), each)
        if other is each:
            continue
        if other.schema != each.schema:
            raise CatalogError(
                f"Store '{connection.store}' has a table '{each.name}' in the schema "
                f"'{other.schema}' and one in '{each.schema}': name the one to read as the "
                "catalog's schema."
            )
        raise CatalogError(
            f"Store '{connection.store}' has the tables '{other.name}' and '{each.name}' in the "
            f"schema '{each.schema}': rename one, as queries may write both in any case."
        )
    if not known:
        where = "of the users' own" if schema is None else f"in the schema '{schema}'"
        raise CatalogError(
            f"Store '{connection.store}' has no table {where}: check its database and the "
            "catalog's schema, and that the user may see them."
        )
