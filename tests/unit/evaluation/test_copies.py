"""Copies in stores that run SQL: the order of statements, names, and the rest of a killed load."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.register import REGISTER, STAGING, registered, staging_name
from evaluation.stores.copies import Copies, TransactionalCopies
from workloads.catalog import Table
from workloads.errors import StoreError

CONNECTION = Connection(store="shop", kind="postgresql", namespace='a"b')
TABLE = Table(name="t", columns=(), rows=3, fingerprint="f")
LISTING = "list the tables of %s"


class Session:
    """Notes its statements; answers those that read."""

    def __init__(self, *tables: str, rows: int = 3) -> None:
        self.said: list[str] = []
        self.tables = tables
        self.rows = rows

    def __call__(
        self, statement: str, values: tuple[object, ...] | None = None
    ) -> list[tuple[object, ...]]:
        if statement == LISTING:
            assert values == ('a"b',)
            return [(table,) for table in self.tables]
        if statement.startswith("SELECT count"):
            return [(self.rows,)]
        if statement.startswith("SELECT"):
            return [("t", registered("f"), 3, 1.5), ("gone", registered("g"), 1, 0.5)]
        verb = statement.split(maxsplit=1)[0]
        self.said.append(statement if values is None else f"{verb} {values[0]}")
        return []

    @contextmanager
    def transaction(self) -> Iterator[None]:
        self.said.append("BEGIN")
        yield
        self.said.append("COMMIT")


def copies(session: Session) -> TransactionalCopies:
    return TransactionalCopies(
        connection=CONNECTION, execute=session, listing=LISTING, transaction=session.transaction
    )


def test_a_copy_gets_its_name_and_then_its_entry_in_one_transaction() -> None:
    session = Session()
    copy = copies(session).publish(TABLE, 0.0)
    assert session.said == [
        "BEGIN",
        'DROP TABLE IF EXISTS "a""b"."t"',
        f'ALTER TABLE "a""b"."{staging_name("t")}" RENAME TO "t"',
        "DELETE t",
        "INSERT t",
        "COMMIT",
    ]
    assert (copy.store, copy.table, copy.fingerprint, copy.rows) == ("shop", "t", "f", 3)
    assert not copy.found


def test_a_copy_is_dropped_with_its_entry_in_one_transaction() -> None:
    session = Session()
    copies(session).drop("t")
    assert session.said == ["BEGIN", 'DROP TABLE IF EXISTS "a""b"."t"', "DELETE t", "COMMIT"]


def test_only_what_is_staged_is_cleaned_away() -> None:
    session = Session("t", f"{STAGING}old", REGISTER)
    copies(session).clean()
    created, *dropped = session.said
    assert created.startswith('CREATE TABLE IF NOT EXISTS "a""b"."_advisor_register"')
    assert dropped == [f'DROP TABLE "a""b"."{STAGING}old"']


def test_copies_are_those_whose_table_and_entry_are_there() -> None:
    assert set(copies(Session("t", "other", REGISTER)).loaded()) == {"t"}
    assert copies(Session("t")).loaded() == {}


def test_a_staged_copy_of_other_rows_is_refused() -> None:
    copies(Session(rows=3)).check_staged(TABLE)
    with pytest.raises(StoreError, match="arrived with 2 rows, 3 expected"):
        copies(Session(rows=2)).check_staged(TABLE)


def test_names_stand_between_the_store_s_own_marks() -> None:
    own = Copies(connection=CONNECTION, execute=Session(), listing=LISTING, mark="`")
    assert own.name("x`y") == '`a"b`.`x``y`'
