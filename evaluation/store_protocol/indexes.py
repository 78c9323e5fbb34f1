"""The indexes of a copy, as far as all stores that make any do alike."""

import hashlib
from collections.abc import Collection, Mapping

from evaluation.store_protocol.columns import is_floating
from workloads.catalog import Table
from workloads.copied_indexes import copied_indexes
from workloads.indexes import Index

NAME = "advisor_"
"""Begins the names of indexes that we make on copies. Others on a copy are not ours to drop."""
CHANGING = "changing"
"""Stands for the mark of a copy whose indexes are being changed: no table has it."""
_DIGITS = 12
_LAYOUT = 2
"""Changes with how stores make and name the indexes of a copy: those with another are remade."""


def index_mark(table: Table) -> str:
    """Return what tells the indexes of a copy from others; "" for a copy without any."""
    found = sorted((each.columns, each.unique) for each in copied_indexes(table))
    return _digest((_LAYOUT, table.primary_key, found)) if found else ""


def index_name(table: Table, index: Index) -> str:
    """Return what an index of a copy is called: the same whenever, and however, it is made.

    No other index of a namespace has the name.
    """
    return NAME + _digest((_LAYOUT, table.name, index.columns, index.unique))


def named_indexes(table: Table) -> Mapping[str, Index]:
    """Return name → index for those that a copy gets beside its primary key."""
    return {index_name(table, each): each for each in copied_indexes(table)}


def _digest(told: object) -> str:
    return hashlib.sha256(repr(told).encode()).hexdigest()[:_DIGITS]


def is_unique(table: Table, index: Index, kept: Collection[str]) -> bool:
    """Tell whether a copy's index over the columns `kept` of `index` may be a unique one.

    A number that is carried as a binary fraction may equal another then.
    """
    whole = len(kept) == len(index.columns)
    return index.unique and whole and not any(is_floating(table.column(each)) for each in kept)
