"""The objects that ``--json`` prints of explanations. Add keys, never rename them."""

from collections.abc import Sequence

from advisor.report.documents.indexes_json import index_gain_documents
from advisor.report.documents.plan_json import Document
from placement.plan import PlacementPlan
from placement.reasons.alternatives import Alternative
from placement.reasons.explain import TableReasons
from placement.reasons.indexes import IndexGain
from placement.reasons.parametric import Direction
from placement.reasons.query_changes import QueryChange
from placement.reasons.sensitivity import CapacityWorth, LeftOut, Sensitivity
from placement.reasons.what_if import WhatIf


def tables_document(reasons: Sequence[TableReasons], indexes: Sequence[IndexGain] = ()) -> Document:
    """Return what `explain` prints of one table or of all, and of their chosen indexes."""
    return {
        "tables": [_table(each) for each in reasons],
        "indexes": index_gain_documents(indexes),
    }


def _table(reasons: TableReasons) -> Document:
    return {
        "name": reasons.table,
        "stores": list(reasons.stores),
        "bytes": reasons.size_bytes,
        "queries": reasons.queries,
        "executions": reasons.executions,
        "held_by": reasons.held_by,
        "because": reasons.because,
        "fixed": [_alternative(each) for each in reasons.fixed],
        "free": [_alternative(each) for each in reasons.free],
        "left_out": [
            {"kind": each.kind, "leaves": each.leaves, "enters": each.enters}
            for each in reasons.late
        ],
    }


def _alternative(each: Alternative) -> Document:
    there = each.plan is not None
    return {
        "kind": each.change.kind,
        "leaves": each.change.leaves,
        "enters": each.change.enters,
        "predicted_s": each.predicted_s,
        "delta_s": each.delta_s if there else None,
        "copies_delta_s": each.copies_delta_s if there else None,
        "bound_s": each.bound_s,
        "cut": each.cut,
        "violations": list(each.violations),
        "reason": each.reason,
        "moves": list(each.moves),
        "queries": [_query(query) for query in each.queries],
    }


def _query(query: QueryChange) -> Document:
    return {
        "name": query.query,
        "executions": query.after_executions,
        "executions_before": query.before_executions,
        "before_s": query.before_s,
        "after_s": query.after_s,
        "delta_s": query.delta_s,
    }


def what_if_document(found: WhatIf, changes: Sequence[str]) -> Document:
    """Return what `what-if` prints."""
    kept = found.kept
    return {
        "changes": list(changes),
        "before": {**_plan(found.before), "money_month": found.before_money},
        "kept": None if kept is None else {**_plan(kept), "money_month": found.kept_money},
        "kept_reason": found.kept_reason,
        "after": {**_plan(found.after), "money_month": found.after_money},
        "moves": [
            {"table": table, "before": list(before), "after": list(after)}
            for table, (before, after) in found.moves.items()
        ],
        "queries": [_query(each) for each in found.queries],
    }


def _plan(plan: PlacementPlan) -> Document:
    return {
        "outcome": str(plan.outcome),
        "predicted_s": plan.predicted_s,
        "bound_s": plan.bound_s,
        "gap": plan.gap,
        "violations": list(plan.violations),
        "placement": {table: list(stores) for table, stores in plan.placement.items()},
    }


def sensitivity_document(
    plan: PlacementPlan,
    best: PlacementPlan,
    found: Sequence[Sensitivity],
    worths: Sequence[CapacityWorth],
    left_out: LeftOut,
) -> Document:
    """Return what `sensitivity` prints."""
    return {
        "predicted_s": plan.predicted_s,
        "best_s": best.predicted_s,
        "figures": [
            {
                "name": each.parameter.name,
                "value": each.parameter.value,
                "share_s": each.share_s,
                "larger": _direction(each.larger),
                "smaller": _direction(each.smaller),
            }
            for each in found
        ],
        "capacities": [
            {
                "store": each.store,
                "extra_bytes": each.extra_bytes,
                "gain_s": each.gain_s,
                "moves": list(each.moves),
            }
            for each in worths
        ],
        "left_out": {"figures": list(left_out.figures), "capacities": list(left_out.stores)},
    }


def _direction(direction: Direction) -> Document:
    return {
        "factor": direction.factor,
        "exact": direction.exact,
        "before_s": direction.before_s,
        "regrets": [
            {"factor": factor, "regret_s": regret_s}
            for factor, regret_s in direction.regret_s.items()
        ],
        "moves": list(direction.moves),
        "solves": direction.solves,
    }
