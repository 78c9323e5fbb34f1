"""Synthetic measurements that look like TPC-DS at scale factor 0.1, for tests of the reports."""

import random

from evaluation.measuring.fragment_measurement import FragmentMeasurement
from evaluation.measuring.machine import Machine
from evaluation.measuring.measurement import (
    CandidateMeasurement,
    Measurements,
    Moved,
    QueryMeasurement,
    QueryOutcome,
)
from placement.fragment import Coverage, EstimatedWork, Fragment
from placement.plan import Outcome, PlacementPlan, RoutedFragment
from placement.stores import Capability
from tests.unit.advisor.demo_tables import BYTES, CAPACITIES, TABLES, WEB, queries


def fragment(query, tables, *, whole):
    """Return a fragment that covers `tables` of `query`."""
    return Fragment(
        coverage=Coverage(
            query=query,
            kind=Capability.QUERY if whole else Capability.JOIN,
            block="b0",
            sources=tuple(sorted(f"b0.{table}" for table in tables)),
            tables=frozenset(tables),
        ),
        work=EstimatedWork(
            scan_bytes=1e6,
            column_bytes=1e5,
            join_rows=1e4,
            aggregate_rows=1e3,
            rows_out=100.0,
            row_bytes_out=24.0,
        ),
    )


def placements():
    """Return strategy → placement, as the demo's strategies would give them."""

    def of(duck=(), maria=(), both=()):
        placed = dict.fromkeys(TABLES, ("pg",))
        placed |= dict.fromkeys(duck, ("duck",)) | dict.fromkeys(maria, ("maria",))
        return placed | dict.fromkeys(both, ("maria", "pg"))

    catalog = ("catalog_sales", "catalog_returns", "catalog_page", "call_center", "item")
    return {
        "single_store:pg": of(),
        "single_store:maria": dict.fromkeys(TABLES, ("maria",)),
        "single_store:duck": dict.fromkeys(TABLES, ("duck",)),
        "naive": of(duck=("web_sales",), maria=("catalog_sales", "date_dim", "customer", "item")),
        "proximity": of(
            duck=("web_sales", "web_returns", "web_page"), maria=(*catalog, "date_dim")
        ),
        "paper_partition_1": of(duck=("store_sales", "store_returns", "date_dim"), maria=WEB),
        "paper_partition_2": of(duck=("web_returns", "promotion"), maria=catalog),
        "optimal": of(
            maria=(*catalog[:4], "inventory"), duck=WEB[:4], both=("date_dim", "item", "customer")
        ),
    }


def routing(placement, number=10):
    """Return a routing that follows a placement: whole where one store has it all."""
    routes = {}
    for query, tables in queries(number).items():
        stores = [s for s in CAPACITIES if all(s in placement[table] for table in tables)]
        if stores:
            part = fragment(query, tables, whole=True)
            routes[query] = (RoutedFragment(fragment=part, store=stores[0], predicted_s=0.2),)
            continue
        parts = {}
        for table in sorted(tables):
            parts.setdefault(placement[table][0], set()).add(table)
        routes[query] = tuple(
            RoutedFragment(
                fragment=fragment(query, held, whole=False), store=store, predicted_s=0.25
            )
            for store, held in sorted(parts.items())
        )
    return routes


def violations(placement):
    """Say which capacity a placement breaks."""
    held = dict.fromkeys(CAPACITIES, 0)
    for table, stores in placement.items():
        for store in stores:
            held[store] += BYTES.get(table, 0)
    return tuple(
        f"Store '{store}' would hold {held[store]} bytes, over its capacity of {CAPACITIES[store]}."
        for store in held
        if held[store] > CAPACITIES[store]
    )


