"""Predicted throughput of a run, by the machines that its stores and engine share."""

from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.clients.prediction import predicted_per_s
from evaluation.running.job import Job, read_job, write_job
from placement.fragment import Coverage, EstimatedWork, Fragment
from placement.machines import Machines
from placement.plan import Outcome, PlacementPlan, RoutedFragment
from placement.stores import Capability
from placement.throughput import Demand, throughput
from workloads.catalog import Catalog
from workloads.workload import Workload

MACHINES = Machines(
    of_store={"here": "this", "also_here": "this", "far": "that"}, engine="this", cores={"this": 3}
)


def routed(store: str, seconds: float, engine_s: float) -> RoutedFragment:
    fragment = Fragment(
        coverage=Coverage(
            query="q", kind=Capability.SCAN, block="b", sources=("b.t",), tables=frozenset({"t"})
        ),
        work=EstimatedWork(
            scan_bytes=1,
            column_bytes=1,
            join_rows=1,
            aggregate_rows=1,
            rows_out=1,
            row_bytes_out=1,
        ),
    )
    return RoutedFragment(
        fragment=fragment, store=store, predicted_s=seconds + engine_s, engine_s=engine_s
    )


def plan(**routing: tuple[RoutedFragment, ...]) -> PlacementPlan:
    return PlacementPlan(
        strategy="s", outcome=Outcome.FEASIBLE, placement={}, routing=routing, predicted_s=1
    )


def job(**settings: object) -> Job:
    made = Job(
        workload=Workload(name="w", dialect="duckdb", queries=()),
        catalog=Catalog(name="c", tables={}),
        connections={},
        machines=MACHINES,
    )
    return replace(made, **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("store", ["here", "also_here"])
def test_a_store_on_the_engines_machine_shares_its_cores(store: str):
    asked = plan(q=(routed(store, 0.6, 0.4),))
    for clients in (1, 2, 8):
        expected = throughput([Demand(seconds=1.0, cores=3)], clients)
        assert predicted_per_s(job(), asked, ("q",), clients) == pytest.approx(expected)


@pytest.mark.parametrize("store", ["far", "unknown"])
def test_a_store_on_a_machine_of_unknown_cores_lets_nobody_wait(store: str):
    asked = plan(q=(routed(store, 0.6, 0.4),))
    expected = throughput([Demand(seconds=0.4, cores=3), Demand(seconds=0.6, cores=None)], 8)
    assert predicted_per_s(job(), asked, ("q",), 8) == pytest.approx(expected)


def test_another_machine_has_the_cores_that_are_told_of_it():
    asked = plan(q=(routed("far", 0.6, 0.4),))
    told = job(machines=replace(MACHINES, cores={"this": 3, "that": 2}))
    expected = throughput([Demand(seconds=0.4, cores=3), Demand(seconds=0.6, cores=2)], 8)
    assert predicted_per_s(told, asked, ("q",), 8) == pytest.approx(expected)


def test_a_store_that_keeps_several_cores_busy_leaves_fewer_to_others():
    asked = plan(q=(routed("here", 0.6, 0.4),))
    busy = job(machines=replace(MACHINES, busy_cores={"here": 2.5, "far": 9.0}))
    expected = throughput([Demand(seconds=1.0, cores=3, busy_s=0.6 * 2.5 + 0.4)], 4)
    assert predicted_per_s(busy, asked, ("q",), 4) == pytest.approx(expected)
    most = job(machines=replace(MACHINES, busy_cores={"here": 9.0}))
    expected = throughput([Demand(seconds=1.0, cores=3, busy_s=0.6 * 3 + 0.4)], 4)
    assert predicted_per_s(most, asked, ("q",), 4) == pytest.approx(expected)


def test_what_is_over_before_a_store_begins_keeps_one_core_of_the_engine_busy():
    here = replace(routed("here", 0.6, 0.4), start_s=0.2)
    busy = job(machines=replace(MACHINES, busy_cores={"here": 2.5}))
    expected = throughput([Demand(seconds=1.0, cores=3, busy_s=0.4 * 2.5 + 0.6)], 4)
    assert predicted_per_s(busy, plan(q=(here,)), ("q",), 4) == pytest.approx(expected)
    far = replace(routed("far", 0.6, 0.4), start_s=0.2)
    expected = throughput([Demand(seconds=0.6, cores=3), Demand(seconds=0.4, cores=None)], 4)
    assert predicted_per_s(job(), plan(q=(far,)), ("q",), 4) == pytest.approx(expected)


def test_what_a_store_waits_for_its_disk_keeps_no_core_busy():
    here = replace(routed("here", 0.6, 0.4), disk_s=0.5)
    busy = job(machines=replace(MACHINES, busy_cores={"here": 2.5}))
    expected = throughput(
        [Demand(seconds=0.5, cores=3, busy_s=0.1 * 2.5 + 0.4), Demand(seconds=0.5, cores=None)], 4
    )
    assert predicted_per_s(busy, plan(q=(here,)), ("q",), 4) == pytest.approx(expected)


def test_rows_that_are_handed_over_keep_cores_of_their_own_number_busy():
    here = replace(routed("here", 0.6, 0.4), rows_s=0.5)
    busy = job(machines=replace(MACHINES, busy_cores={"here": 1.2}, handing_cores={"here": 2.5}))
    busy_s = 0.1 * 1.2 + 0.5 * 2.5 + 0.4
    expected = throughput([Demand(seconds=1.0, cores=3, busy_s=busy_s)], 4)
    assert predicted_per_s(busy, plan(q=(here,)), ("q",), 4) == pytest.approx(expected)
    # Where nobody told them they are as many as of the store's other seconds.
    untold = job(machines=replace(MACHINES, busy_cores={"here": 1.2}))
    expected = throughput([Demand(seconds=1.0, cores=3, busy_s=0.6 * 1.2 + 0.4)], 4)
    assert predicted_per_s(untold, plan(q=(here,)), ("q",), 4) == pytest.approx(expected)


def test_queries_count_as_often_as_they_are_drawn():
    asked = plan(short=(routed("here", 0.1, 0.0),), long=(routed("here", 1.0, 0.0),))
    drawn = ("short", "long", "short", "short")
    assert predicted_per_s(job(), asked, drawn, 1) == pytest.approx(4 / 1.3)


def test_without_machines_and_of_other_engines_nothing_is_predicted():
    asked = plan(q=(routed("here", 0.6, 0.4),))
    assert predicted_per_s(job(machines=None), asked, ("q",), 2) is None
    assert predicted_per_s(job(engine="trino"), asked, ("q",), 2) is None


def test_a_job_in_a_file_keeps_its_machines(tmp_path: Path):
    file = tmp_path / "job.json"
    file.write_text(write_job(job()), encoding="utf-8")
    assert read_job(file).machines == MACHINES
