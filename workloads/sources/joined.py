"""Several sources as one workload or one catalog, each in its own SQL."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import chain, count

from workloads.catalog import Catalog, Table, View
from workloads.counting.filters import Filters
from workloads.counting.seen import Seen
from workloads.errors import CatalogError, ConfigurationError
from workloads.schema_names import other_own_name, unique_names
from workloads.workload import Query, Workload

_NAMED = 3
JOINED = "duckdb"
"""The SQL that statements of several dialects are written in, with the meaning that they have."""


def joined_workloads(found: Sequence[Workload]) -> Workload:
    """Return the statements of all, in their order.

    Where they are of several dialects each query says its own. A name that queries of two sources
    have gets the source's name behind it, and a number where even that is taken.
    """
    if len(found) == 1:
        return found[0]
    # A source of which filters leave nothing has no say.
    speaking = [each for each in found if each.queries] or list(found)
    dialects = list(dict.fromkeys(each.dialect for each in speaking))
    seen = Seen()
    for each in found:
        seen.absorb(each.seen)
    names = Counter(query.name for each in found for query in each.queries)
    taken = set(names)
    queries: list[Query] = []
    for each in found:
        own = each.dialect if len(dialects) > 1 else ""
        for query in each.queries:
            name = query.name
            if names[name] > 1:
                name = _free(f"{name}_{each.name}", taken)
                taken.add(name)
            queries.append(replace(query, name=name, dialect=query.dialect or own))
    return Workload(
        name=" and ".join(dict.fromkeys(each.name for each in found)),
        dialect=JOINED if len(dialects) > 1 else dialects[0],
        queries=tuple(queries),
        skipped=tuple(skipped for each in found for skipped in each.skipped),
        seen=seen,
        older_executions=sum(each.older_executions for each in found),
    )


def refuse_nothing_left(workload: Workload, filters: Filters | None) -> None:
    """Raise where filters leave no query of a workload.

    Raises:
        ConfigurationError: So it is; the message has the values that exist.
    """
    if filters is None or workload.queries:
        return
    lacking = dict.fromkeys(each.reason for each in workload.skipped if each.kind == "untold")
    others = "".join(f" {reason[0].upper()}{reason[1:]}." for reason in list(lacking)[:_NAMED])
    raise ConfigurationError(filters.nothing_left(workload.seen, workload.name) + others)


def _free(name: str, taken: Collection[str]) -> str:
    numbered = (f"{name}_{number}" for number in count(2))
    return next(each for each in chain((name,), numbered) if each not in taken)


def joined_catalogs(found: Sequence[Catalog]) -> Catalog:
    """Return the tables and views of all, by names that are unique among them.

    Raises:
        CatalogError: Two sources have a table of one name in schemas of one name.
    """
    if len(found) == 1:
        return found[0]
    _refuse_twice(found)
    relations = [(each.schema, each.own_name) for catalog in found for each in catalog.relations]
    names = unique_names(relations)
    tables: dict[str, Table] = {}
    views: dict[str, View] = {}
    for catalog in found:
        present = {
            name: names[table.schema, table.own_name] for name, table in catalog.tables.items()
        }
        for name, table in catalog.tables.items():
            tables[present[name]] = _renamed(table, present)
        for view in catalog.views.values():
            name = names[view.schema, view.own_name]
            own = other_own_name(view.own_name, name, view.schema)
            views[name] = replace(view, name=name, own=own)
    return Catalog(
        name=" and ".join(dict.fromkeys(each.name for each in found)),
        tables=tables,
        views=views,
        functions=frozenset(name for each in found for name in each.functions),
        search_paths=dict(chain.from_iterable(each.search_paths.items() for each in found)),
    )


def _renamed(table: Table, present: Mapping[str, str]) -> Table:
    """Return a table with the names that it and the tables it refers to have among all."""
    foreign = tuple(
        replace(key, table=present[key.table]) for key in table.foreign_keys if key.table in present
    )
    name = present[table.name]
    own = other_own_name(table.own_name, name, table.schema)
    return replace(table, name=name, own=own, foreign_keys=foreign)


def _refuse_twice(found: Sequence[Catalog]) -> None:
    known: dict[tuple[str, str], Catalog] = {}
    for catalog in found:
        for each in catalog.relations:
            key = (each.schema.lower(), each.own_name.lower())
            other = known.setdefault(key, catalog)
            if other is not catalog:
                where = f"{each.schema}.{each.own_name}" if each.schema else each.own_name
                raise CatalogError(
                    f"Table '{where}' is in '{other.name}' and in '{catalog.name}': leave one of "
                    "the two sources out, or read other schemas of one."
                )
