"""The description of a kind of store. One file a kind, listed in `KINDS`."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from evaluation.checks.check import Check
from evaluation.federation.store_dialect import Rule, StoreDialect
from evaluation.live.live import Live
from evaluation.live.own_tables import OwnTables
from evaluation.server_settings.settings import ServerSettings
from evaluation.servers.server import Server
from evaluation.store_protocol.backend import Backend, JdbcBackend, ScannedBackend
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.key_tables import KeyTables
from evaluation.store_protocol.tls import TlsMode
from evaluation.stores.table_sql import TableSql
from evaluation.surveys.survey import Surveyor
from placement.memory.join import StoreJoins
from placement.stores import Strength
from workloads.catalog import Table
from workloads.errors import StoreError

NONE: Mapping[str, Table] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Keys of a project file that say where a store is: a server's port and database, or a file.

    `port` and `database` are a server's unless others are given. `options` maps the names of the
    kind's own options to the values that each may have. One that `has_nodes` has some of their
    addresses, or how many there are if it is embedded.
    """

    port: int | None = None
    database: str | None = None
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    has_nodes: bool = False

    @property
    def is_file(self) -> bool:
        """Whether the store is a file and no server."""
        return self.port is None and not self.has_nodes

    @property
    def key(self) -> str:
        """The key that says where the store is."""
        if self.has_nodes:
            return "nodes"
        return "path" if self.is_file else "host"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrinoTls:
    """Parameters of the JDBC URLs of a connector of Trino's: those of each mode that it has.

    `ca` is the name of the one with the authority's file, None where the driver reads no PEM.
    """

    modes: Mapping[TlsMode, str] = field(default_factory=dict)
    ca: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """A product that is a store of the kind: MariaDB and MySQL speak one protocol.

    `embedded` is how we run it ourselves, None where we cannot. `strength` are its rates until it
    is calibrated. `trino` is the name of Trino's connector for it, which its JDBC URLs have too;
    None where Trino has none. `trino_tls` is how that is told of TLS. `trino_options` are the
    settings of a connector of ours, beside its name, without the password. One that is
    `told_to_hash` joins through indexes unless a hint forbids it.
    """

    strength: Strength
    embedded: Server | None = None
    trino: str | None = None
    trino_tls: TrinoTls = TrinoTls()
    trino_options: Callable[[Connection], Mapping[str, str]] | None = None
    told_to_hash: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreKind:
    """All that the advisor knows of a kind of store: a `SqlKind` or a `ScannedKind`.

    - `backend` logs in, loads and lists. It has the name, the dialect and what the model needs.
    - `address` are the keys of the project file that say where a store is.
    - `products` are what a store of the kind may be, by name; the first unless another is named.
      `answering_product` asks a store which of them it is, within seconds and with StoreError
      where it is not there; None where there is one alone.
    - `rules` make a fragment mean the same in its dialect, after it is cut.
    - `settings` asks a store for what it is set to; StoreError where it does not answer.
    - `indexes` asks a store for those that we made on its copies, table → names, where a statement
      can be told to leave some alone; StoreError where it does not answer.
    - `primary_keys` asks a store for those of its copies whose rows lie in their order, table →
      columns, where a statement can be told to read by them; StoreError where it does not answer.
    - `encryption` logs in and tells by which protocol that is encrypted, None where it is in clear
      text; StoreError where it fails. A kind without it is not reached over TLS.
    - `check` asks what it lacks for a project's uses; None where a login says it all.
    - `live` reads tables and statements that a store has; None where it keeps none.
    - `own` reads such tables where they are; None where only copies of ours are read.
    - `survey` asks what a new project file names; None where a store is not begun with.
    - `in_catalogs` tells whether Spark and Trino have catalogs with the tables of such a store.
    """

    backend: Backend
    address: Address
    products: Mapping[str, Product]
    answering_product: Callable[[Connection], str] | None = None
    rules: tuple[Rule, ...]
    settings: Callable[[Connection], ServerSettings]
    indexes: Callable[[Connection], Mapping[str, frozenset[str]]] | None = None
    primary_keys: Callable[[Connection], Mapping[str, tuple[str, ...]]] | None = None
    encryption: Callable[[Connection], str | None] | None = None
    check: Check | None = None
    live: Live | None = None
    own: OwnTables | None = None
    survey: Surveyor | None = None
    in_catalogs: bool = True

    @property
    def name(self) -> str:
        """The word in the project file."""
        return self.backend.kind

    @property
    def others(self) -> Mapping[str, Product]:
        """The products that a store is only if they are named."""
        return dict(tuple(self.products.items())[1:])

    def product(self, name: str | None) -> Product:
        """Return a product by its name, the first for None."""
        return next(iter(self.products.values())) if name is None else self.products[name]

    def answering(self, connection: Connection) -> Product:
        """Return what a store says it is; StoreError where it has to be asked and is not there."""
        ask = self.answering_product
        return self.product(None if ask is None else ask(connection))

    def dialect_for(self, connection: Connection, own: Mapping[str, Table] = NONE) -> StoreDialect:
        """Return how to write for the store of `connection`, which is asked what it is and has.

        One that does not answer is written for as any of its kind.
        """
        found = self.dialect(connection.namespace, own)
        with suppress(StoreError):
            told_to_hash = self.answering(connection).told_to_hash
            indexes = found.indexes if self.indexes is None else self.indexes(connection)
            asked = self.primary_keys
            keys = found.primary_keys if asked is None else asked(connection)
            users = {name.lower() for name in own}
            copies = {table: key for table, key in keys.items() if table not in users}
            found = replace(found, told_to_hash=told_to_hash, indexes=indexes, primary_keys=copies)
        return found

    def dialect(self, namespace: str, own: Mapping[str, Table] = NONE) -> StoreDialect:
        """Return how to write fragments for a store whose tables are in `namespace`.

        `own` are those that it has by itself, by their names in the catalog.
        """
        return StoreDialect(
            dialect=self.backend.dialect,
            namespace=namespace,
            own=own,
            lacks=self.backend.lacks,
            rules=self.rules,
            scanned=isinstance(self, ScannedKind),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionMemory:
    """The working memory of a session, a setting of its own.

    `known` asks a server for the bytes that its sessions have by themselves, and for how it joins,
    but for the seconds of its steps; StoreError. `options` are those of our JDBC options that
    differ in a session with so many bytes.
    """

    known: Callable[[Connection], tuple[int, StoreJoins]]
    options: Callable[[Mapping[str, str], int], Mapping[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SqlKind(StoreKind):
    """A kind that runs SQL.

    - `table_sql` is how it writes the statements of a migration.
    - `key_tables` has keys of which a statement holds too many.
    - `memory` is the memory of a session's hash joins; None where it has no such setting.
    """

    backend: JdbcBackend
    table_sql: TableSql
    key_tables: KeyTables
    memory: SessionMemory | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScannedKind(StoreKind):
    """A kind that runs no SQL: Spark scans its tables."""

    backend: ScannedBackend
