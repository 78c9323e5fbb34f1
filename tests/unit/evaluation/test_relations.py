"""Relations over stores are made once, and read by frames of their own."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pytest

from evaluation.relations import JdbcSource, Relations
from evaluation.stores.postgresql import CARRIED


class Frame:
    """A relation of Spark's; `select` gives a new frame over it."""

    def select(self, _: str) -> "Frame":
        return Frame()


class Reader:
    """Spark's reader: remembers the options of every relation that it makes."""

    def __init__(self) -> None:
        self.made: list[dict[str, str]] = []

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


def test_a_store_without_such_options_has_one_relation(spark: Any):
    of = relations(spark)
    for few in (True, False):
        of.frame("duck", "SELECT 1", "f", few=few)
    assert len(spark.made) == 1


class Keeping:
    """A source whose relation keeps the filters of the first query that reads it."""

    few_rows: Mapping[str, str] = MappingProxyType({})
    keeps_filters = True

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
    monkeypatch.setattr("evaluation.relations.MOST_KNOWN", 2)
    of = relations(spark)
    for sql in ("a", "b", "a", "c", "a", "b"):
        of.frame("pg", sql, "f", few=False)
    assert [each["dbtable"] for each in spark.made] == ["(a) f", "(b) f", "(c) f", "(b) f"]
