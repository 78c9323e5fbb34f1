"""Indexes of tables, and which of them a copy gets."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

ORDERED = "btree"
_METHODS = frozenset({ORDERED, "hash"})
"""Methods that find rows by whole values, as an ordered index does."""

NO_COLUMNS = "it is over an expression"
PARTIAL = "it is of a part of the rows"
NOT_WANTED = '[place].indexes is "none"'
_UNLIKE_TEXT = ("INTERVAL", "JSON", "TIME WITH TIME ZONE")
"""Types of which equal values may differ as text: '1 day' is '24:00:00'."""


@dataclass(frozen=True, slots=True, order=True)
class NamedIndex:
    """An ordered index as plans name it: its table, and the columns of its key in order."""

    table: str
    columns: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.table} ({', '.join(self.columns)})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """An index of a table, with its key's columns in order; none where one is an expression.

    `method` is how it finds rows, in small letters, `name` what its table's own store calls it.
    `obstacle` is why no copy gets one like it, "" where a copy may. `is_chosen` says that a table
    has it only in the stores that it is chosen for.
    """

    columns: tuple[str, ...]
    unique: bool = False
    method: str = ORDERED
    name: str = ""
    obstacle: str = ""
    is_chosen: bool = False


def index(
    columns: Iterable[str],
    *,
    name: str,
    unique: bool = False,
    method: str = ORDERED,
    is_partial: bool = False,
    has_expression: bool = False,
    obstacle: str = "",
) -> Index:
    """Return an index with the first reason why copies get none like it."""
    known = method.lower()
    if known not in _METHODS:
        obstacle = f"its method is {known}"
    elif has_expression:
        obstacle = NO_COLUMNS
    elif is_partial:
        obstacle = PARTIAL
    return Index(
        columns=() if has_expression else tuple(columns),
        unique=unique,
        method=known,
        name=name,
        obstacle=obstacle,
    )


def distinct_indexes(indexes: Iterable[Index], primary_key: tuple[str, ...]) -> tuple[Index, ...]:
    """Return the indexes without those over the columns of the primary key or of another one.

    Of two over the same columns the unique one stays.
    """
    found: dict[tuple[str, ...], Index] = {}
    others = []
    for each in indexes:
        key = tuple(column.lower() for column in each.columns)
        if each.obstacle or not key:
            others.append(each)
        elif key != tuple(column.lower() for column in primary_key):
            before = found.get(key)
            found[key] = (
                each if before is None else replace(before, unique=before.unique or each.unique)
            )
    return (*found.values(), *others)


def with_rows_of_heirs(indexes: Iterable[Index], primary_key: tuple[str, ...]) -> tuple[Index, ...]:
    """Return the indexes of a table that is read with the rows of tables that inherit from it.

    These may have the key of one of its own: nothing is unique, the primary key neither.
    """
    key = (Index(columns=primary_key),) if primary_key else ()
    return (*key, *(replace(each, unique=False) for each in indexes))


def with_types(indexes: Iterable[Index], types: Mapping[str, str]) -> tuple[Index, ...]:
    """Return the indexes with what the types of their columns refuse; `types` are DuckDB's."""
    return tuple(
        each if each.obstacle else replace(each, obstacle=_type_obstacle(each, types))
        for each in indexes
    )


def _type_obstacle(found: Index, types: Mapping[str, str]) -> str:
    for column in found.columns:
        if column not in types:
            return f"its column '{column}' may not be read"
        type_ = types[column].upper()
        if type_ in _UNLIKE_TEXT or type_.endswith("[]"):
            return unlike_text(column, type_)
    return ""


def unlike_text(column: str, type_: str) -> str:
    """Return why an index over a column that copies have as text finds no values in it."""
    return f"equal values of its column '{column}' ({type_}) may differ as text, as copies have it"
