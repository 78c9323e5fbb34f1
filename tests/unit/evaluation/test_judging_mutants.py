"""A hundred thousand answers that differ from DuckDB's in one thing: none is accepted."""

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import groupby

import pytest

from evaluation.judging.answer import Answer, AnswerColumn
from evaluation.judging.comparison import Ties, difference

MUTANTS = 100_000
EACH = 250
"""Mutants of one answer."""
Rows = list[tuple[object, ...]]
ULP = 2.0**-23


def _day(draw: random.Random) -> date:
    return date(2000, 1, 1) + timedelta(days=draw.randrange(-150_000, 150_000))


def _moment(draw: random.Random) -> datetime:
    return datetime(2000, 1, 1) + timedelta(microseconds=draw.randrange(-(10**16), 10**16))  # noqa: DTZ001


VALUES: dict[str, Callable[[random.Random], object]] = {
    "BIGINT": lambda draw: draw.choice([draw.randrange(9), draw.randrange(-(2**63), 2**63)]),
    "HUGEINT": lambda draw: draw.randrange(-(10**38), 10**38),
    "DECIMAL(18,4)": lambda draw: Decimal(draw.randrange(-(10**18), 10**18)).scaleb(-4),
    "DOUBLE": lambda draw: draw.choice([0, draw.random()]) * 10.0 ** draw.randrange(-300, 300),
    "FLOAT": lambda draw: float(draw.randrange(2**22, 2**24)) * 2.0 ** draw.randrange(-60, 60),
    "VARCHAR": lambda draw: "".join(draw.choices("aA b\u00e9%\\", k=draw.randrange(4))),
    "BOOLEAN": lambda draw: draw.random() < 0.5,
    "DATE": _day,
    "TIMESTAMP": _moment,
    "TIMESTAMP WITH TIME ZONE": lambda draw: _moment(draw).replace(tzinfo=UTC),
    "BLOB": lambda draw: draw.randbytes(draw.randrange(3)),
    "INTEGER[]": lambda draw: [draw.randrange(3) for _ in range(draw.randrange(3))],
}  # fmt: skip
CHANGES: dict[str, Sequence[Callable[[object], object]]] = {
    "BIGINT": [lambda v: v + 1, lambda v: v - 1, lambda v: -v or 7, lambda v: v ^ 1 << 40, float,
               str],
    "HUGEINT": [lambda v: v + 1, float, lambda v: Decimal(v) + Decimal("0.5"), lambda v: v // 10],
    "DECIMAL(18,4)": [lambda v: v + Decimal("0.0001"), float, lambda v: v + 1, lambda v: -v - 1],
    "DOUBLE": [lambda v: v * (1 + 3e-9) or 1e-30, lambda v: -v or -1.0, lambda v: math.nan,
               lambda v: math.inf, str, lambda v: Decimal(repr(v)), lambda v: v / 2 or 5e-324],
    "FLOAT": [lambda v: v * (1 + 4 * ULP), lambda v: v * 1.00001, str],
    "VARCHAR": [lambda v: f"{v} ", lambda v: f" {v}", lambda v: v.swapcase() + "x", str.encode],
    "BOOLEAN": [lambda v: not v, int, str, float],
    "DATE": [lambda v: v + timedelta(days=1), str, lambda v: datetime(v.year, v.month, v.day)],  # noqa: DTZ001
    "TIMESTAMP": [lambda v: v + timedelta(microseconds=1), str, datetime.date,
                  lambda v: v.replace(tzinfo=UTC)],
    "TIMESTAMP WITH TIME ZONE": [lambda v: v + timedelta(microseconds=1), str,
                                 lambda v: v - timedelta(hours=1)],
    "BLOB": [lambda v: v + b"\x00", repr, lambda v: v.decode("latin-1")],
    "INTEGER[]": [lambda v: [*v, 1], lambda v: [*v, None], str, lambda v: [v]],
}  # fmt: skip
"""Type → changes that make another value of each of its values."""


def answer_of(draw: random.Random) -> tuple[Answer, Ties | None]:
    """An answer of some types, sorted by its first column if its order is fixed."""
    types = ["BIGINT", *draw.sample(list(VALUES), 3)]
    columns = tuple(AnswerColumn(name=f"c{i}", type=each) for i, each in enumerate(types))
    keys = sorted(draw.randrange(3) for _ in range(draw.randrange(1, 4)))
    rows: Rows = [
        (key, *(None if draw.random() < 0.1 else VALUES[each](draw) for each in types[1:]))
        for key in keys
    ]
    groups = [list(group) for _, group in groupby(rows, key=lambda row: row[0])]
    ties = Ties(groups=lambda: iter(groups)) if draw.random() < 0.5 else None
    return Answer(columns=columns, rows=rows), ties


def with_another_value(draw: random.Random, answer: Answer) -> Answer:
    rows = list(answer.rows)
    at, place = draw.randrange(len(rows)), draw.randrange(len(answer.columns))
    before, type_ = rows[at][place], answer.columns[place].type
    if before is None:
        after = draw.choice([0, "", False, math.nan, "NULL", VALUES[type_](draw)])
    else:
        after = None if draw.random() < 0.1 else draw.choice(CHANGES[type_])(before)
    rows[at] = (*rows[at][:place], after, *rows[at][place + 1 :])
    return replace(answer, rows=rows)


def without_a_row(draw: random.Random, answer: Answer) -> Answer:
    gone = draw.randrange(len(answer.rows))
    return replace(answer, rows=[row for at, row in enumerate(answer.rows) if at != gone])


def with_a_row_twice(draw: random.Random, answer: Answer) -> Answer:
    at = draw.randrange(len(answer.rows))
    return replace(answer, rows=[*answer.rows[:at], answer.rows[at], *answer.rows[at:]])


def with_a_row_for_another(draw: random.Random, answer: Answer) -> Answer:
    rows = list(answer.rows)
    one, other = draw.randrange(len(rows)), draw.randrange(len(rows))
    if rows[one] == rows[other]:
        return without_a_row(draw, answer)
    rows[one] = rows[other]
    return replace(answer, rows=rows)


def against_the_order(draw: random.Random, answer: Answer) -> Answer:
    rows = list(answer.rows)
    one, other = draw.randrange(len(rows)), draw.randrange(len(rows))
    if rows[one][0] == rows[other][0]:
        return with_a_row_twice(draw, answer)
    rows[one], rows[other] = rows[other], rows[one]
    return replace(answer, rows=rows)


def with_a_column_changed(draw: random.Random, answer: Answer) -> Answer:
    columns = list(answer.columns)
    place = draw.randrange(len(columns))
    if draw.random() < 0.5:
        others = [
            each for each in (*VALUES, "INTEGER", "DECIMAL(38,0)") if each != columns[place].type
        ]
        if columns[place].type == "HUGEINT":
            others.remove("DECIMAL(38,0)")
        columns[place] = replace(columns[place], type=draw.choice(others))
    else:
        columns[place] = replace(columns[place], name=draw.choice(["", "c", "other"]))
    return replace(answer, columns=tuple(columns))


def without_a_column(draw: random.Random, answer: Answer) -> Answer:
    gone = draw.randrange(len(answer.columns))
    columns = tuple(each for at, each in enumerate(answer.columns) if at != gone)
    rows = [(*row[:gone], *row[gone + 1 :]) for row in answer.rows]
    return Answer(columns=columns, rows=rows)


MUTATIONS = [
    *[with_another_value] * 8, without_a_row, with_a_row_twice, with_a_row_for_another,
    with_a_column_changed, without_a_column,
]  # fmt: skip


def shown(expected: Answer, actual: Answer, ties: Ties | None) -> str:
    return f"{expected}\n{actual}\nordered: {ties is not None}"


def test_no_mutant_is_accepted():
    draw, accepted, kinds = random.Random(7), [], set()
    for _ in range(MUTANTS // EACH):
        expected, ties = answer_of(draw)
        for _ in range(EACH):
            mutations = MUTATIONS if ties is None else [*MUTATIONS, against_the_order]
            mutation = draw.choice(mutations)
            kinds.add(mutation)
            actual = mutation(draw, expected)
            if difference(expected, actual, ties=ties) is None:
                accepted.append(shown(expected, actual, ties))
    assert accepted == []
    assert kinds == {*MUTATIONS, against_the_order}


def with_noise(value: object, type_: str, draw: random.Random) -> object:
    """A double as another order of summation may give it, a float one unit off."""
    if isinstance(value, float) and type_ == "DOUBLE":
        return value * (1 + draw.uniform(-5e-10, 5e-10))
    return value


def test_ties_in_any_order_and_sums_in_any_order_are_accepted():
    draw = random.Random(11)
    for _ in range(5_000):
        expected, ties = answer_of(draw)
        rows = draw.sample(list(expected.rows), len(expected.rows))
        if ties is not None:
            rows.sort(key=lambda row: row[0])
        types = [each.type for each in expected.columns]
        noisy = [
            tuple(with_noise(value, type_, draw) for value, type_ in zip(row, types, strict=True))
            for row in rows
        ]
        actual = replace(expected, rows=noisy)
        assert difference(expected, actual, ties=ties) is None, shown(expected, actual, ties)


@pytest.mark.parametrize("ordered", [True, False])
def test_of_what_is_cut_any_row_is_accepted_and_none_beyond(ordered: bool):
    draw = random.Random(13)
    columns = (AnswerColumn(name="k", type="INTEGER"), AnswerColumn(name="id", type="INTEGER"))
    for _ in range(2_000):
        uncut = sorted((draw.randrange(4), at) for at in range(draw.randrange(4, 12)))
        groups = [list(group) for _, group in groupby(uncut, key=lambda row: row[0])]
        first = draw.randrange(3) if ordered else 0
        length = draw.randrange(1, len(uncut) - first)
        ties = Ties(groups=lambda found=groups: iter(found), first=first, ordered=ordered)
        expected = Answer(columns=columns, rows=uncut[first : first + length])
        shuffled = draw.sample(uncut, len(uncut))
        if ordered:
            shuffled.sort(key=lambda row: row[0])
        chosen = shuffled[first : first + length]
        assert difference(expected, replace(expected, rows=chosen), ties=ties) is None
        for beyond in ((9, 9), (chosen[0][0], 99), chosen[-1] if length > 1 else (None, None)):
            wrong = replace(expected, rows=[beyond, *chosen[1:]])
            assert difference(expected, wrong, ties=ties) is not None
