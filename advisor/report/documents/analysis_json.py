"""The object that ``analyze --json`` prints. Its keys are an interface: add, never rename."""

from collections.abc import Mapping
from typing import Any

from advisor.analysis.analysis import Analysis
from placement.fragment import Fragment
from workloads.access_graph import access_graph
from workloads.footprint import Footprint
from workloads.indexes import Index
from workloads.pass_through import PassThrough
from workloads.workload import Skipped

Document = Mapping[str, Any]


def analysis_document(analysis: Analysis) -> Document:
    """Return what `analyze` prints."""
    graph = analysis.graph
    return {
        "dialect": analysis.workload.dialect,
        "statements": analysis.statements,
        "queries": [_query(each) for each in analysis.footprints],
        "writes": [
            {"name": each.query, "executions": each.executions, "tables": sorted(each.writes)}
            for each in analysis.writes
        ],
        "tables": _tables(analysis),
        "co_access": [
            {"tables": list(pair), "weight": weight} for pair, weight in graph.co_access.items()
        ],
        "joins": [
            {"left": edge.left, "right": edge.right, "kind": edge.kind, "weight": weight}
            for edge, weight in graph.joins.items()
        ],
        "fragments": [
            _fragment(fragment)
            for fragments in analysis.fragments.values()
            for fragment in fragments
        ],
        "passed_through": [_passed_through(each) for each in analysis.passed_through],
        "skipped": [_skipped(each) for each in analysis.skipped],
        "skipped_kinds": {
            kind: {"statements": statements, "executions": executions}
            for kind, (statements, executions) in analysis.skipped_by_kind.items()
        },
        "skipped_share": analysis.invalid_share,
    }


def _query(footprint: Footprint) -> Document:
    return {
        "name": footprint.query,
        "executions": footprint.executions,
        "tables": sorted(footprint.tables),
        "writes": sorted(footprint.writes),
        "joins": [
            {"left": edge.left, "right": edge.right, "kind": edge.kind}
            for edge in access_graph([footprint]).joins
        ],
    }


def _tables(analysis: Analysis) -> list[Document]:
    graph = analysis.graph
    return [
        {
            "name": name,
            "rows": table.rows,
            "rows_assumed": name in analysis.assumed_rows,
            "bytes": table.bytes,
            "reads": graph.tables.get(name, 0.0),
            "writes": graph.writes.get(name, 0.0),
            "indexes": [_index(each) for each in table.indexes],
        }
        for name, table in analysis.catalog.tables.items()
    ]


def _index(index: Index) -> Document:
    return {
        "name": index.name,
        "columns": list(index.columns),
        "unique": index.unique,
        "method": index.method,
        "obstacle": index.obstacle,
    }


def _fragment(fragment: Fragment) -> Document:
    return {
        "query": fragment.query,
        "kind": str(fragment.kind),
        "tables": sorted(fragment.tables),
        "sources": list(fragment.sources),
        "rows": fragment.work.rows_out,
        "bytes": fragment.work.bytes_out,
    }


def _passed_through(passed: PassThrough) -> Document:
    return {
        "name": passed.query.name,
        "executions": passed.footprint.executions,
        "dialect": passed.dialect,
        "tables": sorted(passed.tables),
        "writes": sorted(passed.footprint.writes),
        "reason": passed.reason,
        "incomparable": passed.incomparable,
        "moment": passed.moment,
        "unknown_functions": [{"name": known.name, "near": known.near} for known in passed.unknown],
    }


def _skipped(skipped: Skipped) -> Document:
    return {
        "source": skipped.source,
        "line": skipped.line,
        "column": skipped.column,
        "reason": skipped.reason,
        "kind": skipped.kind,
        "executions": skipped.executions,
        "statements": skipped.statements,
        "temporary": skipped.temporary,
    }
