"""Chosen indexes in the objects that ``--json`` prints. Keys are added, never renamed."""

from collections.abc import Iterable, Mapping
from typing import Any

from placement.plan import PlacementPlan
from placement.reasons.indexes import IndexGain


def index_documents(plan: PlacementPlan) -> list[Mapping[str, Any]]:
    """Return the indexes that a plan's copies have beside those that all copies get."""
    return [
        {"store": store, "table": each.table, "columns": list(each.columns)}
        for store, indexes in plan.indexes.items()
        for each in indexes
    ]


def index_gain_documents(gains: Iterable[IndexGain]) -> list[Mapping[str, Any]]:
    """Return what each chosen index gains."""
    return [
        {
            "store": each.store,
            "table": each.index.table,
            "columns": list(each.index.columns),
            "bytes": each.size_bytes,
            "upkeep_s": each.upkeep_s,
            "gain_s": each.gain_s,
            "queries": list(each.queries),
        }
        for each in gains
    ]
