"""Experiments as ``--json``, and as the file beside their page. Add keys, never rename them."""

from typing import Any

from advisor.experiments.cells import Cell
from advisor.experiments.claims import Comparison, Direction
from advisor.experiments.findings import Findings
from advisor.experiments.laboratory import Laboratory
from advisor.experiments.results import Result
from advisor.experiments.series import Figure, Series, Variant

Document = dict[str, Any]


def left_document(laboratory: Laboratory) -> Document:
    """Return what is left to do."""
    left = laboratory.left()
    return {
        "project": laboratory.project.name,
        "experiments": list(laboratory.numbers),
        "folder": str(laboratory.folder),
        "cells": len(laboratory.cells),
        "left": [_cell(each) for each in left],
        "impossible": [
            {**_cell(cell), "reason": reason} for cell, reason in laboratory.impossible.items()
        ],
    }


def findings_document(found: Findings) -> Document:
    """Return all that was measured and compared."""
    return {
        "project": found.name,
        "scale_factor": found.scale_factor,
        "experiments": list(found.numbers),
        "cells": found.cells,
        "left": found.left,
        "impossible": [
            {"reason": reason, "cells": [_cell(each) for each in cells]}
            for reason, cells in found.impossible.items()
        ],
        "figures": [_figure(each) for each in found.figures],
        "paper": {
            "source": found.paper.source,
            "figures": [_figure(each) for each in found.paper.figures.values()],
            "contradictions": list(found.paper.contradictions),
        },
        "directions": [_direction(each) for each in found.directions],
        "queries": [
            {
                "experiment": each.experiment,
                "engine": each.engine,
                **_variant(each.variant),
                "verified": list(each.verified),
                "mended": dict(each.mended),
                "failed": dict(each.failed),
            }
            for each in found.finished
        ],
        "results": [_result(each) for each in found.results],
    }


def _cell(cell: Cell) -> Document:
    setting = cell.setting
    return {
        "engine": setting.engine,
        "workers": setting.workers,
        "join_strategy": setting.joins,
        "alone": setting.alone,
        "placement": cell.placement,
        "query": cell.query,
    }


def _variant(variant: Variant) -> Document:
    return {
        "placement": variant.placement,
        "workers": variant.workers,
        "join_strategy": variant.joins,
    }


def _figure(figure: Figure) -> Document:
    return {
        "experiment": figure.experiment,
        "quantity": figure.quantity,
        "counterpart": figure.counterpart,
        "engine": figure.engine,
        "series": [_series(each) for each in figure.series],
    }


def _series(series: Series) -> Document:
    return {**_variant(series.variant), "values": dict(series.values)}


def _direction(each: Direction) -> Document:
    return {
        "experiment": each.claim.experiment,
        "quantity": each.claim.quantity,
        "claim": each.claim.text,
        "engine": each.engine,
        "paper": _comparison(each.paper),
        "here": _comparison(each.here),
        "verdict": each.verdict.value,
        "why": each.why,
    }


def _comparison(found: Comparison | None) -> Document | None:
    if found is None:
        return None
    return {
        "queries": list(found.queries),
        "lower": found.lower,
        "total_ratio": found.total,
        "mean_ratio": found.mean,
    }


def _result(each: Result) -> Document:
    query = each.measurement
    return {
        **_cell(each.cell),
        "outcome": str(query.outcome),
        "message": query.message,
        "seconds": list(query.seconds),
        "measured_s": query.measured_s,
        "predicted_s": each.predicted_s,
        "rows_moved": query.rows_moved,
        "bytes_moved": query.bytes_moved,
        "exchanges": query.exchanges,
        "exchanged_rows": query.exchanged_rows,
        "exchanged_bytes": query.exchanged_bytes,
        "shuffle_bytes": query.shuffle_bytes,
        "peak_memory_bytes": query.peak_memory_bytes,
        "operators_memory_bytes": query.operators_memory_bytes,
        "spilled_bytes": query.spilled_bytes,
        "load_average": list(each.machine.load_average),
        "started_at": each.started_at,
        "command": each.command,
        "commit": each.commit,
    }
