"""A driver's values become Arrow's exactly or are refused; rows are sorted as DuckDB does."""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from random import Random
from sys import getsizeof

import duckdb
import pyarrow as pa
import pytest

from evaluation.federation.row_order import OrderedBy
from evaluation.running.conversions import UnlikeTypeError
from evaluation.running.exact_columns import arrow_rows, sorted_rows
from evaluation.store_protocol.carried import NUMBERS, Pair
from evaluation.store_protocol.whole_answers import FetchedRows, RowsWithin, TooLargeError

ALL: frozenset[Pair] = NUMBERS | {
    ("double", "float"),
    ("string", "decimal"),
    ("whole", "boolean"),
    ("binary", "string"),
    ("binary", "any"),
}
LARGEST = 3.4028234663852886e38


def column(
    values: Sequence[object], kind: str, type_: str, arrives: frozenset[Pair] = ALL
) -> pa.ChunkedArray:
    rows = [(value,) for value in values]
    fetched = FetchedRows(kinds=(kind,), rows=rows, execute_s=0, fetch_s=0)
    return arrow_rows(fetched, ["x"], [type_], arrives).column("x")


@pytest.mark.parametrize(
    ("values", "kind", "type_", "expected"),
    [
        ([1, None, -(2**31)], "whole", "INTEGER", pa.int32()),
        ([255], "whole", "UTINYINT", pa.int16()),
        ([2**63 - 1], "whole", "BIGINT", pa.int64()),
        ([5], "whole", "HUGEINT", pa.decimal128(38, 0)),
        ([Decimal("12.5"), None], "decimal", "DECIMAL(7,2)", pa.decimal128(7, 2)),
        ([Decimal(7)], "decimal", "BIGINT", pa.int64()),
        (["-1234567890123456789012345678901234567.8"], "string", "DECIMAL(38,1)",
         pa.decimal128(38, 1)),
        ([0.1, None, float("inf")], "double", "DOUBLE", pa.float64()),
        ([LARGEST], "double", "FLOAT", pa.float32()),
        ([float("-inf"), 1.5], "float", "FLOAT", pa.float32()),
        ([True, None], "boolean", "BOOLEAN", pa.bool_()),
        (["ä", None], "string", "VARCHAR", pa.string()),
        (["{}"], "string", "JSON", pa.string()),
        (["of an enumeration", None], "", "VARCHAR", pa.string()),
        ([b"\x00\xff", None], "binary", "BLOB", pa.binary()),
        ([None, None], "binary", "DOUBLE", pa.float64()),
    ],
)  # fmt: skip
def test_values_are_kept_in_the_type_that_carries_theirs(
    values: list[object], kind: str, type_: str, expected: pa.DataType
):
    found = column(values, kind, type_)
    assert found.type == expected
    assert found.to_pylist() == [
        Decimal(str(v)) if pa.types.is_decimal(expected) and v is not None else v for v in values
    ]


def test_days_moments_and_truth_come_as_numbers():
    assert column([-1, None], "whole", "DATE").to_pylist() == [date(1969, 12, 31), None]
    moment = datetime(1970, 1, 1, 0, 0, 1, 5, tzinfo=UTC)
    assert column([1_000_005], "whole", "TIMESTAMP").to_pylist() == [moment.replace(tzinfo=None)]
    assert column([1_000_005], "whole", "TIMESTAMP WITH TIME ZONE").to_pylist() == [moment]
    assert column([0, 1, None], "whole", "BOOLEAN").to_pylist() == [False, True, None]
    assert column([b"\xc3\xa4"], "binary", "VARCHAR").to_pylist() == ["ä"]
    assert column([b"anything", 3], "", '"NULL"').to_pylist() == [None, None]


def test_a_float_that_is_made_a_double_is_not_what_its_text_says():
    (found,) = column([0.1], "float", "DOUBLE").to_pylist()
    with duckdb.connect() as connection:
        asked = connection.execute("SELECT CAST(CAST(0.1 AS FLOAT) AS DOUBLE)").fetchone()
    assert (found,) == asked
    assert found != 0.1


