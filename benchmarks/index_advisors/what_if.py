"""PostgreSQL's own estimate of statements with indexes that are not there, by HypoPG."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import psycopg

from evaluation.store_protocol.columns import quoted
from workloads.errors import StoreError
from workloads.indexes import NamedIndex

Session = psycopg.Connection[tuple[Any, ...]]
Indexes = frozenset[NamedIndex]

DISABLED_COST = 1e10
"""Cost that PostgreSQL before 18 adds for a nested loop that is off but the only way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """The total cost of a statement's plan, in the server's unit, and the trial indexes in it."""

    cost: float
    used: Indexes


@dataclass(slots=True, kw_only=True)
class WhatIf:
    """Estimates of statements, each asked for once: `statements` and `tables` are by query.

    `without_loops` says that the session has nested loops off.
    """

    session: Session
    statements: Mapping[str, str]
    tables: Mapping[str, Collection[str]]
    without_loops: bool
    names: dict[str, NamedIndex] = field(default_factory=dict)
    there: Indexes = frozenset()
    known: dict[tuple[str, Indexes], Estimate] = field(default_factory=dict)

    def estimate(self, query: str, indexes: Indexes) -> Estimate:
        """Return the estimate of a query as if there were these indexes beside the real ones."""
        of_it = self._of(query, indexes)
        if (query, of_it) not in self.known:
            if self._of(query, self.there) != of_it:
                self._try(indexes)
            self.known[query, of_it] = self._explained(query)
        return self.known[query, of_it]

    def _of(self, query: str, indexes: Indexes) -> Indexes:
        return frozenset(each for each in indexes if each.table in self.tables[query])

    def _try(self, indexes: Indexes) -> None:
        self.session.execute("SELECT hypopg_reset()")
        self.names = {}
        for each in sorted(indexes):
            (found,) = self.session.execute(
                "SELECT indexname FROM hypopg_create_index(%s)", (index_statement(each),)
            ).fetchall()
            self.names[found[0]] = each
        self.there = indexes

    def _explained(self, query: str) -> Estimate:
        asked = f"EXPLAIN (FORMAT JSON) {self.statements[query]}"
        ((told,),) = self.session.execute(asked.encode()).fetchall()
        plan = told[0]["Plan"]
        cost = plan["Total Cost"]
        if self.without_loops:
            cost %= DISABLED_COST
        used = frozenset(self.names[name] for name in _index_names(plan) if name in self.names)
        return Estimate(cost=cost, used=used)


def what_if(
    session: Session, statements: Mapping[str, str], tables: Mapping[str, Collection[str]]
) -> WhatIf:
    """Return estimates by a session, on whose search path the tables are.

    Raises:
        StoreError: The server has no HypoPG.
    """
    try:
        session.execute("CREATE EXTENSION IF NOT EXISTS hypopg SCHEMA public")
    except psycopg.Error as error:
        raise StoreError(
            "pg", f"has no HypoPG ({error}): install it, on Debian as postgresql-15-hypopg."
        ) from None
    path = _shown(session, "search_path")
    session.execute(f"SET search_path = {path}, public".encode())
    return estimates(session, statements, tables)


def estimates(
    session: Session, statements: Mapping[str, str], tables: Mapping[str, Collection[str]]
) -> WhatIf:
    """Return estimates with the indexes that are there now; of trial ones it needs `what_if`."""
    return WhatIf(
        session=session,
        statements=statements,
        tables=tables,
        without_loops=_shown(session, "enable_nestloop") == "off",
    )


def _shown(session: Session, setting: str) -> str:
    ((value,),) = session.execute(f"SHOW {setting}".encode()).fetchall()
    return str(value)


def index_statement(index: NamedIndex) -> str:
    columns = ", ".join(map(quoted, index.columns))
    return f"CREATE INDEX ON {quoted(index.table)} ({columns})"


def _index_names(plan: Mapping[str, Any]) -> Iterator[str]:
    if "Index Name" in plan:
        yield plan["Index Name"]
    for each in plan.get("Plans", ()):
        yield from _index_names(each)
