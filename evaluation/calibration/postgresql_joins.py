"""The hash joins of a PostgreSQL plan, as the model of their memory takes them."""

from collections.abc import Iterator, Mapping
from typing import Any

from placement.memory.hash_table import spilled_bytes, table_bytes
from placement.memory.join import HashJoin


def hash_joins(plan: Mapping[str, Any]) -> tuple[HashJoin, ...]:
    """Return the hash joins of a plan (``EXPLAIN (FORMAT JSON)``, its key ``Plan``).

    Rows are the measured ones where the plan has been run (``ANALYZE``), else the estimated ones.
    All hash tables are taken to be alive at once: PostgreSQL keeps each until its join ends, and
    a probe's row goes through all of a branch.
    """
    return tuple(_join(node) for node in _nodes(plan) if node["Node Type"] == "Hash Join")


def _join(node: Mapping[str, Any]) -> HashJoin:
    # A node may have subplans of its conditions too.
    of = {each.get("Parent Relationship"): each for each in node["Plans"]}
    probe, build = of["Outer"], of["Inner"]
    build_rows, probe_rows = _rows(build), _rows(probe)
    return HashJoin(
        build_rows=build_rows,
        table_bytes=table_bytes(build_rows, build["Plan Width"]),
        build_bytes=spilled_bytes(build_rows, build["Plan Width"]),
        probe_rows=probe_rows,
        probe_bytes=spilled_bytes(probe_rows, probe["Plan Width"]),
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
