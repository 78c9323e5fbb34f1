"""A table while its DDL is read."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from workloads.definition import ColumnDefinition, Keys, TableName
from workloads.errors import CatalogError
from workloads.workload import Query


@dataclass(slots=True)
class Draft:
    """A table so far; `columns` by name in small letters, `place` where it is defined."""

    name: TableName
    place: Query
    dialect: str
    columns: dict[str, ColumnDefinition] = field(default_factory=dict)
    keys: Keys = field(default_factory=Keys)
    query: str | None = None
    partition_keys: tuple[str, ...] = ()


def refuse_other(old: Draft, new: Draft) -> None:
    """Raise CatalogError unless `new` is `old` once more."""
    if old.columns == new.columns:
        return
    raise CatalogError(
        f"Table '{new.name}' is defined twice ({old.place.origin}:{old.place.line} and"
        f" {new.place.origin}:{new.place.line}): leave one of them out."
    )


def with_renamed(
    columns: dict[str, ColumnDefinition], names: Mapping[str, str]
) -> dict[str, ColumnDefinition]:
    """Return `columns` with new names, in the same order."""
    new = {old.lower(): name for old, name in names.items()}
    return {
        new.get(key, key).lower(): replace(column, name=new.get(key, column.name))
        for key, column in columns.items()
    }
