"""The objects that ``--json`` prints. Their keys are an interface: add, never rename."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from types import MappingProxyType
from typing import Any

from advisor.report.documents.indexes_json import index_documents, index_gain_documents
from advisor.report.documents.measured_json import (
    fragment_documents,
    quality_document,
    throughput_document,
    throughput_documents,
)
from advisor.report.parts.at_once import AtOnce
from advisor.report.parts.plan_facts import PlanFacts
from evaluation.measuring.measurement import CandidateMeasurement, Measurements
from evaluation.measuring.prediction_quality import prediction_quality
from placement.plan import PlacementPlan

Document = Mapping[str, Any]


def plan_document(
    plan: PlacementPlan,
    others: Iterable[PlacementPlan] = (),
    facts: PlanFacts | None = None,
    unmade: Mapping[str, str] = MappingProxyType({}),
    clients: AtOnce | None = None,
) -> Document:
    """Return what `place` prints: the chosen plan, and what the others were predicted to cost.

    `unmade` says which candidates there was no time for, `clients` what is predicted for several.
    """
    return {
        "strategy": plan.strategy,
        "outcome": str(plan.outcome),
        "feasible": plan.feasible,
        "violations": list(plan.violations),
        "predicted_s": plan.predicted_s,
        "bound_s": plan.bound_s,
        "gap": plan.gap,
        "cut": plan.cut,
        "unmade": dict(unmade),
        "placement": {table: list(stores) for table, stores in plan.placement.items()},
        "indexes": index_documents(plan),
        "routing": {
            query: [
                {
                    "store": routed.store,
                    "tables": sorted(routed.fragment.tables),
                    "kind": str(routed.fragment.kind),
                    "preaggregated": routed.fragment.reduction.preaggregated,
                    "predicted_s": routed.predicted_s,
                    "transfer": None if routed.transfer is None else asdict(routed.transfer),
                    "memory_bytes": routed.memory_bytes,
                    "read_by": None if routed.read_by is None else [*map(asdict, routed.read_by)],
                }
                for routed in fragments
            ]
            for query, fragments in plan.routing.items()
        },
        "baselines": {
            other.strategy: other.predicted_s for other in others if other.strategy != plan.strategy
        },
        "throughput": at_once_document(clients),
        **({} if facts is None else _facts(facts)),
    }


def at_once_document(clients: AtOnce | None) -> Document | None:
    """Return what is predicted for several clients; None where nobody asked for it."""
    if clients is None:
        return None
    return {
        "clients": clients.clients,
        "queries_per_s": dict(clients.queries_per_s),
        "bound_queries_per_s": clients.bound_per_s,
        "plan_of_optimal": clients.plan_of_optimal,
        "untold_cores": list(clients.untold),
    }


def _facts(facts: PlanFacts) -> Document:
    costs = facts.costs
    return {
        "rates": dict(facts.rates),
        "costs": {
            "by_store": {
                each.store: {str(kind): work_s for kind, work_s in each.work_s.items()}
                for each in costs.stores
            },
            "by_kind": {str(kind): work_s for kind, work_s in costs.work_s.items()},
            "overlap_s": costs.overlap_s,
            "money_month": {
                each.store: {"storage": each.storage_money, "transfer": each.transfer_money}
                for each in costs.stores
            },
            "bytes_moved": {each.store: each.bytes_moved for each in costs.stores},
        },
        "copies": None
        if facts.copies is None
        else [
            {
                "table": each.table,
                "stores": list(each.stores),
                "copy_bytes": each.copy_bytes,
                "gain_s": each.gain_s,
                "best": each.best,
            }
            for each in facts.copies
        ],
        "index_gains": index_gain_documents(facts.indexes),
        "binding": [
            {
                "key": usage.key,
                "subject": usage.subject,
                "used": usage.used,
                "most": usage.most,
                "unit": str(usage.unit),
            }
            for usage in facts.binding
        ],
    }


def measurements_document(
    measurements: Measurements, *, sentence: str, report: str, tracking_run: str | None
) -> Document:
    """Return what `run`, `demo` and `evaluate` print."""
    recommended = measurements.recommended
    return {
        "candidates": [_candidate(candidate) for candidate in measurements.candidates],
        "recommended": None if recommended is None else recommended.plan.strategy,
        "recommendation": sentence,
        "report": report,
        "tracking_run": tracking_run,
        "seconds": dict(measurements.seconds),
        "predictions": quality_document(prediction_quality(measurements)),
        "throughput": throughput_document(measurements),
        "workload": measurements.workload,
        "catalog": measurements.catalog,
        "scale_factor": measurements.scale_factor,
        "repeats": measurements.repeats,
        "engine": measurements.engine,
        "spark": None if measurements.spark is None else asdict(measurements.spark),
        "fetch_size": measurements.fetch_size,
        "started_at": measurements.started_at,
        "live": [asdict(each) for each in measurements.live],
        "direct": [{**asdict(each), "measured_s": each.measured_s} for each in measurements.direct],
        "literals": [asdict(each) for each in measurements.literals],
        "passed_through": [
            {
                "query": each.query,
                "executions": each.executions,
                "store": each.store,
                "outcome": str(each.outcome),
                "seconds": list(each.seconds),
                "measured_s": each.measured_s,
                "message": each.message,
            }
            for each in measurements.passed_through
        ],
    }


def _candidate(candidate: CandidateMeasurement) -> Document:
    plan = candidate.plan
    return {
        "strategy": plan.strategy,
        "outcome": str(plan.outcome),
        "feasible": plan.feasible,
        "placement": {table: list(stores) for table, stores in plan.placement.items()},
        "predicted_s": candidate.predicted_s,
        "bound_s": plan.bound_s,
        "gap": plan.gap,
        "measured_s": candidate.measured_s,
        "spread_s": candidate.spread_s,
        "rounds": candidate.rounds,
        "load_s": candidate.load_s,
        "queries": query_documents(candidate),
        "throughput": throughput_documents(candidate),
    }


def query_documents(candidate: CandidateMeasurement) -> Sequence[Document]:
    """Return a candidate's queries, one object each."""
    return [
        {
            "name": query.query,
            "executions": query.executions,
            "outcome": str(query.outcome),
            "predicted_s": candidate.plan.query_s(query.query),
            "measured_s": query.measured_s,
            "spread_s": query.spread_s,
            "rows_moved": query.rows_moved,
            "bytes_moved": query.bytes_moved,
            "exchanges": query.exchanges,
            "shuffle_bytes": query.shuffle_bytes,
            "peak_memory_bytes": query.peak_memory_bytes,
            "operators_memory_bytes": query.operators_memory_bytes,
            "shuffle_records": query.shuffle_records,
            "exchanged_rows": query.exchanged_rows,
            "exchanged_bytes": query.exchanged_bytes,
            "spilled_bytes": query.spilled_bytes,
            "engine_s": query.engine_s,
            "stores_s": dict(query.stores_s),
            "fragments": fragment_documents(candidate, query),
            "message": query.message,
        }
        for query in candidate.queries
    ]
