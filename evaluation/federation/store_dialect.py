"""The SQL of fragments in a store's dialect."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreDialect:
    """How to write for a store: sqlglot's name of its dialect and the namespace of our tables.

    `lacks` names the SQL features (`workloads.sql.features`) that are not sent to it. The tables
    of a store that is `scanned` are views of the engine.
    """

    dialect: str
    namespace: str
    lacks: frozenset[str] = frozenset()
    scanned: bool = False
