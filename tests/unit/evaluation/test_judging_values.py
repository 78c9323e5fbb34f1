"""Values are equal or not; floating-point numbers within what sums in another order may do."""

import math
import uuid
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal

import pytest

from evaluation.judging.answer import Answer, AnswerColumn
from evaluation.judging.comparison import difference
from evaluation.judging.types import TypeRule


def one(type_: str, *values: object) -> Answer:
    """An answer of one column."""
    return Answer(columns=(AnswerColumn(name="v", type=type_),), rows=[(each,) for each in values])


def differ(type_: str, expected: object, actual: object) -> bool:
    return difference(one(type_, expected), one(type_, actual)) is not None


EAST = timezone(timedelta(hours=2))
NOON = datetime(2000, 1, 1, 12, 0, 0, 500_000)  # noqa: DTZ001
IN_THE_EAST = datetime(2000, 1, 1, 14, 0, 0, 500_000, EAST)
MIDNIGHT = datetime(2000, 1, 1)  # noqa: DTZ001
ACCEPTED_BEFORE = [
    ("BIGINT", 1_000_001, 1_000_002),
    ("BIGINT", 10_000_000, 10_000_009),
    ("BIGINT", 2**63 - 1, 2**63 - 1 - 9 * 10**12),
    ("DECIMAL(12,2)", Decimal("1000000000.00"), Decimal("1000000900.00")),
    ("DOUBLE", 16777216.0, 16777200.0),
    ("FLOAT", 16777216.0, 16777200.0),
    ("DECIMAL(38,10)", Decimal("1.0123456789"), Decimal("1.0123460000")),
    ("DECIMAL(38,10)", Decimal("-2E-10"), Decimal(0)),
    ("DATE", date(2000, 1, 1), MIDNIGHT),
    ("TIMESTAMP", MIDNIGHT, date(2000, 1, 1)),
    ("DATE", date(2000, 1, 1), "2000-01-01"),
    ("TIMESTAMP", NOON, NOON.isoformat()),
    ("BOOLEAN", True, 1),
    ("BOOLEAN", False, 0),
    ("INTEGER", 1, True),
    ("DOUBLE", math.nan, "NaN"),
    ("VARCHAR", "NaN", math.nan),
    ("BLOB", b"a", "a"),
    ("BLOB", b"a", str(b"a")),
    ("TIMESTAMP WITH TIME ZONE", NOON.replace(tzinfo=UTC), NOON.replace(tzinfo=EAST)),
    ("VARCHAR", "a", "a "),
    ("VARCHAR", "a  ", "a"),
    ("VARCHAR", "1", 1),
    ("DOUBLE", 0.0, 1e-7),
    ("DOUBLE", 1e-12, 2e-12),
]  # fmt: skip


@pytest.mark.parametrize(("type_", "expected", "actual"), ACCEPTED_BEFORE)
def test_what_a_lenient_comparison_took_for_equal_differs(
    type_: str, expected: object, actual: object
):
    assert differ(type_, expected, actual)
    assert not differ(type_, expected, expected)


@pytest.mark.parametrize(
    ("type_", "expected", "actual"),
    [
        ("HUGEINT", 10**30, Decimal(10**30)),
        ("DECIMAL(9,2)", Decimal("1.5"), Decimal("1.50")),
        ("DOUBLE", 1.0, 1.0 + 9e-10),
        ("DOUBLE", 1e300, 1e300 * (1 + 9e-10)),
        ("DOUBLE", 0.0, -0.0),
        ("FLOAT", 16777216.0, 16777218.0),
        ("DOUBLE", math.nan, -math.nan),
        ("DOUBLE", math.inf, math.inf),
        ("UUID", uuid.UUID(int=7), str(uuid.UUID(int=7))),
        ("BLOB", b"\x00\xff", bytearray(b"\x00\xff")),
        ("TIMESTAMP WITH TIME ZONE", NOON.replace(tzinfo=UTC), IN_THE_EAST),
        ("INTEGER[]", [1, None], (1, None)),
        ("MAP(VARCHAR, DOUBLE)", {"a": 1.0, "b": 2.0}, {"b": 2.0 + 1e-10, "a": 1.0}),
        ("INTEGER", None, None),
        ("INTERVAL", "1 day", "24:00:00"),
        ("INTERVAL", "1 year 2 months -1 days", "419 days"),
        ("INTERVAL", "-1 month 00:00:00.5", "-719:59:59.5"),
        ("INTERVAL", "178000000 years", "64080000000 days"),
    ],
)  # fmt: skip
def test_one_value_in_two_forms_is_equal(type_: str, expected: object, actual: object):
    assert not differ(type_, expected, actual)