@pytest.mark.parametrize(
    ("value", "kind", "type_"),
    [
        (2**31, "whole", "INTEGER"),
        (2**64, "whole", "BIGINT"),
        (Decimal("1.5"), "decimal", "BIGINT"),
        (Decimal("0.123"), "decimal", "DECIMAL(7,2)"),
        (Decimal(100_000), "decimal", "DECIMAL(7,2)"),
        (Decimal("NaN"), "decimal", "DECIMAL(7,2)"),
        ("1e3", "string", "DECIMAL(7,2)"),
        ("0.123", "string", "DECIMAL(7,2)"),
        (3.5e38, "double", "FLOAT"),
        (float("inf"), "double", "FLOAT"),
        (2, "whole", "BOOLEAN"),
        (2**31, "whole", "DATE"),
        (b"\xff", "binary", "VARCHAR"),
        (b"1", "binary", "BIGINT"),
        (1999, "", "VARCHAR"),
    ],
)
def test_what_a_type_cannot_hold_is_refused(value: object, kind: str, type_: str):
    with pytest.raises(UnlikeTypeError, match="'x'"):
        column([None, value], kind, type_)


@pytest.mark.parametrize(
    ("kind", "type_"),
    [
        ("double", "BIGINT"),
        ("whole", "DOUBLE"),
        ("decimal", "DOUBLE"),
        ("string", "BIGINT"),
        ("whole", "VARCHAR"),
        ("boolean", "INTEGER"),
        ("", "BIGINT"),
        # Where no store says that they arrive so.
        ("double", "FLOAT"),
        ("whole", "BOOLEAN"),
        ("binary", "VARCHAR"),
    ],
)
def test_kinds_that_stand_for_no_others_are_refused_even_of_null(kind: str, type_: str):
    with pytest.raises(UnlikeTypeError, match="arrives as"):
        column([None], kind, type_, NUMBERS)


def test_no_rows_have_types_too():
    fetched = FetchedRows(kinds=(), rows=[], execute_s=0, fetch_s=0)
    found = arrow_rows(fetched, ["n", "n"], ["DATE", "VARCHAR"], NUMBERS)
    assert [each.type for each in found.columns] == [pa.date32(), pa.string()]
    assert found.column_names == ["n", "n"]
    fetched = FetchedRows(kinds=("whole",) * 2, rows=[(1, 2)], execute_s=0, fetch_s=0)
    with pytest.raises(UnlikeTypeError, match="2 columns arrive, not 1"):
        arrow_rows(fetched, ["n"], ["DATE"], NUMBERS)


@pytest.mark.parametrize("seed", range(5))
def test_rows_are_sorted_as_duckdb_sorts_them(seed: int):
    draw = Random(seed)
    number = 200
    values = {
        "i": pa.array([draw.choice([None, 0, 1, 2]) for _ in range(number)], pa.int32()),
        "s": pa.array([draw.choice([None, "", "a", "B", "ä", "a "]) for _ in range(number)]),
        "b": pa.array([draw.choice([None, True, False]) for _ in range(number)]),
        "d": pa.array([draw.choice([None, -1, 5]) for _ in range(number)], pa.int32()).cast(
            pa.date32()
        ),
        "p": pa.array(
            [draw.choice([None, Decimal("1.5"), Decimal(-2)]) for _ in range(number)],
            pa.decimal128(5, 1),
        ),
        "x": pa.array([draw.choice([None, 0.5, -1.0, float("inf")]) for _ in range(number)]),
        "nothing": pa.nulls(number),
        "row": pa.array(range(number)),
    }
    table = pa.table(values)
    order = [
        OrderedBy(place=p, descending=draw.random() < 0.5, nulls_first=draw.random() < 0.5)
        for p in draw.sample(range(7), 7)
    ]
    asked = ", ".join(
        f"{table.column_names[each.place]} {'DESC' if each.descending else 'ASC'} "
        f"NULLS {'FIRST' if each.nulls_first else 'LAST'}"
        for each in order
    )
    with duckdb.connect() as connection:
        connection.register("arrived", table)
        expected = connection.execute(f"SELECT row FROM arrived ORDER BY {asked}, row").fetchall()
    assert sorted_rows(table, order).column("row").to_pylist() == [row for (row,) in expected]


def test_not_a_number_has_no_place_that_arrow_knows():
    table = pa.table({"x": [1.0, float("nan"), None]})
    with pytest.raises(UnlikeTypeError, match="NaN"):
        sorted_rows(table, [OrderedBy(place=0, descending=True, nulls_first=False)])
    assert sorted_rows(table, []) is table


def test_rows_are_gathered_as_long_as_they_fit():
    row = (1, "a", None, b"b")
    found = RowsWithin(4 * sum(map(getsizeof, row)) + 200)
    for _ in range(4):
        found.add(row)
    with pytest.raises(TooLargeError, match="arrive where little was predicted"):
        found.add(("x" * 200,))
    assert found.rows == [row] * 4
