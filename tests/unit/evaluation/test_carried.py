"""In what form values leave a store, and what the engine makes of them."""

import pyarrow as pa
import pytest
from duckdb import ConversionException, connect
from sqlglot import exp, parse_one

from evaluation.bulk.tab_separated import _day
from evaluation.federation.row_order import row_order, with_hidden_outputs
from evaluation.running.arrived import Arrivals
from evaluation.running.bounded_frames import BoundedFrames, QueryFailedError
from evaluation.store_protocol.register import fingerprint_of, registered
from evaluation.stores.duckdb import backend as duckdb
from evaluation.stores.mysql import backend as mysql
from evaluation.stores.postgresql import values as postgresql


def test_plain_columns_leave_as_they_are():
    types = {"a": "INTEGER", "b": "DECIMAL(7,2)", "c": "VARCHAR", "d": "DOUBLE"}
    for carried in (postgresql.CARRIED, mysql.CARRIED, duckdb.CARRIED):
        assert carried.sent("SELECT 1", types) == "SELECT 1"


def test_days_and_moments_leave_as_numbers():
    moments = "SELECT TIMESTAMP '1969-12-31 23:59:59.5' AS t, DATE '1582-10-10' AS d, 7 AS n"
    found = duckdb.CARRIED.sent(moments, {"d": "DATE", "t": "TIMESTAMP", "n": "BIGINT"})
    with connect() as connection:
        assert connection.execute(found).fetchall() == [(-141_432, -500_000, 7)]
    odd = "SELECT TIMESTAMP 'infinity' AS t, TIMESTAMP '-infinity' AS u, NULL::TIMESTAMP AS v"
    found = duckdb.CARRIED.sent(odd, dict.fromkeys("tuv", "TIMESTAMP"))
    with connect() as connection:
        assert connection.execute(found).fetchall() == [(2**63 - 1, 1 - 2**63, None)]


def test_mariadb_hands_out_decimals_of_38_digits_as_text():
    found = mysql.CARRIED.sent("SELECT 1", {"h": "HUGEINT", "f": "FLOAT"})
    assert found == (
        "SELECT CAST(`h` AS CHAR) AS `h`, CAST(`f` AS DOUBLE) AS `f` FROM (SELECT 1) carried"
    )


def test_what_a_query_is_ordered_by_and_has_not_stands_behind_its_outputs():
    tree = parse_one(
        "SELECT t.a AS x, t.b FROM t ORDER BY t.a + 1 DESC, b, x NULLS FIRST", dialect="duckdb"
    )
    assert isinstance(tree, exp.Select)
    order = row_order(tree)
    assert [(each.place, each.descending, each.nulls_first) for each in order.by] == [
        (2, True, False),
        (1, False, False),
        (0, False, True),
    ]
    assert with_hidden_outputs(tree).named_selects == ["x", "b", "ordered_by_0"]


def test_a_distinct_query_gets_no_output_that_would_change_its_rows():
    tree = parse_one("SELECT DISTINCT t.a AS x FROM t ORDER BY t.b", dialect="duckdb")
    assert isinstance(tree, exp.Select)
    assert row_order(tree).by == ()
    assert with_hidden_outputs(tree).named_selects == ["x"]


def test_a_copy_of_another_layout_has_no_tables_fingerprint():
    assert fingerprint_of(registered("abc")) == "abc"
    assert fingerprint_of("abc") != "abc"


@pytest.mark.parametrize(
    ("days", "text"), [(0, "1970-01-01"), (2932897, "10000-01-01"), (44372039, "123456-07-08")]
)
def test_days_of_any_year_have_a_text(days: int, text: str):
    assert _day(days) == text


@pytest.mark.parametrize("error", [ValueError, OverflowError, UnboundLocalError, OSError])
def test_whatever_is_raised_while_a_query_is_read_is_its_outcome(error: type[Exception]):
    frames = BoundedFrames(object(), {}, run="r", origins={}, timeout_s=5)  # type: ignore[arg-type]

    def made() -> None:
        raise error("out of range")

    with pytest.raises(QueryFailedError, match="out of range"):
        frames.collect(made, [])  # type: ignore[arg-type, type-var]


def test_answers_come_through_one_database_one_after_the_other():
    arrivals = Arrivals()
    one = pa.table([[1, 2], [3, 4]], names=["n", "n"])
    assert arrivals.answer(one, ("INTEGER", "BIGINT")).rows == [(1, 3), (2, 4)]
    with pytest.raises(ConversionException, match="300"):
        arrivals.answer(pa.table({"n": pa.array([300], pa.int16())}), ("UTINYINT",))
    found = arrivals.answer(pa.table({"s": ["a"]}), ("VARCHAR",))
    assert ([each.name for each in found.columns], found.rows) == (["s"], [("a",)])
