"""Stores of a quick calibration: those that a full one lacks, do not answer, or are lost."""

from contextlib import ExitStack
from dataclasses import replace
from types import SimpleNamespace

import pytest

from advisor.measuring import calibrate, quick_calibration, quick_parts
from advisor.measuring.open_stores import OpenStores
from advisor.problem.calibrations import target
from advisor.problem.rates import rates_of, strength_of
from evaluation.bench import KeptBench
from evaluation.calibration import quick_plans
from evaluation.store_protocol.connection import Connection
from tests.unit.advisor.calibrated import calibration, kept, quick
from tests.unit.advisor.project_files import load
from workloads.catalog import Catalog
from workloads.errors import ConfigurationError, StoreError
from workloads.progress import Silent

NONE = Catalog(name="none", tables={})


def test_stores_that_a_full_one_lacks_have_the_rates_of_a_quick_one(tmp_path, own_cache):
    project = load(tmp_path, stores__maria='kind = "mysql"\nembedded = true')
    _, maria = project.stores
    full = calibration(project)
    measured = replace(full.stores["pg"], kind=maria.kind, target=target(maria), errors=None)
    later = quick(project)
    kept(project, full, replace(later, stores={**later.stores, "maria": measured}))
    rates = rates_of(project)
    assert rates.strengths["pg"].source.startswith("calibrated")
    assert rates.strengths["maria"].source == "quick calibration 2026-01-02 03:04"
    assert rates.strengths["maria"].scan_bytes_per_s == 2e9
    assert rates.engine.source.startswith("calibrated")
    # One of another server tells nothing.
    other = load(tmp_path, stores__maria='kind = "mysql"\nhost = "db"\nuser = "u"')
    assert rates_of(other).strengths["maria"] == strength_of(other.stores[1])


def test_spark_does_not_start_for_stores_that_do_not_answer(tmp_path, own_cache, monkeypatch):
    monkeypatch.setattr(quick_parts, "SCALE_FACTOR", 0.001)
    project = load(
        tmp_path, stores__pg='kind = "postgresql"\nhost = "127.0.0.1"\nport = 1\nuser = "u"'
    )

    class NoSpark(KeptBench):
        def opened(self, job):
            pytest.fail("Spark was started.")

    with ExitStack() as stack:
        opened = OpenStores(project, Silent(), stack, NoSpark(Silent(), stack))
        with pytest.raises(ConfigurationError, match=r"No rate was measured.*'pg'"):
            quick_calibration.quick_calibration(project, NONE, opened, Silent())


def test_a_store_that_is_lost_before_its_tables_are_dropped_costs_no_other_its_rates(monkeypatch):
    class Lost:
        def drop(self, connection, _):
            raise StoreError(connection.store, "gone")

    monkeypatch.setattr(calibrate, "BACKENDS", {"postgresql": Lost()})
    connections = {"pg": Connection(store="pg", kind="postgresql")}
    part = SimpleNamespace(job=SimpleNamespace(connections=connections))
    findings = quick_parts.Findings()
    given = [quick_plans.copies(("orders",), ("pg",))]
    with quick_calibration._dropping(part, given, findings, Silent()):
        pass
    assert [each.placement for each in findings.left_out] == ["pg"]
    # What ends the measuring itself goes on.
    with (
        pytest.raises(StoreError, match="full"),
        quick_calibration._dropping(part, [], findings, Silent()),
    ):
        raise StoreError("pg", "full")
