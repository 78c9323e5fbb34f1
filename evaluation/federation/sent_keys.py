"""The SQL of a fragment that keys are sent along with."""

from collections.abc import Sequence
from datetime import date

MOST_SENT = 50_000
"""Keys of which more are not sent: the fragment is then fetched as it is."""


def restricted(
    sql: str,
    filters: Sequence[tuple[str, Sequence[object]]],
    bounds: Sequence[tuple[str, str, Sequence[object]]] = (),
) -> str:
    """Return a fragment's SQL with only the rows whose columns hold one of the values.

    `filters` are quoted columns with integers or dates, `bounds` those that are in another
    relation to one of the values. No value lets no row through.
    """
    conditions = [
        f"k.{quoted} IN ({', '.join(map(_literal, values))})" if values else "1 = 0"
        for quoted, values in filters
    ]
    conditions += [
        f"k.{quoted} {operator} {_literal(_loosest(operator, values))}" if values else "1 = 0"
        for quoted, operator, values in bounds
    ]
    rows = f"SELECT k.* FROM ({sql}) k"  # noqa: S608 - written by us; values are numbers and dates
    return f"{rows} WHERE {' AND '.join(conditions)}"


def _loosest(operator: str, values: Sequence[object]) -> object:
    """Return the bound that lets all rows through that are in the relation to one of `values`."""
    choose = min if operator.startswith(">") else max
    return choose(values)  # type: ignore[type-var]


def can_be_sent(values: Sequence[object]) -> bool:
    """Whether there is a literal for each: what a derived table computes may be of any type."""
    return all(type(each) in (int, date) for each in values)


def _literal(value: object) -> str:
    if type(value) is date:
        return f"DATE '{value.isoformat()}'"
    if type(value) is int:
        return str(value)
    raise TypeError(f"a key of type {type(value).__name__} cannot be sent")
