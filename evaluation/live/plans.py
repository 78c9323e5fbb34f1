"""PostgreSQL's EXPLAIN: what is asked, and what its plan says of rows."""

import re
from collections.abc import Mapping
from itertools import count
from typing import Any

from evaluation.live.live import MARK
from workloads.estimation.cardinality import MIN_ROWS
from workloads.footprint import Block

Plan = Mapping[str, Any]
"""A node as EXPLAIN's JSON has it, with the nodes that it reads."""

# A text, a quoted name, or a parameter as sqlglot writes it for PostgreSQL: %s, or ? where it was
# read as PostgreSQL's own. (?| and ?& are operators.)
# GENERIC_PLAN is PostgreSQL 16's.
_PARAMETER = re.compile(r"""('(?:[^']|'')*'|"(?:[^"]|"")*")|%s|\?(?![|&])""")
_SORTS = frozenset({"Sort", "Incremental Sort", "Materialize"})
_GROUPINGS = frozenset({"Aggregate", "Group", "Unique", "WindowAgg"})


def explained(sql: str) -> str:
    """Return the statement that plans `sql`: for any values of its parameters, if it has some."""
    numbers = count(1)
    numbered = _PARAMETER.sub(lambda found: found[1] or f"${next(numbers)}", sql)
    generic = "GENERIC_PLAN, " if numbered != sql else ""
    return f"EXPLAIN {MARK} ({generic}FORMAT JSON) {numbered}"


def rows_of(plan: Plan) -> float:
    """Return the rows that the node at the top returns."""
    return max(MIN_ROWS, float(plan["Plan Rows"]))


def _input(plan: Plan) -> Plan | None:
    """Return the node that `plan` reads its rows from; None for the scans and joins."""
    for child in plan.get("Plans", ()):
        if child["Parent Relationship"] == "Outer":
            found: Plan = child
            return found
    return None


def below_limit(plan: Plan) -> Plan:
    """Return the node whose rows a LIMIT cuts, or the one at the top."""
    below = _input(plan) if plan["Node Type"] == "Limit" else None
    return plan if below is None else below


def below_groups(plan: Plan, block: Block) -> Plan:
    """Return the node below a block's own LIMIT, sort, windows, DISTINCT and grouping.

    At most as many groupings as the block has are taken off: the next belongs to a derived table.
    """
    output = block.output
    left = (output.group_by is not None) + output.distinct + ("window" in block.features)
    node = below_limit(plan)
    while node["Node Type"] in _SORTS or (left and node["Node Type"] in _GROUPINGS):
        left -= node["Node Type"] in _GROUPINGS
        below = _input(node)
        if below is None:
            break
        node = below
    return node
