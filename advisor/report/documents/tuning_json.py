"""Settings of a plan's fragments, as JSON: how they are fetched, and joined."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from advisor.planned.join_memory import JoinMemory
from advisor.planned.tuning import Dividing, TunedFragment, Tuning
from placement.memory.hybrid_hash import JoinCost
from placement.plan import RoutedFragment


def tuning_document(found: Tuning, file: Path | None) -> Mapping[str, Any]:
    """Return what `tune` prints with ``--json``; `file` is the tuned plan's, if it is written."""
    return {
        "file": None if file is None else str(file),
        "predicted_s": found.after.predicted_s,
        "predicted_s_before": found.before.predicted_s,
        "fragments": [_fragment(each) for each in found.fragments],
        "memories": [_memory(each) for each in found.memories],
    }


def _memory(each: JoinMemory) -> Mapping[str, Any]:
    return {
        "name": each.routed.fragment.name,
        "query": each.query,
        "store": each.routed.store,
        "joins": each.joins,
        "before": _cost(each.before),
        "after": _cost(each.choice.chosen),
        "curve": [_cost(point) for point in each.choice.curve],
        "reason": each.choice.reason,
    }


def _cost(cost: JoinCost) -> Mapping[str, Any]:
    return {
        "memory_bytes": round(cost.memory_bytes),
        "seconds": cost.seconds,
        "batches": cost.batches,
        "table_bytes": cost.table_bytes,
    }


def _fragment(each: TunedFragment) -> Mapping[str, Any]:
    return {
        "name": each.name,
        "query": each.query,
        "store": each.after.store,
        "executions": each.executions,
        "rows": each.after.fragment.work.rows_out,
        "row_bytes": each.after.fragment.work.row_bytes_out,
        "before": _fetched(each.before),
        "after": _fetched(each.after),
        "curve": [
            {
                **asdict(point.transfer),
                "predicted_s": point.predicted_s,
                "memory_bytes": point.memory_bytes,
            }
            for point in each.curve
        ],
        "dividing": None if each.dividing is None else _dividing(each.dividing),
    }


def _dividing(found: Dividing) -> Mapping[str, Any]:
    return {
        "usual": asdict(found.usual),
        "elapsed_s_before": found.before_s,
        "elapsed_s": found.after_s,
        "alternatives": [
            {**asdict(each.transfer), "elapsed_s": each.elapsed_s} for each in found.alternatives
        ],
    }


def _fetched(routed: RoutedFragment) -> Mapping[str, Any]:
    settings = None if routed.transfer is None else asdict(routed.transfer)
    return {"transfer": settings, "predicted_s": routed.predicted_s}
