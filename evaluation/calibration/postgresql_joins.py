"""The hash joins of a PostgreSQL plan, as the model of their memory takes them."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from placement.memory.join import HashJoin

# HJTUPLE_OVERHEAD and the header of a minimal tuple, both aligned; a bucket is a pointer.
_ROW_BYTES = 16 + 16
_BUCKET_BYTES = 8
_ALIGNMENT = 8
# In a batch's file: the hash, and the tuple with its header.
_SPILLED_ROW_BYTES = 4 + 16


def hash_joins(plan: Mapping[str, Any]) -> tuple[HashJoin, ...]:
    """Return the hash joins of a plan (``EXPLAIN (FORMAT JSON)``, its key ``Plan``).

    Rows are the measured ones where the plan has been run (``ANALYZE``), else the estimated ones.
    All hash tables are taken to be alive at once: PostgreSQL keeps each until its join ends, and
    a probe's row goes through all of a branch.
    """
    return tuple(_join(node) for node in _nodes(plan) if node["Node Type"] == "Hash Join")


def table_bytes(rows: float, width: float) -> float:
    """Return the size of PostgreSQL's hash table: each row with its headers, a bucket for each.

    Buckets are a power of two, as many as there are rows at least.
    """
    row = _ROW_BYTES + math.ceil(width / _ALIGNMENT) * _ALIGNMENT
    buckets = 1 << max(10, math.ceil(math.log2(max(1.0, rows))))
    return rows * row + buckets * _BUCKET_BYTES


def _join(node: Mapping[str, Any]) -> HashJoin:
    probe, build = node["Plans"]
    build_rows, probe_rows = _rows(build), _rows(probe)
    return HashJoin(
        build_rows=build_rows,
        table_bytes=table_bytes(build_rows, build["Plan Width"]),
        build_bytes=build_rows * (build["Plan Width"] + _SPILLED_ROW_BYTES),
        probe_rows=probe_rows,
        probe_bytes=probe_rows * (probe["Plan Width"] + _SPILLED_ROW_BYTES),
        joined_rows=_rows(node),
    )


def _rows(node: Mapping[str, Any]) -> float:
    if "Actual Rows" in node:
        return float(node["Actual Rows"] * node["Actual Loops"])
    return float(node["Plan Rows"])


def _nodes(plan: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield plan
    for below in plan.get("Plans", ()):
        yield from _nodes(below)
