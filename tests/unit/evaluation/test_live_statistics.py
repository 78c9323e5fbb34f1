"""What stores write of columns, on the catalog's scale."""

import json
from collections.abc import Iterable
from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.live.mysql_statements import _stored_bytes, _whole
from evaluation.live.mysql_statistics import _json_parts, kept
from evaluation.live.mysql_types import duckdb_type as mysql_type
from evaluation.live.sampling import Sample, sampled
from evaluation.live.scale import equal_heights, value
from evaluation.stores.postgresql.types import duckdb_type as postgresql_type
from workloads.catalog import ColumnStatistics


def test_values_without_a_place_on_the_scale_are_left_out() -> None:
    assert value("2000-01-02", "DATE") == 10_958.0
    assert value("2024-03-10 02:30:00+00", "TIMESTAMP WITH TIME ZONE") == pytest.approx(19792.10417)
    assert value("1e3", "DOUBLE") == 1000.0
    assert value("t", "BOOLEAN") == 1.0
    assert value("12", "VARCHAR") == "12"
    for text, type_ in [
        ("NaN", "DOUBLE"), ("-Infinity", "DOUBLE"), ("infinity", "DATE"), ("0044-03-15 BC", "DATE"),
        ("0000-00-00", "DATE"), ("infinity", "TIMESTAMP"), ("", "INTEGER"),
    ]:  # fmt: skip
        assert value(text, type_) is None


def test_bounds_of_equal_heights_follow_the_rows() -> None:
    # Nine tenths of the rows lie below 10.
    assert equal_heights([(0.0, 10.0, 0.9), (10.0, 20.0, 0.1)]) == (
        0.0, pytest.approx(10 * 5 / 9), 20.0,
    )  # fmt: skip
    assert equal_heights([("a", "m", 0.1), ("m", "z", 0.9)]) == ("a", "m", "z")
    assert equal_heights([]) == ()
    assert equal_heights([(1.0, 2.0, 0.0)]) == ()


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0.01, 1)), min_size=1, max_size=30))
def test_bounds_are_ascending_and_keep_the_ends(steps: list[tuple[float, float]]) -> None:
    buckets, low = [], 0.0
    for width, share in steps:
        buckets.append((low, low + width, share))
        low += width
    bounds = equal_heights(buckets)
    assert len(bounds) == len(buckets) + 1
    assert (bounds[0], bounds[-1]) == (0.0, buckets[-1][1])
    assert all(a <= b + 1e-9 for a, b in pairwise(bounds))


def test_distinct_values_are_extrapolated_as_postgresql_does() -> None:
    # Every value of the sample once: all rows differ. Every value often: there are no others.
    assert _extrapolated(range(100), 10_000) == 10_000
    assert _extrapolated([i % 10 for i in range(100)], 10_000) == 10
    # n·d / (n - f1 + f1·n/N) of compute_scalar_stats.
    expected = round(100 * 60 / (100 - 20 + 20 * 100 / 10_000))
    assert _extrapolated([i % 40 for i in range(80)] + list(range(100, 120)), 10_000) == expected


def _extrapolated(values: Iterable[int], total_rows: int) -> int:
    rows = [(str(value),) for value in values]
    sample = Sample(table="t", types={"x": "INTEGER"}, rows=rows, total_rows=total_rows)
    statistics = sampled([sample])["t"]["x"].statistics
    assert statistics is not None
    return statistics.distinct


def test_a_part_of_the_rows_does_not_tell_that_no_value_is_odd() -> None:
    def known(total_rows: int, name: str, *values: str) -> ColumnStatistics:
        types = {"day": "DATE", "text": "VARCHAR", "x": "DOUBLE"}
        rows = [tuple(value if name == each else "1" for each in types) for value in values]
        sample = Sample(table="t", types=types, rows=rows, total_rows=total_rows)
        statistics = sampled([sample])["t"][name].statistics
        assert statistics is not None
        return statistics

    assert known(2, "day", "2000-01-02", "2001-01-02").years == (2000, 2001)
    assert known(3, "day", "2000-01-02", "2001-01-02").years is None
    assert known(2, "text", "a", "b").has_nul is False
    assert known(3, "text", "a", "b").has_nul is None
    assert known(3, "text", "a\0", "b").has_nul is True
    assert known(2, "x", "1.5", "2").is_finite is True
    assert known(3, "x", "1.5", "2").is_finite is None
    assert known(3, "x", "NaN", "2").is_finite is False


def test_a_sample_is_read_by_its_types() -> None:
    sample = Sample(
        table="t",
        types={"a": "INTEGER", "A b": "VARCHAR", "d": "DATE", "x": "BLOB"},
        rows=[("1", "é", "1970-01-11", "00ff"), ("2", None, "0000-00-00", None)],
        total_rows=2,
    )
    found = sampled([sample])["t"]
    assert found["a"].statistics == ColumnStatistics(
        distinct=2, null_share=0.0, minimum=1, maximum=2, common=((1.0, 0.5), (2.0, 0.5))
    )
    assert (found["A b"].width_bytes, found["x"].width_bytes) == (1.0, 1.0)
    day = found["d"].statistics
    assert day is not None
    assert (day.null_share, day.maximum) == (0.5, 10)


MYSQL_HISTOGRAMS = {
    "state": {
        "buckets": [["base64:type254:ZG9uZQ==", 0.7], ["base64:type254:b3Blbg==", 0.9]],
        "data-type": "string", "null-values": 0.1, "collation-id": 255, "sampling-rate": 1.0,
        "histogram-type": "singleton", "number-of-buckets-specified": 100,
    },
    "day": {
        "buckets": [["2020-01-01", "2020-01-10", 0.5, 10], ["2020-01-11", "2020-01-30", 1.0, 20]],
        "data-type": "date", "null-values": 0.0, "collation-id": 8, "sampling-rate": 1.0,
        "histogram-type": "equi-height", "number-of-buckets-specified": 2,
    },
}  # fmt: skip


