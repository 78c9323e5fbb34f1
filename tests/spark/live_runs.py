"""Runs of the advisor on live tables."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.analysis.analyze import analyze
from advisor.measuring.connections import connections
from advisor.measuring.measure import job_of
from advisor.pipeline import place, prepare
from advisor.problem.prepared import Prepared
from advisor.project.config import load_project
from evaluation.evaluate import measure, stores_held
from evaluation.load import load
from evaluation.measuring.measurement import Measurements, QueryOutcome
from placement.plan import PlacementPlan
from workloads.progress import Silent

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


SILENT = Silent()


def prepared(file: Path) -> Prepared:
    project = load_project(file)
    return prepare(project, analyze(project, SILENT, needs_data=True))


def chosen(of: Prepared) -> dict[str, PlacementPlan]:
    plans = place(of.problem, ("single_store", "optimal"), SILENT).plans
    return {plan.strategy: plan for plan in plans}


def run(spark: "SparkSession", of: Prepared, plans: Mapping[str, PlacementPlan]) -> Measurements:
    """Load and measure them, as `evaluate` does in a session of its own."""
    with connections(of.project, SILENT) as found:
        job = job_of(of.project, of.analysis, found, of.problem)
        with stores_held(job, tuple(plans.values())):
            loaded = load(job.catalog, tuple(plans.values()), found, SILENT)
            return measure(spark, job, tuple(plans.values()), loaded, SILENT)


def outcomes(found: Measurements) -> dict[str, dict[str, tuple[QueryOutcome, str]]]:
    return {
        each.plan.strategy: {q.query: (q.outcome, q.message) for q in each.queries}
        for each in found.candidates
    }
