"""Relations over stores are made once, and read by frames of their own."""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pytest

from evaluation.federation.compiled import CompiledFragment
from evaluation.running.relations import JdbcSource, Relations, _scanned, no_options
from evaluation.running.typed_frames import Shape
from evaluation.store_protocol.backend import Scan
from evaluation.stores.postgresql.backend import PostgreSQL
from evaluation.stores.postgresql.values import CARRIED
from placement.transfer.bounds import MOST_MESSAGE
from placement.transfer.link import TransferSettings
from tests.spark.runtime_queries import compiled


def fragment() -> CompiledFragment:
    return compiled({"pg": "SELECT 1 AS n"}).fragments[0]


class Frame:
    """A relation of Spark's; `select` gives a new frame over it."""

    columns = ("n",)

    def select(self, _: str) -> "Frame":
        return Frame()

    @property
    def dtypes(self) -> list[tuple[str, str]]:
        return [("n", "bigint")]


class Reader:
    """Spark's reader: remembers the options of every relation that it makes."""

    def __init__(self) -> None:
        self.made: list[dict[str, str]] = []
        self.asked: list[str] = []

    def sql(self, text: str) -> Frame:
        self.asked.append(text)
        return Frame()

    @property
    def read(self) -> "Reader":
        return self

    def format(self, _: str) -> "Reader":
        return self

    def options(self, **options: str) -> "Reader":
        self.made.append(options)
        return self

    def load(self) -> Frame:
        return Frame()


@pytest.fixture
def spark() -> Any:
    return Reader()


def relations(spark: Any) -> Relations:
    sources = {
        "pg": JdbcSource(options={"fetchsize": "10"}, carried=CARRIED, few_rows={"fetchsize": "0"}),
        "duck": JdbcSource(options={"fetchsize": "10"}, carried=CARRIED),
    }
    return Relations(spark, sources)


def test_a_store_is_asked_once_for_the_columns_of_a_statement(spark: Any):
    of = relations(spark)
    one, other = (of.frame("pg", "SELECT 1", "f", few=False) for _ in range(2))
    assert one is not other
    assert spark.made == [{"fetchsize": "10", "dbtable": "(SELECT 1) f"}]


def test_few_rows_are_fetched_by_options_of_their_own(spark: Any):
    of = relations(spark)
    for few in (True, False):
        of.frame("pg", "SELECT 1", "f", few=few)
    assert [each["fetchsize"] for each in spark.made] == ["0", "10"]


def test_a_result_with_settings_of_its_own_is_fetched_with_them(spark: Any):
    source = JdbcSource(
        options={"fetchsize": "10"},
        carried=CARRIED,
        few_rows={"fetchsize": "0"},
        transfer_options=PostgreSQL().transfer_options,
    )
    of = Relations(spark, {"pg": source})
    for rows, message in ((7, 4_096), (9, MOST_MESSAGE)):
        transfer = TransferSettings(fetch_rows=rows, message_bytes=message)
        of.frame("pg", "SELECT 1", "f", few=True, transfer=transfer)
    made = [{key: each[key] for key in each if key != "dbtable"} for each in spark.made]
    assert made == [{"fetchsize": "7", "receiveBufferSize": "4096"}, {"fetchsize": "9"}]


def test_a_store_without_such_options_has_one_relation(spark: Any):
    of = relations(spark)
    for few in (True, False):
        of.frame("duck", "SELECT 1", "f", few=few)
    assert len(spark.made) == 1


def test_a_statement_with_many_keys_begins_with_them_and_is_not_remembered(spark: Any):
    of = relations(spark)
    for _ in range(2):
        of.frame("duck", "SELECT 1", "f", few=False, common="keys AS (SELECT 2 AS n)")
    assert [each["prepareQuery"] for each in spark.made] == ["WITH keys AS (SELECT 2 AS n)"] * 2
    assert [each["dbtable"] for each in spark.made] == ["(SELECT 1) f"] * 2


class Keeping:
    """A source whose relation keeps the filters of the first query that reads it."""

    few_rows: Mapping[str, str] = MappingProxyType({})
    keeps_filters = True
    transfer_options = staticmethod(no_options)

    def relation(self, spark: Any, *_: object) -> Any:
        return spark.format("").options(made="anew").load()


def test_a_relation_that_keeps_filters_is_made_for_each_query(spark: Any):
    of = Relations(spark, {"mem": Keeping()})
    for _ in range(2):
        of.frame("mem", "SELECT 1", "f", few=False)
    assert len(spark.made) == 2


def test_the_relation_that_is_longest_unused_is_forgotten(
    spark: Any, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("evaluation.running.relations.MOST_KNOWN", 2)
    of = relations(spark)
    for sql in ("a", "b", "a", "c", "a", "b"):
        of.frame("pg", sql, "f", few=False)
    assert [each["dbtable"] for each in spark.made] == ["(a) f", "(b) f", "(c) f", "(b) f"]


@pytest.mark.parametrize(
    ("type_", "then"),
    [
        ("BIGINT", "SELECT 1"),
        (
            "HUGEINT",
            "SELECT CAST(`c0` AS decimal(38,0)) AS `n` FROM (\nSELECT 1\n) AS shaped(`c0`)",
        ),
    ],
)
def test_the_types_of_a_combining_query_are_asked_once(spark: Any, type_: str, then: str):
    of, shape = relations(spark), Shape(names=("n",), types=(type_,))
    for _ in range(3):
        of.combined("SELECT 1", shape, ())
    # Where nothing differs it is sent as it is, and else as one statement.
    more = [] if then == "SELECT 1" else [then]
    assert spark.asked == ["SELECT 1", *more, then, then]


def test_another_shape_or_other_views_are_asked_again(spark: Any, monkeypatch: pytest.MonkeyPatch):
    found: list[str] = []
    monkeypatch.setattr(Frame, "dtypes", property(lambda _: found.append("") or [("n", "bigint")]))
    of = relations(spark)
    for type_, views in (("BIGINT", ()), ("INTEGER", ()), ("BIGINT", (fragment(),))) * 2:
        of.combined("SELECT 1", Shape(names=("n",), types=(type_,)), views)
    assert len(found) == 3


def test_a_whole_query_is_shaped_once(spark: Any, monkeypatch: pytest.MonkeyPatch):
    shaped: list[Shape] = []
    monkeypatch.setattr(Shape, "of", lambda self, frame: shaped.append(self) or frame)
    of, shape = relations(spark), Shape(names=("n",), types=("BIGINT",))
    one, other = (of.frame("pg", "SELECT 1", "f", few=False, shape=shape) for _ in range(2))
    assert one is not other
    assert shaped == [shape]
    of.frame("pg", "SELECT 1", "f", few=False)
    assert len(spark.made) == 2


def test_what_is_written_in_a_literal_is_no_column() -> None:
    spark = Reader()
    scan = Scan(format="objects", options={}, columns_option="columns")
    sql = r"SELECT `a` FROM `t` WHERE `b` = 'it\`s' AND `c` = 1 AND `it's` = 'x' AND `d` = 'y'"
    _scanned(spark, scan, sql)
    assert json.loads(spark.made[0]["columns"]) == ["a", "t", "b", "c", "it's", "d"]
