"""Rows as the text that COPY and LOAD DATA read."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.bulk.tab_separated import encode

_UNESCAPED = {"\\t": "\t", "\\n": "\n", "\\r": "\r", "\\\\": "\\"}


def decoded(text: str) -> list[list[str | None]]:
    """Read the text as the stores' manuals say."""
    rows = []
    for line in text.split("\n")[:-1]:
        row: list[str | None] = []
        for field in line.split("\t"):
            if field == "\\N":
                row.append(None)
                continue
            value, rest = "", field
            while rest:
                escaped = rest[:2] in _UNESCAPED
                value += _UNESCAPED[rest[:2]] if escaped else rest[0]
                rest = rest[2 if escaped else 1 :]
            row.append(value)
        rows.append(row)
    return rows


def encoded(batch: pa.RecordBatch) -> str:
    return bytes(encode(batch)).decode()


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(*[st.none() | st.text(st.characters(codec="utf-8", exclude_characters="\0"))] * 2)
    )
)
def test_any_text_can_be_read_back(rows: list[tuple[str | None, str | None]]) -> None:
    batch = pa.record_batch(
        {
            "a": pa.array([row[0] for row in rows], pa.string()),
            "b": pa.array([row[1] for row in rows], pa.string()),
        }
    )
    assert decoded(encoded(batch)) == [list(row) for row in rows]


def test_values_are_written_as_both_stores_read_them() -> None:
    batch = pa.record_batch(
        {
            "number": pa.array([-3]),
            "price": pa.array([Decimal("12.30")], pa.decimal128(7, 2)),
            "flag": pa.array([True]),
            "day": pa.array([date(2000, 2, 29)]),
            "moment": pa.array(
                [datetime(2024, 3, 10, 2, 30, 0, 5, UTC)], pa.timestamp("us", "UTC")
            ),
            "ratio": pa.array([0.1]),
        }
    )
    expected = "-3\t12.30\t1\t2000-02-29\t2024-03-10 02:30:00.000005\t0.1\n"
    assert encoded(batch) == expected


@pytest.mark.parametrize("start", [0, 1, 2])
def test_a_slice_has_its_own_rows_only(start: int) -> None:
    batch = pa.record_batch({"a": pa.array(["x", "yy", "zzz"])}).slice(start, 1)
    assert encoded(batch) == ["x\n", "yy\n", "zzz\n"][start]


def test_no_rows_are_no_text() -> None:
    assert encoded(pa.record_batch({"a": pa.array([], pa.string())})) == ""
