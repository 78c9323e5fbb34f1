"""Changes of stores' own tables, and of what their values mean, are told."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.store_protocol.connection import Connection
from tests.stores.live_servers import postgres
from tests.stores.own_shop import POSTGRESQL, Shop, files, rows_of
from tests.stores.test_embedded_servers import postgres as postgres_session

pytestmark = pytest.mark.stores


CHANGES = (
    "INSERT INTO own.part VALUES (1, 1)",
    "DELETE FROM own.part WHERE a = 7",
    "UPDATE own.part SET a = 8 WHERE a = 7",
)


def test_only_what_has_changed_is_read_again(own_shop: Shop):
    first = own_shop.read()
    written = files(first)
    assert files(own_shop.read()) == written
    more = "ALTER TABLE own.part ADD COLUMN more int DEFAULT 3"
    for sql in (*CHANGES[:2], "UPDATE own.part SET a = 9 WHERE a = 8", more):
        own_shop.write(sql)
        again = own_shop.read()
        assert {name for name, file in files(again).items() if file != written[name]} == {"part"}
        assert len(rows_of(again.table("part"))) == again.table("part").rows
        assert len(rows_of(again.table("part"))[0]) == len(again.table("part").columns)
        # Its fingerprint tells the stores that have a copy.
        told = {name: each.fingerprint for name, each in again.tables.items()}
        assert {n for n, each in first.tables.items() if each.fingerprint != told[n]} == {"part"}
        first, written = again, files(again)
        assert files(own_shop.read()) == written
        assert own_shop.changed(again) == ()


def test_a_change_of_one_value_is_told(own_shop: Shop):
    is_postgresql = own_shop.connection.kind == "postgresql"
    table = '"Every type"' if is_postgresql else "`Every type`"
    following = "c" if is_postgresql else "v"
    own_shop.write(f"UPDATE own.{table} SET t = 'a,bx', {following} = 'y' WHERE id = 1")
    changes = (
        *("t = 'c,bx'", "t = 'a,bx'", "f = 0.5", "d = 0.2", "n = NULL", "day = '1500-02-04'"),
        # What one text ends with is what the next begins with, and nothing else changes.
        f"t = 'a,b', {following} = 'xy'",
    )
    for change in changes:
        found = own_shop.read("Every type")
        written = files(found)
        own_shop.write(f"UPDATE own.{table} SET {change} WHERE id = 1")
        assert own_shop.changed(found) == ("Every type",), change
        assert files(own_shop.read("Every type")) != written, change


def test_labels_of_an_enumeration_are_read_again(own_shop: Shop):
    written = files(own_shop.read("Every type"))
    if own_shop.connection.kind == "postgresql":
        own_shop.write("ALTER TYPE own.mood RENAME VALUE 'ok' TO 'glad'")
    else:
        own_shop.write("ALTER TABLE own.`Every type` MODIFY e enum('a', 'C', 'B')")
    again = own_shop.read("Every type")
    assert files(again) != written
    assert ("glad" if own_shop.connection.kind == "postgresql" else "B") in rows_of(
        again.table("Every type")
    )[0]


FORMS = (
    "CREATE TYPE own.pair AS (a int, b text); CREATE TYPE own.pairs AS (one own.pair);"
    "CREATE DOMAIN own.paired AS own.pairs[];"
    "CREATE TABLE own.odd (p own.paired, m money, i int, v int GENERATED ALWAYS AS (i + 1));"
    """INSERT INTO own.odd VALUES ('{"(\\"(1,x)\\")"}', 12.5, 1);"""
    "CREATE TABLE own.named (r regclass[]); INSERT INTO own.named VALUES ('{own.one}')"
)

"""Values whose text other things than their rows decide."""


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TYPE own.pair ADD ATTRIBUTE c int",
        "ALTER TABLE own.odd ALTER COLUMN v SET EXPRESSION AS (i + 2)",
        "ALTER DATABASE postgres SET lc_monetary = 'C.UTF-8'",
    ],
)
def test_a_change_of_what_values_mean_is_told(
    embedded: Mapping[str, Connection], tmp_path: Path, change: str
):
    postgres(embedded["pg"], POSTGRESQL, FORMS)
    shop = Shop(embedded["pg"], tmp_path)
    try:
        found = shop.read("odd", "part")
        assert shop.changed(found) == ()
        shop.write(change)
        assert shop.changed(found) == ("odd",)
    finally:
        postgres(embedded["pg"], "ALTER DATABASE postgres RESET lc_monetary")
        postgres(embedded["pg"], "DROP SCHEMA own CASCADE")


def test_of_values_that_are_names_of_other_things_nothing_is_told(
    embedded: Mapping[str, Connection], tmp_path: Path
):
    postgres(embedded["pg"], POSTGRESQL, FORMS)
    shop = Shop(embedded["pg"], tmp_path)
    try:
        found = shop.read("named")
        postgres(embedded["pg"], "ALTER TABLE own.one RENAME TO first")
        assert shop.own is not None
        assert shop.own.changed(shop.connection, [found.table("named")]) == {"named": None}
        assert rows_of(found.table("named")) != rows_of(shop.read("named").table("named"))
    finally:
        postgres(embedded["pg"], "DROP SCHEMA own CASCADE")


def test_of_rows_that_are_elsewhere_or_hidden_nothing_is_told(
    embedded: Mapping[str, Connection], tmp_path: Path
):
    postgres(
        embedded["pg"],
        POSTGRESQL,
        "ALTER TABLE own.one ENABLE ROW LEVEL SECURITY",
        "ALTER TABLE own.one FORCE ROW LEVEL SECURITY",
        "CREATE POLICY all_rows ON own.one USING (true)",
        "CREATE ROLE one_reader LOGIN PASSWORD 'one'",
        "GRANT USAGE ON SCHEMA own TO one_reader",
        "GRANT SELECT ON ALL TABLES IN SCHEMA own TO one_reader",
    )
    shop = Shop(replace(embedded["pg"], user="one_reader", password="one"), tmp_path)
    try:
        found = shop.read("one", "part")
        assert shop.own is not None
        read = [found.table(each) for each in ("one", "part")]
        assert shop.own.changed(shop.connection, read) == {"one": None, "part": False}
        written = files(found)
        again = files(shop.read("one", "part"))
        assert again["one"] != written["one"]
        assert again["part"] == written["part"]
    finally:
        postgres(embedded["pg"], "DROP SCHEMA own CASCADE", "DROP ROLE one_reader")


@pytest.mark.parametrize("sql", CHANGES)
def test_a_change_of_any_row_is_told(own_shop: Shop, sql: str):
    found = own_shop.read()
    assert own_shop.changed(found) == ()
    own_shop.write(sql)
    assert own_shop.changed(found) == ("part",)


def test_a_change_that_was_under_way_when_the_rows_were_read_is_told(
    embedded: Mapping[str, Connection], tmp_path: Path
):
    postgres(embedded["pg"], POSTGRESQL)
    shop = Shop(embedded["pg"], tmp_path)
    with postgres_session(embedded["pg"], autocommit=False) as session:
        # In a subtransaction, whose number a snapshot does not list.
        session.execute("SAVEPOINT s")
        session.execute("UPDATE own.part SET a = 0 WHERE a = 7")
        session.execute("INSERT INTO own.one VALUES ('y')")
        postgres(embedded["pg"], "INSERT INTO own.nothing VALUES (1, 'later')")
        found = shop.read()
        assert shop.changed(found) == ()
        session.commit()
    assert shop.changed(found) == ("one", "part")
