"""Constraints of a project, resolved to its tables and queries."""

from collections.abc import Collection, Iterable, Mapping
from itertools import combinations, product
from types import MappingProxyType

from advisor.project.project import Project
from advisor.project.project_file import ProjectFile
from evaluation.kinds import BACKENDS
from placement.problem import Constraints
from workloads.catalog import Catalog

_MOST_TOLD = 3


def constraints_of(
    project: Project,
    table_bytes: Mapping[str, int],
    queries: Collection[str],
    unheld: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
    hosted: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
) -> Constraints:
    """Return the constraints with tags replaced by tables, and shares by bytes.

    What may only be in some stores is excluded from the others, and a table from the stores that
    cannot hold it: `unheld` says which these are, and why. A table is pinned to the stores that
    statements which read it are passed through to: `hosted` says which statements.

    Raises:
        ConfigurationError: A table, tag or query is unknown, a tag is called as a table, or a
            table is pinned to a store that cannot hold it, or can be held by none.
    """
    settings, file = project.constraints, ProjectFile(path=project.file)
    _refuse_unknown(project, file, table_bytes)
    for query in settings.latency_s:
        file.known("query", query, queries, "[constraints].latency_s")
    pin = pinned_of(project, table_bytes)
    _refuse_unheld(file, pin, unheld, [store.name for store in project.stores])
    return Constraints(
        pin=_merged(table_bytes, pin, hosted),
        exclude=excluded_of(project, table_bytes, unheld),
        unheld=unheld,
        hosted=hosted,
        max_copies=project.place.max_copies,
        together=tuple(
            frozenset(table for name in names for table in settings.tables(name))
            for names in settings.together
        ),
        apart=tuple(each for names in settings.apart for each in _apart(project, names)),
        tags={tag: frozenset(tables) for tag, tables in settings.tags.items()},
        **settings.values(sum(table_bytes.values())),
    )


def pinned_of(project: Project, tables: Iterable[str]) -> Mapping[str, frozenset[str]]:
    """Return table → the stores that the project pins it to, in the order of `tables`."""
    return _by_table(project, tables, project.constraints.pin)


def excluded_of(
    project: Project, tables: Iterable[str], unheld: Mapping[str, Mapping[str, str]]
) -> Mapping[str, frozenset[str]]:
    """Return table → the stores that it may not be in, or cannot be by `unheld`."""
    settings, tables = project.constraints, tuple(tables)
    others = {
        name: [store.name for store in project.stores if store.name not in only]
        for name, only in settings.only.items()
    }
    return _merged(tables, _by_table(project, tables, settings.exclude, others), unheld)


def current_of(project: Project, table_bytes: Mapping[str, int]) -> Mapping[str, tuple[str, ...]]:
    """Return the placement that there is, in the order of the tables; empty where none is named.

    Raises:
        ConfigurationError: It has a table that the catalog lacks.
    """
    current = project.place.current
    for table in current:
        ProjectFile(path=project.file).known("table", table, table_bytes, "[place].current")
    return {table: current[table] for table in table_bytes if table in current}


def unheld_of(project: Project, catalog: Catalog) -> Mapping[str, Mapping[str, str]]:
    """Return table → the stores that cannot hold it, and why; not those where it is already.

    Of tables without Parquet nothing is said: they are never loaded from here, and their own
    system has types that DuckDB has no name for.
    """
    found = {}
    for table in catalog.tables.values():
        if table.parquet is None:
            continue
        there = project.place.current.get(table.name, ())
        reasons = {
            store.name: why
            for store in project.stores
            if store.name not in there
            and (why := BACKENDS[store.kind].holding.lacks(table)) is not None
        }
        if reasons:
            found[table.name] = reasons
    return found


def _refuse_unheld(
    file: ProjectFile,
    pin: Mapping[str, Collection[str]],
    unheld: Mapping[str, Mapping[str, str]],
    stores: Collection[str],
) -> None:
    for table, reasons in unheld.items():
        for store in sorted(reasons.keys() & set(pin.get(table, ()))):
            raise file.error(
                "[constraints].pin",
                f"table '{table}' is pinned to store '{store}', which cannot hold it: "
                f"{reasons[store]}",
            )
    nowhere = [table for table, reasons in unheld.items() if reasons.keys() >= set(stores)]
    if nowhere:
        told = "; ".join(
            f"'{table}' ({store}: {why})"
            for table in nowhere[:_MOST_TOLD]
            for store, why in sorted(unheld[table].items())[:1]
        )
        more = len(nowhere) - _MOST_TOLD
        raise file.error(
            "[stores]",
            f"no store can hold {'table ' if len(nowhere) == 1 else 'the tables '}{told}"
            f"{f' and {more} more' if more > 0 else ''}: write other types or values to the "
            "Parquet, take the files away, or add a store",
        )


def _merged(
    tables: Iterable[str], *named: Mapping[str, Collection[str]]
) -> Mapping[str, frozenset[str]]:
    """Return table → all stores that one of the mappings has for it, in `tables`' order."""
    found = {
        table: frozenset[str]().union(*(each.get(table, ()) for each in named)) for table in tables
    }
    return {table: stores for table, stores in found.items() if stores}


def _refuse_unknown(project: Project, file: ProjectFile, table_bytes: Mapping[str, int]) -> None:
    settings = project.constraints
    for tag, tables in settings.tags.items():
        if tag in table_bytes:
            raise file.error(
                f"[constraints.tags].{tag}", "this is the name of a table: call the tag otherwise"
            )
        for table in tables:
            file.known("table", table, table_bytes, f"[constraints.tags].{tag}")
    known = [*settings.tags, *table_bytes]
    for key in ("pin", "exclude", "only"):
        for name in getattr(settings, key):
            file.known("table or tag", name, known, f"[constraints].{key}")
    for key in ("together", "apart"):
        for names in getattr(settings, key):
            for name in names:
                file.known("table or tag", name, known, f"[constraints].{key}")


def _by_table(
    project: Project, tables: Iterable[str], *named: Mapping[str, Collection[str]]
) -> Mapping[str, frozenset[str]]:
    """Return table → all stores that it or one of its tags is named with, in `tables`' order."""
    found: dict[str, set[str]] = {}
    for stores_of in named:
        for name, stores in stores_of.items():
            for table in project.constraints.tables(name):
                found.setdefault(table, set()).update(stores)
    return {table: frozenset(found[table]) for table in tables if found.get(table)}


def _apart(project: Project, names: Collection[str]) -> Iterable[frozenset[str]]:
    """Return the sets of tables of which no two share a store.

    A tag beside other names is apart from these, and its own tables may stay together; alone it
    says that its own tables are apart.
    """
    members = [project.constraints.tables(name) for name in names]
    if len(members) == 1 or all(len(tables) == 1 for tables in members):
        return [frozenset(table for tables in members for table in tables)]
    return [
        frozenset(pair) for left, right in combinations(members, 2) for pair in product(left, right)
    ]
