"""Constraints of a project, resolved to its tables and queries."""

from collections.abc import Collection, Iterable, Mapping
from itertools import combinations, product
from types import MappingProxyType

from advisor.project.project import Project
from advisor.project.project_file import ProjectFile
from advisor.project.staying import origin_of, others_stores
from evaluation.kinds import BACKENDS
from placement.problem import Constraints
from workloads.catalog import Catalog
from workloads.problems import Problems


def constraints_of(
    project: Project,
    table_bytes: Mapping[str, int],
    queries: Collection[str],
    unheld: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
    hosted: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
    *,
    staying: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
) -> Constraints:
    """Return the constraints with tags replaced by tables, and shares by bytes.

    What may only be in some stores is excluded from the others, and a table from the stores that
    cannot hold it: `unheld` says which these are, and why. A table is pinned to the stores that
    statements which read it are passed through to: `hosted` says which statements. `staying` are
    live tables that stay in their stores, and why.

    Raises:
        ConfigurationError: As `refuse_constraints`.
        RefusalsError: As `refuse_constraints`.
    """
    settings = project.constraints
    refuse_constraints(project, table_bytes, queries, unheld)
    return Constraints(
        pin=merged(table_bytes, pinned_of(project, table_bytes), hosted, staying),
        exclude=excluded_of(project, table_bytes, unheld),
        unheld=unheld,
        hosted=hosted,
        staying=staying,
        max_copies=project.place.max_copies,
        together=tuple(
            frozenset(table for name in names for table in settings.tables(name))
            for names in settings.together
        ),
        apart=tuple(each for names in settings.apart for each in _apart(project, names)),
        tags={tag: frozenset(tables) for tag, tables in settings.tags.items()},
        **settings.values(sum(table_bytes.values())),
    )


def refuse_constraints(
    project: Project,
    tables: Collection[str],
    queries: Collection[str] | None = None,
    unheld: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
) -> None:
    """Refuse constraints on what there is not, or that stores cannot keep.

    Nothing is said of queries where None tells that they are not known.

    Raises:
        ConfigurationError: A table, tag or query is unknown, a tag is called as a table, or a
            table is pinned to a store that cannot hold it, or can be held by none.
        RefusalsError: Several of these.
    """
    file, problems = ProjectFile(path=project.file), Problems()
    _refuse_unknown(project, file, tables, problems)
    for query in project.constraints.latency_s if queries is not None else ():
        with problems.gathering():
            file.known("query", query, queries or (), "[constraints].latency_s")
    for table in project.place.current:
        with problems.gathering():
            file.known("table", table, tables, "[place].current")
    pin = pinned_of(project, tables)
    _refuse_unheld(file, pin, unheld, [store.name for store in project.stores], problems)
    problems.raise_any()


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
    return merged(tables, _by_table(project, tables, settings.exclude, others), unheld)


def current_of(
    project: Project,
    table_bytes: Mapping[str, int],
    live: Mapping[str, str] = MappingProxyType({}),
) -> Mapping[str, tuple[str, ...]]:
    """Return the placement that there is, in the order of the tables; empty where none is known.

    `live` maps a table to the store that has it by itself.
    """
    named = project.place.current
    own = {table: (live[table],) if table in live else () for table in table_bytes}
    found = {t: tuple(dict.fromkeys((*own[t], *named.get(t, ())))) for t in table_bytes}
    return {table: stores for table, stores in found.items() if stores}


def unheld_of(project: Project, catalog: Catalog) -> Mapping[str, Mapping[str, str]]:
    """Return table → the stores that cannot hold it, and why; not those where it is already.

    Live stores hold nothing beside their own tables. Of tables without Parquet nothing else is
    said: they are never loaded from here, and their own system has types that DuckDB has no name
    for.
    """
    found = {}
    for table in catalog.tables.values():
        if others := others_stores(project, table):
            found[table.name] = others
        if not table.is_judged:
            continue
        there = {*project.place.current.get(table.name, ()), *origin_of(table)}
        reasons = {
            store.name: why
            for store in project.stores
            if store.name not in there
            and not store.is_live
            and (why := BACKENDS[store.kind].holding.lacks(table)) is not None
        }
        if reasons:
            found[table.name] = {**found.get(table.name, {}), **reasons}
    return found


def _refuse_unheld(
    file: ProjectFile,
    pin: Mapping[str, Collection[str]],
    unheld: Mapping[str, Mapping[str, str]],
    stores: Collection[str],
    problems: Problems,
) -> None:
    """Note each table that is pinned to a store that cannot hold it, or that none can hold."""
    for table, reasons in unheld.items():
        for store in sorted(reasons.keys() & set(pin.get(table, ()))):
            problems.add(
                file.error(
                    "[constraints].pin",
                    f"table '{table}' is pinned to store '{store}', which cannot hold it: "
                    f"{reasons[store]}",
                )
            )
        if reasons.keys() >= set(stores):
            store, why = min(reasons.items())
            problems.add(
                file.error(
                    "[stores]",
                    f"no store can hold table '{table}' ({store}: {why}): write other types or "
                    "values to the Parquet, take the file away, or add a store",
                )
            )


def merged(
    tables: Iterable[str], *named: Mapping[str, Collection[str]]
) -> Mapping[str, frozenset[str]]:
    """Return table → all stores that one of the mappings has for it, in `tables`' order."""
    found = {
        table: frozenset[str]().union(*(each.get(table, ()) for each in named)) for table in tables
    }
    return {table: stores for table, stores in found.items() if stores}


def _refuse_unknown(
    project: Project, file: ProjectFile, tables: Collection[str], problems: Problems
) -> None:
    """Note each table or tag that there is not, and each tag that is called as a table."""
    settings = project.constraints
    for tag, tagged in settings.tags.items():
        if tag in tables:
            problems.add(
                file.error(
                    f"[constraints.tags].{tag}",
                    "this is the name of a table: call the tag otherwise",
                )
            )
        for table in tagged:
            with problems.gathering():
                file.known("table", table, tables, f"[constraints.tags].{tag}")
    known = [*settings.tags, *tables]
    named = [(key, name) for key in ("pin", "exclude", "only") for name in getattr(settings, key)]
    for key in ("together", "apart"):
        named += [(key, name) for names in getattr(settings, key) for name in names]
    for key, name in named:
        with problems.gathering():
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