def test_histograms_of_mysql_8_become_statistics() -> None:
    types = {("shop", "orders", "state"): "VARCHAR", ("shop", "orders", "day"): "DATE"}

    def execute(statement: str, values: object = None) -> tuple[tuple[object, ...], ...]:
        assert "information_schema.column_statistics" in statement
        assert values == (["shop"],)
        return tuple(
            ("shop", "orders", column, json.dumps(histogram))
            for column, histogram in MYSQL_HISTOGRAMS.items()
        )

    known = kept(execute, types, mariadb=False)
    state = known["shop", "orders", "state"].of(1000)
    assert state.common == (("done", 0.7), ("open", pytest.approx(0.2)))
    assert (state.distinct, state.null_share, state.minimum, state.histogram) == (2, 0.1, None, ())
    day = known["shop", "orders", "day"].of(1000)
    assert (day.distinct, day.minimum, day.maximum) == (30, 18262, 18291)
    assert day.histogram == (18262, 18271, 18291)
    assert day.common == ()


def test_a_column_without_values_has_no_distinct_ones() -> None:
    row = ("shop", "t", "n", None, None, Decimal(1), Decimal(0), Decimal(0), None)
    known = kept(lambda *_: (row,), {("shop", "t", "n"): "INTEGER"}, mariadb=True)
    assert known["shop", "t", "n"].of(50) == ColumnStatistics(distinct=0, null_share=1.0)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("int(10) unsigned", "UINTEGER"), ("tinyint(1)", "TINYINT"),
        ("decimal(10,2)", "DECIMAL(10,2)"),
        ("decimal(65,30)", "DOUBLE"), ("enum('a b','int')", "VARCHAR"),
        ("timestamp(6)", "TIMESTAMP WITH TIME ZONE"), ("longtext", "VARCHAR"),
        ("longblob", "BLOB"), ("json", "VARCHAR"),
        ("decimal(5,0) unsigned zerofill", "DECIMAL(5,0)"), ("point", "BLOB"),
    ],
)  # fmt: skip
def test_mysql_types_are_called_as_duckdb_does(written: str, expected: str) -> None:
    assert mysql_type(written) == expected


def test_a_numeric_keeps_its_precision_where_duckdb_has_it() -> None:
    def modifier(precision: int, scale: int) -> int:
        return ((precision << 16) | (scale & 0x7FF)) + 4

    assert postgresql_type("numeric", modifier(7, 2)) == "DECIMAL(7,2)"
    assert postgresql_type("numeric", modifier(39, 2)) == "DOUBLE"
    assert postgresql_type("numeric", modifier(7, -2)) == "DOUBLE"
    assert postgresql_type("numeric", modifier(2, 5)) == "DOUBLE"
    assert postgresql_type("numeric", -1) == "DOUBLE"


def test_a_digest_is_written_so_that_it_can_be_parsed() -> None:
    digest = (
        "SELECT `a` , IF ( `b` > ?, ... ) FROM `t` WHERE `d` > CURDATE - INTERVAL ? SQL_TSI_DAY "
        "AND `curdate` = ? AND ( `a` , `b` ) IN ( (...) /* , ... */ ) GROUP BY ? ORDER BY ?, ... "
    )
    sql, hidden = _whole(digest, 1024, None, 0)
    assert not hidden
    # A server takes a name that a blank is behind for none of its own functions.
    assert "IF( `b` > ?, ? )" in sql
    assert "CURDATE( ) - INTERVAL ? DAY AND `curdate` = ?" in sql
    assert sql.endswith("GROUP BY 1 ORDER BY 1, 2")


def test_a_sample_text_is_preferred_unless_it_is_cut() -> None:
    assert _whole("SELECT ?", 1024, "SELECT 5", 1024) == ("SELECT 5", "")
    assert _whole("SELECT ?", 1024, "SELECT 5...", 1024)[0] == "SELECT ?"
    assert _whole("SELECT ?", 1024, "SELECT 'é'", 11)[0] == "SELECT ?"
    sql, hidden = _whole(None, 1024, None, 1024)
    assert not sql
    assert "performance_schema_digests_size" in hidden


def test_a_digest_is_cut_where_its_tokens_fill_the_room() -> None:
    # A name takes its length and four bytes, everything else two.
    assert _stored_bytes("SELECT `ab` + ?, ... FROM `t` WHERE `x` <=> ? AND `y` IN (...) ") == 41
    columns = " , ".join(f"`a_column_of_the_table_{index}`" for index in range(40))
    assert "1024 bytes" in _whole(f"SELECT {columns}", 1024, None, 0)[1]
    assert not _whole(f"SELECT {columns}", 4096, None, 0)[1]


def test_a_bound_that_its_character_set_does_not_have_is_not_known() -> None:
    buckets = [
        {"start": "a", "size": 0.4, "ndv": 2},
        {"start_hex": "8F", "size": 0.3, "ndv": 2},
        {"start": "n", "size": 0.3, "ndv": 2, "end_hex": "9D"},
    ]
    assert _json_parts(buckets, "VARCHAR") == []
    known = _json_parts(
        [*buckets[:1], {"start": "c", "end": "e", "size": 0.6, "ndv": 3}], "VARCHAR"
    )
    assert [(each.low, each.high) for each in known] == [("a", "c"), ("c", "e")]
