"""The SQL of fragments in a store's dialect."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from workloads.catalog import Table

Rule = Callable[[exp.Query], exp.Query]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreDialect:
    """Spelling for a store: sqlglot's name of its dialect and the namespace of our tables.

    `lacks` names the SQL features (`workloads.sql.features`) that are not sent to it. `rules` make
    a fragment mean the same there, after it is cut. The tables of a store that is `scanned` are
    views of the engine. `own` are tables that the store has by itself, by their names in the
    catalog. One that is `told_to_hash` joins through indexes unless a hint forbids it. `indexes`
    are those that we made on its copies, table → names, where a statement can be told to leave some
    alone. `primary_keys` are those of its copies whose rows lie in their order, table → columns,
    where a statement can be told to read by them. Tables are in lower case in both.
    """

    dialect: str
    namespace: str
    lacks: frozenset[str] = frozenset()
    rules: tuple[Rule, ...] = ()
    scanned: bool = False
    own: Mapping[str, Table] = field(default_factory=dict)
    told_to_hash: bool = False
    indexes: Mapping[str, frozenset[str]] = field(default_factory=dict)
    primary_keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
