"""The objects that `pareto`, `diff` and `migrate` print. Their keys are an interface."""

from collections.abc import Mapping, Sequence
from typing import Any

from advisor.report.documents.indexes_json import index_documents
from evaluation.migration_sql import Command
from placement.frontier.pareto import Frontier, ParetoPoint
from placement.movement.difference import Difference
from placement.movement.migration import Migration
from placement.movement.migration_routing import Switched
from placement.movement.migration_steps import ROUTED, Step
from placement.plan import RoutedFragment

Document = Mapping[str, Any]


def frontier_document(frontier: Frontier) -> Document:
    """Return what `pareto` prints."""
    return {
        "points": [
            {**_point(point), "recommended": point is frontier.knee} for point in frontier.points
        ],
        "baselines": [_point(point) for point in frontier.baselines],
        "trading": list(frontier.trading),
    }


def _point(point: ParetoPoint) -> Document:
    found = point.objectives
    return {
        "name": point.plan.strategy,
        "predicted_s": found.predicted_s,
        "moved_bytes": found.moved_bytes,
        "money": found.money,
        "migration_bytes": found.migration_bytes,
        "bounded": point.bounded,
        "bound": point.bound,
        "outcome": str(point.outcome),
        "gap": point.gap,
        "supported": point.supported,
        "feasible": point.plan.feasible,
        "violations": list(point.plan.violations),
        "placement": {table: list(stores) for table, stores in point.plan.placement.items()},
        "indexes": index_documents(point.plan),
    }


def difference_document(found: Difference) -> Document:
    """Return what `diff` prints."""
    return {
        "before": {"strategy": found.before.strategy, "predicted_s": found.before.predicted_s},
        "after": {"strategy": found.after.strategy, "predicted_s": found.after.predicted_s},
        "tables": [
            {
                "table": each.table,
                "kind": each.kind,
                "before": list(each.before),
                "after": list(each.after),
                "added": list(each.added),
                "dropped": list(each.dropped),
                "bytes": each.bytes,
            }
            for each in found.tables
        ],
        "indexes": [
            {
                "store": each.store,
                "table": each.index.table,
                "columns": list(each.index.columns),
                "kind": "added" if each.added else "dropped",
                "bytes": each.bytes,
            }
            for each in found.indexes
        ],
        "copied_bytes": found.copied_bytes,
        "dropped_bytes": found.dropped_bytes,
        "loads_s": found.loads_s,
        "queries": [
            {
                "query": each.query,
                "executions": each.after_executions,
                "before_s": each.before_s,
                "after_s": each.after_s,
                "delta_s": each.delta_s,
            }
            for each in found.queries
        ],
    }


def migration_document(
    migration: Migration,
    switched: Sequence[Switched],
    preamble: Command,
    commands: Sequence[Sequence[Command]],
) -> Document:
    """Return what `migrate` prints; `switched` is of the start, each switch and change of index."""
    after = iter(switched[1:])
    return {
        "steps": [
            _step(number, step, of_step, next(after) if step.kind in ROUTED else None)
            for number, (step, of_step) in enumerate(
                zip(migration.steps, commands, strict=True), start=1
            )
        ],
        "preamble": _command(preamble),
        "copied_bytes": migration.copied_bytes,
        "detour_bytes": migration.detour_bytes,
        "indexed_bytes": migration.indexed_bytes,
        "fewest_bytes": migration.fewest_bytes,
        "lowest_peak": migration.lowest_peak,
        "peak_bytes": dict(migration.peak_bytes),
        "estimated_s": migration.estimated_s,
        "queries_s": {
            "before": switched[0].queries_s,
            "worst": max(each.queries_s for each in switched),
            "after": switched[-1].queries_s,
        },
        "start": {table: list(stores) for table, stores in migration.start.items()},
        "goal": {table: list(stores) for table, stores in migration.goal.items()},
    }


def _step(
    number: int, step: Step, commands: Sequence[Command], switched: Switched | None
) -> Document:
    return {
        "number": number,
        "kind": step.kind,
        "table": step.table,
        "source": step.source,
        "target": step.target,
        "columns": None if step.index is None else list(step.index.columns),
        "bytes": step.bytes,
        "held_bytes": dict(step.held_bytes),
        "estimated_s": step.estimated_s,
        "commands": [_command(command) for command in commands],
        "queries_s": None if switched is None else switched.queries_s,
        "routing": {}
        if switched is None
        else {query: _routing(routed) for query, routed in switched.routing.items()},
    }


def _routing(routed: Sequence[RoutedFragment]) -> Sequence[Document]:
    return [
        {
            "store": each.store,
            "tables": sorted(each.fragment.tables),
            "kind": str(each.fragment.kind),
            "predicted_s": each.predicted_s,
        }
        for each in routed
    ]


def _command(command: Command) -> Document:
    return {"store": command.store, "language": command.language, "text": list(command.text)}
