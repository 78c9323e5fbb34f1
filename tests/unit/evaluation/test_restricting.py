"""Fragments restricted to more keys than a statement holds: what is asked of the store then."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from threading import Barrier, BrokenBarrierError
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from evaluation.federation.compiled import CompiledFragment
from evaluation.federation.keys import KeyFilter, KeySource
from evaluation.federation.portions import Ranged
from evaluation.federation.sent_keys import MOST_SENT, restricted
from evaluation.kinds import SQL_KINDS
from evaluation.running.found_keys import listed
from evaluation.running.restricting import LoadedKeys, with_keys
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.key_tables import KeyTable
from placement.fragments.tabled_reducers import ROWS_A_KEY
from tests.spark.runtime_queries import compiled
from workloads.errors import StoreError

ROWS = 6 * MOST_SENT
MANY = pa.array(range(0, 2 * (MOST_SENT + 1), 2))
SOURCE = KeySource(view="fragment_1", column="k", store="pg")
DUCK = Connection(store="duck", kind="duckdb", path=Path("never/opened"))


def fragment(*columns: str, store: str = "duck", operator: Any = "IN") -> CompiledFragment:
    """A fragment of the table t whose `columns` are compared with the keys of SOURCE."""
    (plain,) = compiled({store: "SELECT * FROM t"}).fragments
    keys = tuple(
        KeyFilter(column=each, quoted=f'"{each}"', source=SOURCE, operator=operator)
        for each in columns
    )
    return replace(plain, keys=keys, read_rows=ROWS)


def tables(*connections: Connection) -> LoadedKeys:
    return LoadedKeys(connections={each.store: each for each in connections}, run="run")


def test_few_keys_are_in_the_statement_as_ever():
    few = pa.array([3, 1])
    sent = with_keys(fragment("k"), {SOURCE: few}, tables(DUCK))
    assert sent.sql == restricted("SELECT * FROM t", [('"k"', [1, 3])])
    assert sent.common == ""


def test_each_statement_of_a_divided_fragment_has_the_keys():
    key = Ranged(
        column="h", low=0, high=9, rows=1e6, by_key=True, hidden="h", sql="SELECT h FROM t"
    )
    divided = replace(fragment("k"), ranged=key)
    sent = with_keys(divided, {SOURCE: pa.array([3, 1])}, tables(DUCK))
    assert sent.ranged is not None
    assert sent.ranged.sql == restricted("SELECT h FROM t", [('"k"', [1, 3])])
    assert sent.sql == restricted("SELECT * FROM t", [('"k"', [1, 3])])
    # Many keys are a table, which is asked for once.
    assert with_keys(divided, {SOURCE: MANY}, tables(DUCK)).ranged is None


def test_keys_in_a_table_are_asked_for_by_one_statement(monkeypatch: pytest.MonkeyPatch):
    maria = Connection(store="maria", kind="mysql")
    loaded = KeyTable(select="SELECT k FROM loaded")
    monkeypatch.setattr(SQL_KINDS["mysql"].key_tables, "load", lambda *_: loaded)
    ranged = Ranged(column="h", low=0, high=9, rows=1e6, by_key=True, sql="SELECT h FROM t")
    divided = replace(fragment("k", store="maria"), ranged=ranged)
    assert with_keys(divided, {SOURCE: MANY}, tables(maria)).ranged is None
    few = with_keys(divided, {SOURCE: pa.array([1])}, tables(maria)).ranged
    assert few is not None
    # By another column each statement reads the whole table anyway.
    other = replace(divided, ranged=replace(ranged, by_key=False, sql=""))
    assert with_keys(other, {SOURCE: MANY}, tables(maria)).ranged is not None


DAYS = [date(1900, 1, 1) + timedelta(days=each) for each in range(0, 2 * (MOST_SENT + 1), 2)]


@pytest.mark.parametrize(
    ("type_", "keys", "value"),
    [
        ("BIGINT", MANY, "i"),
        ("INTEGER", pa.array([-each for each in MANY.to_pylist()]), "-i"),
        ("DATE", pa.array(DAYS), "DATE '1900-01-01' + i::INT"),
    ],
    ids=["numbers", "below zero", "days"],
)
def test_many_keys_let_the_same_rows_through_as_their_list(type_: str, keys: pa.Array, value: str):
    sent = with_keys(fragment("k"), {SOURCE: keys}, tables(DUCK))
    with duckdb.connect() as session:
        session.execute(
            f"CREATE TABLE t AS SELECT CAST({value} AS {type_}) AS k FROM range({ROWS}) AS r(i) "
            "UNION ALL VALUES (NULL)"
        )
        as_list = restricted("SELECT * FROM t", [('"k"', listed(keys))])
        wanted = session.execute(f"SELECT count(*), sum(hash(k)) FROM ({as_list})").fetchall()
        asked = f"WITH {sent.common} SELECT count(*), sum(hash(k)) FROM ({sent.sql})"
        assert session.execute(asked).fetchall() == wanted
    assert wanted[0][0] == len(keys)


def test_two_columns_that_are_compared_with_one_source_have_one_table():
    sent = with_keys(fragment("k", "l"), {SOURCE: MANY}, tables(DUCK))
    assert sent.common.count("unnest") == 1
    assert sent.sql.count(" IN (SELECT ") == 2


def test_many_keys_without_gaps_are_a_range():
    sent = with_keys(fragment("k"), {SOURCE: pa.array(range(10**6))}, tables(DUCK))
    assert sent.sql.endswith(' WHERE k."k" BETWEEN 0 AND 999999')
    assert sent.common == ""


@pytest.mark.parametrize(
    ("connection", "keys", "options"),
    [
        (replace(DUCK, read_only=True), MANY, {}),
        (Connection(store="duck", kind="accumulo"), MANY, {}),
        (DUCK, MANY, {"read_rows": round(ROWS_A_KEY * len(MANY)) - 1}),
        (DUCK, MANY.cast(pa.float64()), {}),
        (DUCK, MANY.cast(pa.string()), {}),
    ],
    ids=["read only", "without SQL", "too many for the rows", "floating", "text"],
)
def test_what_is_not_loaded_is_read_whole(
    connection: Connection, keys: pa.Array, options: dict[str, int]
):
    plain = replace(fragment("k"), **options)
    sent = with_keys(plain, {SOURCE: keys}, tables(connection))
    assert (sent.sql, sent.common) == (plain.sql, "")


def test_a_bound_is_not_loaded():
    plain = fragment("k", operator=">=")
    assert with_keys(plain, {SOURCE: MANY}, tables(DUCK)).sql == plain.sql


class Tables:
    """Tables of a kind of store that are remembered; the `silent` answer no more."""

    most = len(MANY)

    def __init__(self) -> None:
        self.there: list[str] = []
        self.silent = False

    def load(self, _: Connection, name: str, keys: pa.Array, run: str) -> KeyTable:
        assert (len(keys), run) == (len(MANY), "run")
        self.there.append(name)
        return KeyTable(select=f"SELECT k FROM {name}")

    def drop(self, connection: Connection, name: str) -> None:
        if self.silent:
            raise StoreError(connection.store, "it does not answer.")
        self.there.remove(name)


def loads(monkeypatch: pytest.MonkeyPatch) -> Tables:
    kept = Tables()
    kind = replace(SQL_KINDS["duckdb"], key_tables=kept)
    monkeypatch.setattr("evaluation.running.restricting.SQL_KINDS", {"duckdb": kind})
    return kept


def test_what_a_query_loads_has_the_same_name_each_time_and_is_dropped(
    monkeypatch: pytest.MonkeyPatch,
):
    kept, loaded = loads(monkeypatch), tables(DUCK)
    asked = []
    for _ in range(2):
        asked.append(with_keys(fragment("k"), {SOURCE: MANY}, loaded).sql)
        assert len(kept.there) == 1
        loaded.drop()
        assert kept.there == []
    assert asked[0] == asked[1]


def test_what_cannot_be_dropped_is_dropped_the_next_time(monkeypatch: pytest.MonkeyPatch):
    kept, loaded = loads(monkeypatch), tables(DUCK)
    with_keys(fragment("k"), {SOURCE: MANY}, loaded)
    kept.silent = True
    loaded.drop()
    kept.silent = False
    loaded.drop()
    assert kept.there == []


def test_more_keys_than_the_kind_takes_are_not_loaded(monkeypatch: pytest.MonkeyPatch):
    kept = loads(monkeypatch)
    monkeypatch.setattr(kept, "most", len(MANY) - 1)
    plain = fragment("k")
    assert with_keys(plain, {SOURCE: MANY}, tables(DUCK)).sql == plain.sql
    assert kept.there == []


def test_stores_have_tables_of_their_own(monkeypatch: pytest.MonkeyPatch):
    kept = loads(monkeypatch)
    loaded = tables(DUCK, replace(DUCK, store="other"))
    for each in (fragment("k", store="duck"), fragment("k", store="other")):
        with_keys(each, {SOURCE: MANY}, loaded)
    assert len(set(kept.there)) == 2


def test_fragments_that_need_the_same_keys_load_them_once(monkeypatch: pytest.MonkeyPatch):
    made: list[str] = []
    begun = Barrier(2, timeout=5)

    def load(_: Connection, name: str, *__: object) -> KeyTable:
        made.append(name)
        # Nobody loads it again while it is read.
        with suppress(BrokenBarrierError):
            begun.wait(0.2)
        return KeyTable(select=f"SELECT k FROM {name}")

    maria = Connection(store="maria", kind="mysql")
    monkeypatch.setattr(SQL_KINDS["mysql"].key_tables, "load", load)
    monkeypatch.setattr(SQL_KINDS["mysql"].key_tables, "drop", lambda *_: None)
    asked, loaded = fragment("k", store="maria"), tables(maria)
    with ThreadPoolExecutor(2) as pool:
        for number in (1, 2):
            sent = list(pool.map(lambda _: with_keys(asked, {SOURCE: MANY}, loaded), range(2)))
            assert len(made) == number
            assert all(made[0] in each.sql for each in sent)
            # The next query has keys of its own.
            loaded.drop()
