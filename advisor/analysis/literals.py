"""Literals for the statements of an analysis whose parameters nobody recorded."""

from dataclasses import replace

from advisor.analysis.analysis import Analysis
from workloads.literals.filling import fill
from workloads.progress import Progress


def with_literals(analysis: Analysis, seed: int, progress: Progress) -> Analysis:
    """Return the analysis with literals to run statements with that have parameters.

    Their texts stay as they are. The rows of all tables that are read have to be there.
    """
    filling = fill(
        analysis.workload,
        analysis.footprints,
        analysis.passed_through,
        analysis.catalog,
        progress,
        seed=seed,
    )
    footprints = {name: each.footprint for name, each in filling.filled.items()}
    passed = {name: each.passed_through for name, each in filling.filled.items()}
    return replace(
        analysis,
        footprints=tuple(footprints.get(each.query) or each for each in analysis.footprints),
        passed_through=tuple(
            passed.get(each.query.name) or each for each in analysis.passed_through
        ),
        filling=filling,
    )
