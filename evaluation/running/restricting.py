"""Fragments that are restricted to keys: in their statement, or by a table in their store."""

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import TYPE_CHECKING

from evaluation.federation.compiled import CompiledFragment
from evaluation.federation.keys import KeyFilter, KeySource
from evaluation.federation.sent_keys import between, can_be_sent, found_by, restricted
from evaluation.kinds import SQL_KINDS
from evaluation.running.found_keys import are_few, listed, loadable, ranges
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.key_tables import KeyTable
from evaluation.store_protocol.patience import go_on
from evaluation.store_protocol.register import STAGING
from placement.fragments.tabled_reducers import ROWS_A_KEY
from workloads.errors import StoreError

if TYPE_CHECKING:
    import pyarrow as pa

Keys = Mapping[KeySource, "pa.Array"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedKeys:
    """The tables of keys that one run has in the stores of `connections`.

    A name is that of the run and of where the keys come from: it is the same each time that a query
    is run, so that the engine knows the columns of its statements. Until they are dropped a table
    is loaded once, whichever fragments ask for it.
    """

    connections: Mapping[str, Connection]
    run: str
    _there: dict[tuple[str, str], None] = field(default_factory=dict)
    _loaded: dict[tuple[str, str], KeyTable] = field(default_factory=dict)
    _loading: dict[tuple[str, str], Lock] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def most(self, store: str) -> int:
        """Return how many keys a store takes at most: none where it may have no tables of ours."""
        connection = self.connections[store]
        if connection.kind not in SQL_KINDS or connection.read_only:
            return 0
        return SQL_KINDS[connection.kind].key_tables.most

    def load(self, store: str, source: KeySource, keys: "pa.Array") -> KeyTable:
        """Load the keys of a source into a store, where they are not yet.

        Raises:
            StoreError: The store cannot be reached, or does not take them.
            SilentError: The query was interrupted.
        """
        connection, name = self.connections[store], self._name(store, source)
        with self._lock:
            self._there[store, name] = None
            loading = self._loading.setdefault((store, name), Lock())
        with loading:
            go_on()
            if (found := self._loaded.get((store, name))) is None:
                tables = SQL_KINDS[connection.kind].key_tables
                found = tables.load(connection, name, keys, self.run)
                with self._lock:
                    # Dropped meanwhile, as the query has ended, it is no other query's.
                    if self._loading.get((store, name)) is loading:
                        self._loaded[store, name] = found
            return found

    def drop(self) -> None:
        """Drop the tables. One whose store does not answer now is dropped the next time.

        What a run leaves is dropped with staging tables, when the namespace is prepared.
        """
        with self._lock:
            there = list(self._there)
            self._loaded.clear()
            self._loading.clear()
        for store, name in there:
            connection = self.connections[store]
            with suppress(StoreError):
                SQL_KINDS[connection.kind].key_tables.drop(connection, name)
                with self._lock:
                    self._there.pop((store, name), None)

    def _name(self, store: str, source: KeySource) -> str:
        told = repr((self.run, store, source)).encode()
        return f"{STAGING}keys_{hashlib.sha256(told).hexdigest()[:12]}"


def with_keys(fragment: CompiledFragment, keys: Keys, tables: LoadedKeys) -> CompiledFragment:
    """Return a fragment that is restricted to the keys, of which many are loaded into its store.

    Raises:
        StoreError: The store cannot be reached, or does not take them.
    """
    made: dict[KeySource, KeyTable] = {}
    others: list[str] = []
    for key in fragment.keys:
        values = keys[key.source]
        if are_few(values) or key.operator != "IN" or (many := loadable(values)) is None:
            continue
        if found := ranges(many):
            others.append(between(key.quoted, found))
        elif len(many) <= tables.most(fragment.store) and _are_worth_loading(many, fragment):
            if key.source not in made:
                made[key.source] = tables.load(fragment.store, key.source, many)
            others.append(found_by(key.quoted, made[key.source].select))
    sql = restricted_to_few(fragment.sql, fragment.keys, keys, others)
    common = ", ".join(each.common for each in made.values() if each.common)
    ranged = fragment.ranged
    if common or (made and ranged is not None and ranged.by_key):
        # Each range of a column would ask for the keys anew.
        ranged = None
    if ranged is not None and ranged.sql:
        divided = restricted_to_few(ranged.sql, fragment.keys, keys, others)
        ranged = replace(ranged, sql=divided)
    return replace(fragment, sql=sql, common=common, ranged=ranged)


def _are_worth_loading(keys: "pa.Array", fragment: CompiledFragment) -> bool:
    """Whether so many keys may drop enough rows; more may be found than were predicted."""
    return ROWS_A_KEY * len(keys) <= fragment.read_rows


def restricted_to_few(
    sql: str, keys: Sequence[KeyFilter], values: Keys, others: Sequence[str] = ()
) -> str:
    """Return SQL restricted to the keys, but for those that are too many or cannot be sent.

    `others` are further conditions.
    """
    few = [(key, listed(values[key.source])) for key in keys if are_few(values[key.source])]
    sent = [(key, found) for key, found in few if can_be_sent(found)]
    if not sent and not others:
        return sql
    return restricted(
        sql,
        [(key.quoted, found) for key, found in sent if key.operator == "IN"],
        [(key.quoted, key.operator, found) for key, found in sent if key.operator != "IN"],
        others,
    )
