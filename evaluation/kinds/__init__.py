"""Kinds of stores and their registry: one description a kind, in a file of its own.

The other registries are views of it.
"""

from collections.abc import Mapping

from evaluation.kinds.accumulo import ACCUMULO
from evaluation.kinds.duckdb import DUCKDB
from evaluation.kinds.kind import ScannedKind, SqlKind, StoreKind
from evaluation.kinds.mysql import MYSQL
from evaluation.kinds.objects import OBJECTS
from evaluation.kinds.postgresql import POSTGRESQL
from evaluation.live.live import Live
from evaluation.store_protocol.backend import Backend, JdbcBackend, ScannedBackend
from placement.stores import Capability

KINDS: Mapping[str, StoreKind] = {
    kind.name: kind for kind in (POSTGRESQL, MYSQL, DUCKDB, ACCUMULO, OBJECTS)
}
"""The word in the project file → the kind of store."""

SQL_KINDS: Mapping[str, SqlKind] = {
    name: kind for name, kind in KINDS.items() if isinstance(kind, SqlKind)
}
"""Those that run SQL."""
JDBC: Mapping[str, JdbcBackend] = {name: kind.backend for name, kind in SQL_KINDS.items()}
"""Back ends of those that run SQL."""
SCANNED: Mapping[str, ScannedBackend] = {
    name: kind.backend for name, kind in KINDS.items() if isinstance(kind, ScannedKind)
}
"""Back ends of those whose tables Spark scans."""
BACKENDS: Mapping[str, Backend] = {name: kind.backend for name, kind in KINDS.items()}
LIVE: Mapping[str, Live] = {
    name: kind.live for name, kind in KINDS.items() if kind.live is not None
}
"""Readers of the tables and statements of stores that keep some."""


def capabilities(kind: str, *, read_only: bool) -> frozenset[Capability]:
    """Return what a store of a kind is capable of; one that is only read gets no tables of ours."""
    denied = {Capability.KEY_TABLES} if read_only else set()
    return BACKENDS[kind].capabilities - denied


def most_tabled(kind: str) -> int:
    """Return how many keys of one source are loaded into a store of a kind at most."""
    return SQL_KINDS[kind].key_tables.most if kind in SQL_KINDS else 0


def in_catalogs(kind: str) -> bool:
    """Tell whether other engines have catalogs with the tables of a store of this kind."""
    return KINDS[kind].in_catalogs
