"""The object that `explain --query` prints with ``--json``. Add keys, never rename them."""

from typing import Any

from advisor.planned.explained_query import ExplainedFragment, ExplainedQuery, Statements
from advisor.planned.measured_runs import FoundQuery, MeasuredFragment
from evaluation.federation.compiled import OneScan
from evaluation.federation.keys import KeyFilter
from evaluation.measuring.prediction_quality import (
    FEWEST_ROWS,
    q_error,
    seconds_q_error,
    store_s,
)
from placement.plan import RoutedFragment

Document = dict[str, Any]


def explained_document(explained: ExplainedQuery) -> Document:
    """Return what `explain --query` prints."""
    reasons = explained.reasons
    return {
        "query": reasons.query,
        "executions": reasons.executions,
        "predicted_s": reasons.predicted_s,
        "fragments": [_fragment(each) for each in explained.fragments],
        "combine_sql": explained.combine_sql,
        "combiner": None if explained.combine_sql is None else explained.combiner,
        "lacked_by_spark": list(explained.lacked),
        "sql_error": explained.failure or None,
        "measured": _found(explained.measured, reasons.predicted_s),
        "stores": [
            {
                "store": each.store,
                "predicted_s": each.predicted_s,
                "fragments": each.fragments,
                "missing": list(each.missing),
                "obstacle": each.obstacle,
            }
            for each in reasons.stores
        ],
    }


def _fragment(each: ExplainedFragment) -> Document:
    routed, cost, sql = each.routed, each.cost, each.sql
    fragment = routed.fragment
    return {
        "name": fragment.name,
        "store": routed.store,
        "kind": str(fragment.kind),
        "tables": sorted(fragment.tables),
        "sources": list(fragment.sources),
        "reducers": list(fragment.reduction.reducers),
        "predicted_keys": fragment.reduction.every_key,
        "preaggregated": fragment.reduction.preaggregated,
        "predicted_rows": fragment.work.rows_out,
        "predicted_bytes": fragment.work.bytes_out,
        "predicted_s": store_s(routed),
        "start_s": cost.start_s,
        "scan_s": cost.scan_s,
        "join_s": cost.join_s,
        "aggregate_s": cost.aggregate_s,
        "transfer_s": cost.transfer_s,
        "engine_s": cost.engine_s,
        "limits": [
            {
                "kind": str(limit.kind),
                "sentence": limit.sentence,
                "larger": limit.larger.name,
                "features": list(limit.features),
                "tables": list(limit.tables),
            }
            for limit in each.limits
        ],
        "view": None if sql is None else sql.view,
        "dialect": None if sql is None else sql.dialect,
        "sql": None if sql is None else sql.text,
        "held_back": [] if sql is None else list(sql.held_back),
        "keys": [] if sql is None else [_key(key) for key in sql.keys],
        "same_as": None if sql is None else sql.same_as,
        "one_scan": None if sql is None else _one_scan(sql.one_scan),
        "statements": _statements(None if sql is None else sql.statements),
        "measured": _measured(routed, each.measured),
    }


def _statements(found: Statements | None) -> Document | None:
    if found is None:
        return None
    return {"most": found.most, "column": found.column, "hidden": found.hidden or None}


def _one_scan(scan: OneScan | None) -> Document | None:
    return None if scan is None else {"view": scan.view, "sql": scan.sql}


def _key(key: KeyFilter) -> Document:
    source = key.source
    return {
        "column": key.quoted,
        "operator": key.operator,
        "store": source.store,
        "view": source.view,
        "view_column": source.column,
        "sql": source.sql,
    }


def _measured(routed: RoutedFragment, found: MeasuredFragment | None) -> Document | None:
    if found is None:
        return None
    read = found.partitions > 0
    rows_out = routed.fragment.work.rows_out
    return {
        "rows": found.rows,
        "bytes": found.bytes,
        "seconds": found.seconds,
        "partitions": found.partitions,
        "rows_q_error": q_error(rows_out, found.rows, least=FEWEST_ROWS) if read else None,
        "seconds_q_error": seconds_q_error(store_s(routed), found.seconds) if read else None,
    }


def _found(found: FoundQuery | None, predicted_s: float) -> Document | None:
    if found is None:
        return None
    query = found.query
    taken = query.measured_s
    return {
        "file": str(found.file),
        "strategy": found.strategy,
        "started_at": found.started_at,
        "outcome": str(query.outcome),
        "measured_s": taken,
        "q_error": None if taken is None else seconds_q_error(predicted_s, taken),
        "engine_s": query.engine_s,
        "exchanges": query.exchanges,
        "shuffle_records": query.shuffle_records,
        "shuffle_bytes": query.shuffle_bytes,
        "spilled_bytes": query.spilled_bytes,
        "peak_memory_bytes": query.peak_memory_bytes,
        "message": query.message,
    }
