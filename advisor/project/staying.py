"""Live tables among a project's: where they are, and which of them stay there."""

from collections.abc import Collection, Mapping

from advisor.project.project import Project
from advisor.project.project_file import ProjectFile
from workloads.catalog import Catalog, Table

_NOT_MOVABLE = "it is live there and not movable"
_UNREAD = "it is live there and no query reads it"
_TOO_LARGE = "it is live there, and its rows are more than its store's snapshot may have"
_READ_ONLY = "its tables are live, so that it is only read"


def live_tables(catalog: Catalog) -> Mapping[str, str]:
    """Return table → the store that has it by itself."""
    return {name: store for name, table in catalog.tables.items() for store in origin_of(table)}


def origin_of(table: Table) -> tuple[str, ...]:
    """Return the store that has the table by itself, if one does."""
    return () if table.origin is None else (table.origin.store,)


def is_too_large(table: Table) -> bool:
    """Whether it is a live table whose rows are never read here, so that it has no copy."""
    return table.origin is not None and table.origin.is_too_large


def staying_of(
    project: Project, catalog: Catalog, read: Collection[str]
) -> Mapping[str, Mapping[str, str]]:
    """Return table → the store that has it by itself → why it stays there.

    Those that no query reads, by `read`, have nothing to gain elsewhere, and are not read here. Nor
    are those that are too large.

    Raises:
        ConfigurationError: A store calls a table movable that it does not have.
    """
    found = {}
    for store in project.stores:
        own = catalog.tables_of(store.name)
        named = () if isinstance(store.movable, bool) else store.movable
        for name in named:
            where = f"[stores.{store.name}].movable"
            ProjectFile(path=project.file).known("table", name, own, where)
        for name in own:
            if name not in read:
                found[name] = {store.name: _UNREAD}
            elif is_too_large(catalog.table(name)):
                found[name] = {store.name: _TOO_LARGE}
            elif store.movable is not True and name not in named:
                found[name] = {store.name: _NOT_MOVABLE}
    return found


def others_stores(project: Project, table: Table) -> dict[str, str]:
    """Return the stores that take no copy of a table, and why: of a large one all of them."""
    own = origin_of(table)
    is_large = is_too_large(table)
    return {
        store.name: _READ_ONLY if store.is_live else _TOO_LARGE
        for store in project.stores
        if (store.is_live or is_large) and store.name not in own
    }
