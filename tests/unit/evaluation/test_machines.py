"""Predicted throughput: which machines stores and engine share."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.clients.machines import predicted_per_s
from evaluation.running.job import Job
from evaluation.spark.settings import Executors
from evaluation.store_protocol.connection import Connection
from placement.fragment import Coverage, EstimatedWork, Fragment
from placement.plan import Outcome, PlacementPlan, RoutedFragment
from placement.stores import Capability
from placement.throughput import Demand, throughput
from workloads.catalog import Catalog
from workloads.workload import Workload

HERE = Connection(store="here", kind="postgresql", host="127.0.0.1", port=1)
FILE = Connection(store="file", kind="duckdb", path=Path("shop.duckdb"))
NODES = Connection(store="nodes", kind="objects", nodes=("127.0.0.1:7070",))
FAR = Connection(store="far", kind="postgresql", host="192.0.2.1", port=1)
FAR_NODES = Connection(store="far_nodes", kind="objects", nodes=("192.0.2.1:7070",))
STORES = {each.store: each for each in (HERE, FILE, NODES, FAR, FAR_NODES)}
CORES = os.cpu_count() or 1


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
        connections=STORES,
    )
    return replace(made, **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("store", ["here", "file", "nodes"])
def test_a_store_of_this_machine_shares_its_cores_with_the_engine(store: str):
    asked = plan(q=(routed(store, 0.6, 0.4),))
    for clients in (1, 2, 8):
        expected = throughput([Demand(seconds=1.0, cores=CORES)], clients)
        assert predicted_per_s(job(), asked, ("q",), clients) == pytest.approx(expected)


@pytest.mark.parametrize("store", ["far", "far_nodes"])
def test_a_store_elsewhere_lets_nobody_wait(store: str):
    asked = plan(q=(routed(store, 0.6, 0.4),))
    expected = throughput([Demand(seconds=0.4, cores=CORES), Demand(seconds=0.6, cores=None)], 8)
    assert predicted_per_s(job(), asked, ("q",), 8) == pytest.approx(expected)


def test_queries_count_as_often_as_they_are_drawn():
    asked = plan(short=(routed("here", 0.1, 0.0),), long=(routed("here", 1.0, 0.0),))
    drawn = ("short", "long", "short", "short")
    assert predicted_per_s(job(), asked, drawn, 1) == pytest.approx(4 / 1.3)


def test_a_cluster_has_the_cores_that_were_asked_for_or_as_many_as_are_needed():
    asked = plan(q=(routed("here", 0.6, 0.4),))
    elsewhere = job(master="spark://192.0.2.1:7077")
    here = Demand(seconds=0.6, cores=CORES)
    expected = throughput([here, Demand(seconds=0.4, cores=None)], 8)
    assert predicted_per_s(elsewhere, asked, ("q",), 8) == pytest.approx(expected)
    told = replace(elsewhere, executors=Executors(workers=3, cores=2))
    expected = throughput([here, Demand(seconds=0.4, cores=6)], 8)
    assert predicted_per_s(told, asked, ("q",), 8) == pytest.approx(expected)
    own = job(master="spark://127.0.0.1:7077")
    expected = throughput([Demand(seconds=1.0, cores=CORES)], 8)
    assert predicted_per_s(own, asked, ("q",), 8) == pytest.approx(expected)


def test_of_other_engines_nothing_is_predicted():
    assert predicted_per_s(job(engine="trino"), plan(q=()), ("q",), 2) is None
