"""Differences of an engine's answer from DuckDB's: columns, rows, or the fixed order."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from evaluation.judging.answer import Answer, AnswerColumn, Row
from evaluation.judging.matching import same, unmatched
from evaluation.judging.types import TypeRule, may_have
from evaluation.judging.values import ColumnRule, RowForm, row_form, shown

_LOOKED_AT = 3
"""Columns by which a row is known not to be wanted: most are not, and there may be millions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ties:
    """The order that a statement fixes: rows that tie are in any order, and any of them are cut.

    `groups` yields the rows of each tie, in order, of the answer without LIMIT and OFFSET; of
    these the answer has those from the number `first` on; where that is None, ties are not known.
    Where `ordered` is false all rows tie, and come in parts.
    """

    groups: Callable[[], Iterator[Sequence[Row]]]
    first: int | None = 0
    ordered: bool = True


def difference(
    expected: Answer,
    actual: Answer,
    *,
    types: TypeRule = TypeRule.EXACT,
    ties: Ties | None = None,
) -> str | None:
    """Say how `actual` differs from DuckDB's answer `expected`; None if it does not.

    Without `ties` rows are compared as multisets. It raises nothing on any value.
    """
    return columns_difference(expected.columns, actual.columns, types) or rows_difference(
        expected, actual, ties
    )


def columns_difference(
    expected: Sequence[AnswerColumn], actual: Sequence[AnswerColumn], types: TypeRule
) -> str | None:
    """Say how columns differ in number, type, or name (in any case, as DuckDB resolves them)."""
    if len(expected) != len(actual):
        return f"{len(actual)} columns where {len(expected)} were expected"
    for number, (one, other) in enumerate(zip(expected, actual, strict=True), start=1):
        if one.is_named and one.name.lower() != other.name.lower():
            return f"column {number} is called '{other.name}' where '{one.name}' was expected"
        if not may_have(one.type, other.type, types):
            return f"column '{one.name}' is of type {other.type} where {one.type} was expected"
    return None


def rows_difference(expected: Answer, actual: Answer, ties: Ties | None) -> str | None:
    """Say how rows differ, those that do not tie in their order."""
    rules = _rules(expected.columns, actual.columns)
    if len(expected.rows) != len(actual.rows):
        return f"{len(actual.rows)} rows where {len(expected.rows)} were expected"
    left, right = _forms(expected.rows, rules), _forms(actual.rows, rules)
    if ties is None or (ties.first is None and not all(map(same, left, right))):
        return _unequal(expected.rows, actual.rows, left, right)
    if not ties.ordered:
        is_same = unmatched(left, right) is None
        return None if is_same else _not_among(ties, actual.rows, right, rules)
    if all(map(same, left, right)):
        return None
    wrong = _out_of_order(ties, actual.rows, right, rules)
    return wrong and (_unequal(expected.rows, actual.rows, left, right) or wrong)


def identical(one: Answer, other: Answer) -> bool:
    """Whether two answers have the same columns, and the same rows in the same order."""
    rules = _rules(one.columns, other.columns)
    return (
        columns_difference(one.columns, other.columns, TypeRule.EXACT) is None
        and len(one.rows) == len(other.rows)
        and all(map(same, _forms(one.rows, rules), _forms(other.rows, rules)))
    )


def _unequal(
    expected: Sequence[Row], actual: Sequence[Row], left: list[RowForm], right: list[RowForm]
) -> str | None:
    """Say which rows are on one side only; both have as many."""
    missing = unmatched(left, right)
    if missing is None:
        return None
    extra = unmatched(right, left)
    found = "" if extra is None else f", and row {shown(actual[extra])} was not expected"
    return f"row {shown(expected[missing])} is missing{found}"


def _out_of_order(
    ties: Ties, rows: Sequence[Row], forms: list[RowForm], rules: Sequence[ColumnRule]
) -> str | None:
    """Compare `rows`, which have the expected number, with one group of ties after the other."""
    start, done, first = 0, 0, ties.first or 0
    for group in ties.groups():
        end = start + len(group)
        taken = min(end, first + len(rows)) - max(start, first)
        start = end
        if taken <= 0:
            continue
        wrong = unmatched(forms[done : done + taken], _forms(group, rules))
        if wrong is not None:
            return f"row {done + wrong + 1} is {shown(rows[done + wrong])}, against the order"
        done += taken
        if done == len(rows):
            return None
    return f"row {done + 1} is {shown(rows[done])}, against the order"


def _not_among(
    ties: Ties, rows: Sequence[Row], forms: list[RowForm], rules: Sequence[ColumnRule]
) -> str | None:
    """Look for all `rows` among those of the answer that is not cut, until they are found."""
    wanted = {form.exact for form in forms}
    begins = {form.exact[:_LOOKED_AT] for form in forms}
    found: list[RowForm] = []
    missing: int | None = 0
    for part in ties.groups():
        before = len(found)
        for row in part:
            if row_form(row[:_LOOKED_AT], rules[:_LOOKED_AT]).exact in begins:
                form = row_form(row, rules)
                if form.exact in wanted:
                    found.append(form)
        if len(found) > before:
            missing = unmatched(forms, found)
        if missing is None:
            return None
    return f"row {shown(rows[missing or 0])} was not expected"


@lru_cache(maxsize=256)
def _rules(
    expected: tuple[AnswerColumn, ...], actual: tuple[AnswerColumn, ...]
) -> tuple[ColumnRule, ...]:
    return tuple(
        ColumnRule(
            single="FLOAT" in one.type and "DOUBLE" not in one.type,
            zoned="TIMESTAMP WITH TIME ZONE" in (one.type, other.type),
            padded=other.type.upper().startswith("CHAR("),
            interval=one.type == "INTERVAL",
        )
        for one, other in zip(expected, actual, strict=False)
    )


def _forms(rows: Sequence[Row], rules: Sequence[ColumnRule]) -> list[RowForm]:
    return [row_form(row, rules) for row in rows]
