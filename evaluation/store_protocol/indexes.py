"""The indexes of a copy, as far as all stores that make any do alike."""

import hashlib
from collections.abc import Collection

from evaluation.store_protocol.columns import is_floating
from workloads.catalog import Table
from workloads.copied_indexes import copied_indexes
from workloads.indexes import Index

_DIGITS = 12
_LAYOUT = 1
"""Changes with how stores make the indexes of a copy: those with another are loaded again."""


def index_mark(table: Table) -> str:
    """Return what tells the indexes of a copy from others; "" for a copy without any."""
    found = [(each.columns, each.unique) for each in copied_indexes(table)]
    told = repr((_LAYOUT, table.primary_key, found))
    return hashlib.sha256(told.encode()).hexdigest()[:_DIGITS] if found else ""


def is_unique(table: Table, index: Index, kept: Collection[str]) -> bool:
    """Tell whether a copy's index over the columns `kept` of `index` may be a unique one.

    A number that is carried as a binary fraction may equal another then.
    """
    whole = len(kept) == len(index.columns)
    return index.unique and whole and not any(is_floating(table.column(each)) for each in kept)
