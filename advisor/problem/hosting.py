"""The stores that statements are passed through to, each whole to a server of its own dialect."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass

from advisor.analysis.analysis import Analysis
from advisor.analysis.index_notes import unindexed_store_notes
from advisor.analysis.live_tables import tables_read
from advisor.analysis.period_notes import period_notes
from advisor.analysis.told_notes import tell_notes
from advisor.figures import counted
from advisor.project.constraints import current_of, excluded_of, merged, pinned_of, unheld_of
from advisor.project.project import Project
from advisor.project.staying import live_tables, staying_of
from advisor.project.store_settings import StoreSettings
from evaluation.kinds import BACKENDS
from workloads.catalog import Catalog
from workloads.copied_indexes import copies_bytes, copy_bytes
from workloads.pass_through import PassThrough

_NAMED = 5
_NAMED_OF_TABLES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Hosting:
    """`stores` maps a passed-through statement to its store, `unhosted` to why it has none."""

    stores: Mapping[str, str]
    unhosted: Mapping[str, str]

    def tables(self, analysis: Analysis) -> Mapping[str, Mapping[str, str]]:
        """Return table → store that must hold it → which statements are passed through to it."""
        found: dict[str, dict[str, list[str]]] = {}
        for each in analysis.passed_through:
            if (store := self.stores.get(each.query.name)) is not None:
                for table in each.tables:
                    found.setdefault(table, {}).setdefault(store, []).append(each.query.name)
        return {
            table: {store: _names(names, _NAMED_OF_TABLES) for store, names in stores.items()}
            for table, stores in found.items()
        }

    def notes(self, analysis: Analysis) -> Iterator[str]:
        """Yield a sentence for each store, and for each reason why there is none."""
        for store in dict.fromkeys(self.stores.values()):
            names = [name for name, held in self.stores.items() if held == store]
            tables = sorted(
                {t for each in analysis.passed_through if each.query.name in names
                 for t in each.tables}
            )  # fmt: skip
            yield (
                f"Passed through to store '{store}' whole: {_names(names)}. So the tables that "
                f"they read are pinned to it: {_names(tables)}. Their seconds are the same on "
                "every placement, and no part of its seconds."
            )
        for why in dict.fromkeys(self.unhosted.values()):
            names = [name for name, reason in self.unhosted.items() if reason == why]
            yield (
                f"{counted(len(names), 'statement')} can be run by no store of the project: "
                f"{_names(names)} ({why}). Keep what they read where it is now, beside any copies."
            )


def hosting(project: Project, analysis: Analysis) -> Hosting:
    """Choose the store of each passed-through statement.

    Of the stores whose servers have its dialect and may hold all its tables, that is the one which
    has most of them now, and else the first that the project names. Where they do not all fit, the
    statements that are run most go first.
    """
    rooms = _Rooms(project, analysis)
    tables = {name: copy_bytes(each) for name, each in analysis.catalog.tables.items()}
    there = current_of(project, tables, live_tables(analysis.catalog))
    stores: dict[str, str] = {}
    unhosted: dict[str, str] = {}
    most_run = sorted(analysis.passed_through, key=lambda each: -each.footprint.executions)
    for each in most_run:
        able = [store.name for store in project.stores if speaks(store, each)]
        able = [name for name in able if _has_originals(analysis.catalog, each, name)]
        free = [name for name in able if rooms.may_hold(each.tables, name)]
        fitting = [name for name in free if rooms.have_room(each.tables, name)]
        if each.uncopied and not able:
            unhosted[each.query.name] = f"no copy has {', '.join(each.uncopied)}"
        elif fitting:
            store = max(fitting, key=lambda name: _held(there, each, name))
            stores[each.query.name] = store
            rooms.take(each.tables, store)
        elif free:
            unhosted[each.query.name] = f"its tables do not fit into {' or '.join(free)}"
        elif able:
            unhosted[each.query.name] = (
                f"its tables may not be in {' or '.join(able)}, by [constraints] or their values"
            )
        elif each.alone and not each.incomparable:
            unhosted[each.query.name] = f"no store has the originals of {', '.join(each.alone)}"
        else:
            unhosted[each.query.name] = f"none of the stores is {each.server}"
    return Hosting(stores=stores, unhosted=unhosted)


def speaks(store: StoreSettings, statement: PassThrough) -> bool:
    """Tell whether a store's servers have the SQL of a statement."""
    return BACKENDS[store.kind].dialect == statement.dialect


def tell_all_notes(project: Project, analysis: Analysis, tell: Callable[[str], None]) -> None:
    """Tell the notes on an analysis, on its passed-through statements and on stores.

    See `tell_notes`.
    """
    more = (
        *period_notes(project),
        *hosting(project, analysis).notes(analysis),
        *unindexed_store_notes(project, analysis),
    )
    tell_notes(project, analysis, tell, more)


def _has_originals(catalog: Catalog, statement: PassThrough, store: str) -> bool:
    """Tell whether a store has those tables by itself of which no copy has the answer.

    These are all tables of a statement with columns that no copy has. Another one that is not run
    may be with any.
    """
    own = catalog.tables_of(store)
    if statement.uncopied:
        return statement.tables <= own.keys()
    return bool(statement.incomparable) or all(name in own for name in statement.alone)


class _Rooms:
    """Tables that may be in the stores, and the room that pins leave there."""

    def __init__(self, project: Project, analysis: Analysis) -> None:
        catalog = analysis.catalog
        self._bytes = {name: copy_bytes(each) for name, each in catalog.tables.items()}
        self._most = project.place.max_copies
        self._exclude = excluded_of(project, catalog.tables, unheld_of(project, catalog))
        staying = staying_of(project, catalog, tables_read(analysis))
        self._pin = dict(merged(catalog.tables, pinned_of(project, catalog.tables), staying))
        self._capacities = project.capacities_bytes(copies_bytes(catalog))
        self._taken = {
            store.name: {table for table, pinned in self._pin.items() if store.name in pinned}
            for store in project.stores
        }

    def may_hold(self, tables: Collection[str], store: str) -> bool:
        """Tell whether no exclusion, and no pin that leaves no further copy, keeps them out."""
        return not any(
            store in self._exclude.get(table, frozenset())
            or (store not in (pinned := self._pin.get(table, ())) and len(pinned) >= self._most)
            for table in tables
        )

    def have_room(self, tables: Collection[str], store: str) -> bool:
        """Tell whether they fit beside what is pinned there already."""
        capacity = self._capacities[store]
        held = self._taken[store].union(tables)
        return capacity is None or sum(self._bytes[table] for table in held) <= capacity

    def take(self, tables: Collection[str], store: str) -> None:
        """Take them for pinned to the store."""
        self._taken[store].update(tables)
        for table in tables:
            self._pin[table] = self._pin.get(table, frozenset()) | {store}


def _held(there: Mapping[str, Collection[str]], statement: PassThrough, store: str) -> int:
    return sum(store in there.get(table, ()) for table in statement.tables)


def _names(names: list[str], most: int = _NAMED) -> str:
    others = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + others
