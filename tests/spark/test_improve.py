"""Measured on real stores, a plan's corrected prices are what it took, and the loop ends."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from advisor.improvement import Round, improve
from evaluation.evaluate import measure
from evaluation.load import load
from evaluation.measuring.corrections import corrections
from evaluation.measuring.measurement import Measurements
from evaluation.running.job import Job
from evaluation.store_protocol.connection import Connection
from placement.limits.check import check
from placement.plan import PlacementPlan
from placement.problem import PlacementProblem
from placement.routing.refitted import at_prices, corrected
from tests.spark.test_runs import everything_in, problem
from workloads.catalog import Catalog
from workloads.progress import Silent
from workloads.workload import Workload

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.stores, pytest.mark.spark]

FASTER = 1000.0
"""By how much MariaDB is said to be faster than it is."""


def with_faster_maria(asked: PlacementProblem) -> PlacementProblem:
    """Overrate MariaDB's scans, joins, aggregates and transfers."""
    maria = asked.store("maria")
    known = maria.strength
    rates = (
        *("scan_bytes_per_s", "join_rows_per_s", "aggregate_rows_per_s"),
        *("transfer_bytes_per_s", "transfer_rows_per_s"),
    )
    faster = {name: FASTER * getattr(known, name) for name in rates}
    overrated = replace(maria, strength=replace(known, **faster))
    return replace(
        asked, stores=tuple(overrated if each is maria else each for each in asked.stores)
    )


class Silence:
    """An audience that nobody listens with."""

    def proposed(self, number: int, proposal: object) -> None:
        """Hear nothing."""

    def measured(self, found: Round) -> None:
        """Hear nothing."""


def test_a_measured_plan_costs_what_it_took_and_the_fastest_one_is_recommended(
    spark: "SparkSession", embedded: Mapping[str, Connection], tiny: Catalog, queries: Workload
):
    few = replace(queries, queries=tuple(queries.query(name) for name in ("q15", "q62", "q84")))
    stores = {name: embedded[name] for name in ("pg", "maria")}
    asked = with_faster_maria(problem(few, tiny, stores))
    job = Job(workload=few, catalog=tiny, connections=stores, repeats=1)

    def measured(plans: Sequence[PlacementPlan]) -> Measurements:
        loaded = load(tiny, plans, stores, Silent())
        return measure(spark, job, plans, loaded, Silent())

    first = everything_in(asked, "maria")
    found = improve(asked, [first], 3, Silence(), measure=measured)
    (began,) = found.rounds[0].measurements.candidates
    assert began.verified
    now = corrected(asked, corrections(asked, [found.rounds[0].measurements]))
    again = at_prices(now, first)
    assert check(now, again) == ()
    for each in began.queries:
        assert again.query_s(each.query) == pytest.approx(each.measured_s)
    last = [each for each in found.rounds if found.recommended in each.measurements.candidates][-1]
    took = [each.measured_s for each in last.measurements.candidates if each.measured_s]
    assert found.recommended is not None
    assert found.recommended.measured_s == min(took)
