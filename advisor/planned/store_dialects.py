"""The dialects of a plan's stores, with the indexes and keys that its copies will have."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import replace

from advisor.planned.planned import Planned
from advisor.project.store_settings import StoreSettings
from evaluation.federation.store_dialect import StoreDialect
from evaluation.kinds import KINDS
from evaluation.store_protocol.indexes import index_name
from workloads.indexes import Index

_TEXTS = ("VARCHAR", "CHAR", "TEXT", "BLOB")


def dialects_of(given: Planned, having: Collection[str] = ()) -> Mapping[str, StoreDialect]:
    """Return store → its dialect, as if each had some features that it lacks."""
    return {
        store.name: replace(
            each,
            lacks=each.lacks.difference(having),
            indexes=_made(given, store),
            primary_keys=_keys(given, store, own),
        )
        for store in given.project.stores
        for own in (given.analysis.catalog.tables_of(store.name),)
        for each in (KINDS[store.kind].dialect(store.namespace, own),)
    }


def _made(given: Planned, store: StoreSettings) -> Mapping[str, frozenset[str]]:
    """Return the indexes that the plan chooses for a store which can be told of some to ignore."""
    found: dict[str, set[str]] = defaultdict(set)
    if KINDS[store.kind].indexes is not None:
        for each in given.plan.indexes.get(store.name, ()):
            table = given.analysis.catalog.table(each.table)
            found[table.name.lower()].add(index_name(table, Index(columns=each.columns)))
    return {table: frozenset(names) for table, names in found.items()}


def _keys(
    given: Planned, store: StoreSettings, own: Collection[str]
) -> Mapping[str, tuple[str, ...]]:
    """Return the primary keys that a store's copies will have, in whose order their rows lie.

    Without those with text: the server has none of these where the text has no width.
    """
    if KINDS[store.kind].primary_keys is None:
        return {}
    return {
        table.name.lower(): table.primary_key
        for table in given.analysis.catalog.tables.values()
        if table.primary_key
        and table.name not in own
        and not any(table.type_of(each).startswith(_TEXTS) for each in table.primary_key)
    }