def candidate(strategy, seconds, *, placement=None, failed=None, predicted_s=None, number=10):
    """Return a candidate whose workload takes `seconds`, one figure a repeat.

    `failed` maps queries to (outcome, message).
    """
    placed = placement or placements()[strategy]
    broken = violations(placed)
    plan = PlacementPlan(
        strategy=strategy,
        outcome=Outcome.INFEASIBLE
        if broken
        else Outcome.OPTIMAL
        if strategy == "optimal"
        else Outcome.FEASIBLE,
        placement=placed,
        routing=routing(placed, number),
        predicted_s=seconds[0] * 0.8 if predicted_s is None else predicted_s,
        bound_s=seconds[0] * 0.8 if strategy == "optimal" else None,
        violations=broken,
    )
    draw = random.Random(strategy)
    shares = {query: draw.uniform(0.3, 2) for query in plan.routing}
    total = sum(shares.values())
    return CandidateMeasurement(
        plan=plan,
        load_s=2.5,
        queries=tuple(
            _query(query, shares[query] / total, seconds, plan, (failed or {}).get(query))
            for query in plan.routing
        ),
    )


def _query(query, share, seconds, plan, failure):
    stores = sorted({routed.store for routed in plan.routing[query]})
    outcome, message = failure or (QueryOutcome.VERIFIED, "")
    return QueryMeasurement(
        query=query,
        executions=1.0,
        outcome=outcome,
        seconds=() if failure else tuple(share * second for second in seconds),
        moved={store: Moved(rows=1000, bytes=24_000) for store in stores},
        exchanges=2,
        shuffle_bytes=1 << 20,
        peak_memory_bytes=1 << 26,
        shuffle_records=12_000,
        fragments=()
        if failure
        else tuple(
            measured_fragment(index, routed) for index, routed in enumerate(plan.routing[query])
        ),
        engine_s=None if failure else 0.05,
        message=message,
    )


def measured_fragment(index, routed):
    """Return what a store handed out: near the prediction, by the fragment's name."""
    fragment = routed.fragment
    draw = random.Random(f"{fragment.name} {routed.store}")
    rows = round(fragment.work.rows_out * 10 ** draw.gauss(0, 0.2))
    seconds = routed.predicted_s * 10 ** draw.gauss(0, 0.3)
    return FragmentMeasurement(
        name=fragment.name,
        view=f"fragment_{index}",
        store=routed.store,
        kind=str(fragment.kind),
        tables=tuple(sorted(fragment.tables)),
        rows=rows,
        bytes=round(rows * fragment.work.row_bytes_out),
        execute_s=0.75 * seconds,
        fetch_s=0.25 * seconds,
        partitions=1,
    )


def measurements(candidates, repeats=3):
    """Return measurements of `candidates` on a small machine."""
    return Measurements(
        workload="tpcds",
        catalog="tpcds",
        scale_factor=0.1,
        repeats=repeats,
        seed=0,
        candidates=tuple(candidates),
        machine=Machine(
            cores=2, memory_bytes=24 << 30, system="Linux 6.1", load_average=(0.4, 1.9)
        ),
        versions={"python": "3.11.2", "pyspark": "4.3.0", "postgresql": "18.4"},
        started_at="2025-11-21T10:00:00+00:00",
        seconds={"set_up": 21.0, "generate": 5.5, "load": 31.0, "run": 88.0},
    )


def demo(number=10, extra_candidates=0):
    """Return measurements like the demo's, with one failure, one timeout and one wrong result."""
    figures = {
        "single_store:pg": (2.9, 3.0, 3.1),
        "single_store:maria": (8.6, 8.9, 8.5),
        "single_store:duck": (1.2, 1.1, 1.2),
        "naive": (6.6, 6.8, 6.7),
        "proximity": (5.1, 5.0, 5.3),
        "paper_partition_1": (9.4, 9.8, 9.3),
        "paper_partition_2": (7.7, 7.5, 8.0),
        "optimal": (3.1, 3.3, 3.2),
    }
    failed = {
        "q9": (QueryOutcome.TIMEOUT, "Query q9 ran over its 120 s."),
        "q80": (QueryOutcome.FAILED, "ERROR: column <ss_sk> & co do not exist"),
        "q86": (QueryOutcome.WRONG, "3 of 100 rows differ: (1, 2.50) expected, (1, 2.49) found"),
    }
    made = [
        candidate(
            name, seconds, failed=failed if name == "paper_partition_1" else None, number=number
        )
        for name, seconds in figures.items()
    ]
    naive = placements()["naive"]
    made += [
        candidate(f"random_{extra}", (5.5, 5.6, 5.9), placement=naive, number=number)
        for extra in range(extra_candidates)
    ]
    return measurements(made)