@pytest.mark.parametrize(
    ("type_", "expected", "actual"),
    [
        ("DOUBLE", 1.0, 1.0 + 2e-9),
        ("DOUBLE", math.inf, -math.inf),
        ("DOUBLE", math.inf, 1.7e308),
        ("DOUBLE", math.nan, None),
        ("DOUBLE", 0.0, 5e-324),
        ("FLOAT", 1.0, 1.0 + 2**-22),
        ("FLOAT", 0.0, 1e-20),
        ("INTEGER", None, 0),
        ("VARCHAR", None, ""),
        ("VARCHAR", "a", "A"),
        ("VARCHAR", "\u00e9", "e\u0301"),
        ("TIME", time(12), time(12, 0, 0, 1)),
        ("INTEGER[]", [1, 2], [2, 1]),
        ("INTEGER[]", [], None),
        ("STRUCT(a INTEGER)", {"a": 1}, {"b": 1}),
        ("STRUCT(a INTEGER)", {"a": None}, {}),
        ("INTERVAL", "1 day", "24:00:00.000001"),
        ("INTERVAL", "00:00:00", ""),
        ("INTERVAL", "00:00:01", "-00:00:01"),
        ("INTERVAL", "1 month", "31 days"),
        ("VARCHAR", "1 day", "24:00:00"),
    ],
)
def test_two_values_are_not_equal(type_: str, expected: object, actual: object):
    assert differ(type_, expected, actual)


class Odd:
    """A value that raises whatever is asked of it."""

    def __repr__(self) -> str:
        raise ValueError

    def __eq__(self, other: object) -> bool:
        raise ValueError

    __hash__ = None  # type: ignore[assignment]


def nested(depth: int) -> object:
    value: object = 1
    for _ in range(depth):
        value = [value]
    return value


AWKWARD: list[object] = [
    None, True, 0, -1, 10**400, 10**5000, 0.5, math.nan, math.inf, -math.inf, 5e-324, 1.7e308,
    Decimal("NaN"), Decimal("sNaN"), Decimal("Infinity"), Decimal("1E+9999"), Decimal(1), "#", "",
    "\x00", "\ud800", b"", b"\xff", bytearray(b"x"), memoryview(b"x"), date.min, date.max,
    datetime.min, datetime.max, datetime.max.replace(tzinfo=timezone(timedelta(hours=-14))),  # noqa: DTZ901
    datetime.min.replace(tzinfo=timezone(timedelta(hours=14))), time(12, tzinfo=UTC), time(),
    timedelta.max, uuid.uuid4(), [], [math.nan, [None]], (1,), {}, {"a": [1.5]}, {1: {2: 3.5}},
    {("a", 1): 2}, object(), Odd(), nested(50), nested(500), complex(1, 2), range(3), {1, 2},
]  # fmt: skip
TYPES = [
    "INTEGER", "FLOAT", "DOUBLE", "VARCHAR", "TIMESTAMP WITH TIME ZONE", "DATE", "DECIMAL(9,2)",
    "MAP(INTEGER, FLOAT)", "DOUBLE[]",
]  # fmt: skip


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("rule", TypeRule)
def test_no_value_makes_a_comparison_raise(type_: str, rule: TypeRule):
    for expected in AWKWARD:
        for actual in AWKWARD:
            said = difference(one(type_, expected), one(type_, actual), types=rule)
            assert said is None or isinstance(said, str)
            if said is None and expected is not actual:
                assert type(expected) is type(actual) or {type(expected), type(actual)} <= {
                    bytes, bytearray, memoryview, list, tuple, int, Decimal,
                }  # fmt: skip


def test_numbers_that_are_close_are_paired_whatever_their_order():
    expected, actual = one("DOUBLE", 1.0, 1.0 + 6e-10), one("DOUBLE", 1.0 + 1.2e-9, 1.0)
    assert difference(expected, actual) is None
    assert difference(expected, one("DOUBLE", 1.0 + 1.7e-9, 1.0 + 1.8e-9)) is not None


def test_rounding_that_changes_the_order_of_rows_is_no_difference():
    columns = tuple(AnswerColumn(name=name, type="DOUBLE") for name in "ab")
    expected = Answer(columns=columns, rows=[(1.0, 5.0), (1.0 + 1e-10, 4.0)])
    actual = Answer(columns=columns, rows=[(1.0 + 1e-10, 5.0), (1.0, 4.0)])
    assert difference(expected, actual) is None


def test_one_row_cannot_stand_for_two():
    assert difference(one("DOUBLE", 1.0, 2.0), one("DOUBLE", 1.0, 1.0)) is not None
    assert difference(one("INTEGER", 1, 1, 2), one("INTEGER", 1, 2, 2)) is not None


def test_many_rows_with_equal_numbers_are_paired_in_little_time():
    expected = one("DOUBLE", *[0.0] * 20_000, *[float(each) for each in range(20_000)])
    rows = [(value,) for (value,) in reversed(expected.rows)]
    assert difference(expected, Answer(columns=expected.columns, rows=rows)) is None
    rows[7] = (-1.0,)
    assert difference(expected, Answer(columns=expected.columns, rows=rows)) is not None


def test_a_blank_is_padding_only_where_the_engine_declares_a_char():
    expected = one("VARCHAR", "a")
    assert difference(expected, one("CHAR(3)", "a  "), types=TypeRule.FAMILY) is None
    assert difference(expected, one("VARCHAR", "a  "), types=TypeRule.FAMILY) is not None


def test_a_difference_names_the_rows():
    said = difference(one("INTEGER", 1, 2), one("INTEGER", 1, 3))
    assert said == "row (2) is missing, and row (3) was not expected"
    assert difference(one("INTEGER", 1, 2), one("INTEGER", 1)) == "1 rows where 2 were expected"
