"""Copies of tables in a store that runs SQL, over an open session: what all of these do alike."""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Protocol

from evaluation.bulk import bulk
from evaluation.store_protocol.backend import LoadedTable
from evaluation.store_protocol.columns import quoted
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.failures import Failures
from evaluation.store_protocol.indexes import index_mark
from evaluation.store_protocol.register import (
    REGISTER,
    STAGING,
    Register,
    entry,
    found,
    staging_name,
)
from workloads.catalog import Table

_KEY = (
    "SELECT k.column_name FROM information_schema.table_constraints c"
    " JOIN information_schema.key_column_usage k ON k.table_schema = c.table_schema"
    " AND k.table_name = c.table_name AND k.constraint_name = c.constraint_name"
    " WHERE c.constraint_type = 'PRIMARY KEY' AND c.table_schema = %s AND c.table_name = %s"
    " ORDER BY k.ordinal_position"
)


class Execute(Protocol):
    """Runs a statement, with values to bind, and returns its rows."""

    def __call__(
        self, statement: str, values: tuple[object, ...] | None = None
    ) -> Iterable[tuple[Any, ...]]:
        """Run `statement`."""
        ...


def table_name(connection: Connection, table: str, mark: str = '"') -> str:
    """Return a table's name, qualified by the namespace, both between two of `mark`."""
    return f"{quoted(connection.namespace, mark)}.{quoted(table, mark)}"


def name_there(connection: Connection, table: Table, mark: str = '"') -> str:
    """Return the qualified name of a table in a store: its own, or that of our copy."""
    if table.origin is not None and table.origin.store == connection.store:
        return f"{quoted(table.schema, mark)}.{quoted(table.own_name, mark)}"
    return table_name(connection, table.name, mark)


@dataclass(frozen=True, slots=True, kw_only=True)
class Copies:
    """Our copies in one namespace, and their register.

    `listing` lists the tables of the namespace that is bound to it. `mark` stands around names,
    `placeholder` for a bound value. `makes_indexes` as that of the back end.
    """

    connection: Connection
    execute: Execute
    listing: str
    mark: str = '"'
    placeholder: str = "%s"
    makes_indexes: bool = True

    @property
    def register(self) -> Register:
        """The namespace's register."""
        return Register(name=self.name(REGISTER), mark=self.placeholder)

    def name(self, table: str) -> str:
        """Return the quoted, qualified name of `table`."""
        return table_name(self.connection, table, self.mark)

    def staging(self, table: Table) -> str:
        """Return the quoted, qualified name under which a copy of `table` is built."""
        return self.name(staging_name(table.name))

    def tables(self) -> frozenset[str]:
        """Return the names of the namespace's tables."""
        rows = self.execute(self.listing, (self.connection.namespace,))
        return frozenset(str(row[0]) for row in rows)

    def clean(self) -> None:
        """Create the register; drop what a load left that did not end."""
        self.execute(self.register.create)
        for name in self.tables():
            if name.startswith(STAGING):
                self.execute(f"DROP TABLE {self.name(name)}")

    def loaded(self) -> dict[str, LoadedTable]:
        """Return table → copy for every entry of the register whose table is there."""
        tables = self.tables()
        if REGISTER not in tables:
            return {}
        return dict(found(self.connection.store, self.execute(self.register.read), tables))

    def copy(self, table: Table, started: float) -> LoadedTable:
        """Return the copy that is ready; `started` is `perf_counter`'s at the load's begin."""
        load_s = perf_counter() - started
        indexes = index_mark(table) if self.makes_indexes else ""
        return LoadedTable.of(self.connection.store, table, load_s=load_s, indexes=indexes)

    def key(self, table: str) -> tuple[str, ...]:
        """Return the columns of the primary key that the copy of `table` has, in order."""
        rows = self.execute(_KEY, (self.connection.namespace, table))
        return tuple(str(row[0]) for row in rows)

    def change(self, copy: LoadedTable) -> None:
        """Let the entry of a copy that is there say what `copy` does, at one moment."""
        table, kept, _, load_s = entry(copy)
        self.execute(self.register.change, (kept, load_s, table))

    def check_staged(self, table: Table) -> None:
        """Count the staged copy; StoreError unless it has the catalog's rows."""
        count = f"SELECT count(*) FROM {self.staging(table)}"  # noqa: S608 - quoted
        ((rows,),) = self.execute(count)
        bulk.check_rows(Failures(connection=self.connection), table, rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class TransactionalCopies(Copies):
    """Copies in a store whose transactions span the making and dropping of tables.

    `transaction` is one for the length of a block; none where a load is one already.
    """

    transaction: Callable[[], AbstractContextManager[object]] = nullcontext

    def publish(self, table: Table, started: float, renaming: Iterable[str] = ()) -> LoadedTable:
        """Give the staged copy its name and its entry; `started` is `perf_counter`'s at the load.

        An older copy is there until then. The statements `renaming` give its indexes their names.
        """
        register = self.register
        copy = self.copy(table, started)
        with self.transaction():
            self.execute(f"DROP TABLE IF EXISTS {self.name(table.name)}")
            self.execute(
                f"ALTER TABLE {self.staging(table)} RENAME TO {quoted(table.name, self.mark)}"
            )
            for statement in renaming:
                self.execute(statement)
            self.execute(register.forget, (table.name,))
            self.execute(register.remember, entry(copy))
        return copy

    def drop(self, table: str) -> None:
        """Drop the copy and its entry."""
        with self.transaction():
            self.execute(f"DROP TABLE IF EXISTS {self.name(table)}")
            self.execute(self.register.forget, (table,))
