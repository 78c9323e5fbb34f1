"""A calibration runs its own statements in namespaces of its own, and drops its tables."""

from contextlib import contextmanager
from dataclasses import replace

import pytest

from advisor.commands import cli
from advisor.measuring import calibrate
from advisor.measuring import connections as connections_module
from advisor.measuring.calibrate import SUFFIX, calibrating, dropping
from advisor.problem.calibrations import target
from evaluation.calibration.probes import PROBES, calibration_workload
from evaluation.store_protocol.connection import NAMESPACE, Connection
from placement.plan import Outcome, PlacementPlan
from workloads.errors import StoreError
from workloads.progress import Silent


def test_it_is_measured_on_other_statements_and_in_namespaces_of_its_own(project):
    asked = calibrating(project, scale_factor=0.05, repeats=1)
    assert asked.catalog.source == ("tpch",)
    # Rates are fitted to all rounds, also of what cannot win.
    assert asked.evaluate.all_repeats
    assert [store.namespace for store in asked.stores] == [project.stores[0].namespace + SUFFIX]
    assert target(asked.stores[0]) == target(project.stores[0])
    names = [query.name for query in calibration_workload().queries]
    assert len(names) == len(set(names)) == len(PROBES) + 22


def test_the_namespace_is_the_one_that_is_used_in_embedded_servers_too(project, monkeypatch):
    @contextmanager
    def running(requests, folder, progress):
        yield {each.store: Connection(store=each.store, kind=each.kind) for each in requests}

    monkeypatch.setattr(connections_module.embedded, "running", running)
    asked = calibrating(project, scale_factor=0.05, repeats=1)
    assert [store.embedded for store in asked.stores] == [True]
    with connections_module.connections(asked, Silent()) as found:
        assert [each.namespace for each in found.values()] == [NAMESPACE + SUFFIX]
    with connections_module.connections(project, Silent()) as found:
        assert [each.namespace for each in found.values()] == [NAMESPACE]


@pytest.mark.parametrize(
    "options", [["--scale-factor", "0"], ["--scale-factor", "x"], ["--repeats", "0"]]
)
def test_wrong_amounts_are_refused_in_one_line(project, tmp_path, capsys, options):
    with pytest.raises(SystemExit) as ended:
        cli.main(["calibrate", str(tmp_path / "shop.toml"), *options])
    assert ended.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_store_that_is_lost_leaves_the_tables_of_no_other(monkeypatch):
    dropped = []

    class Dropping:
        def drop(self, connection, table):
            if connection.store == "lost":
                raise StoreError("lost", "gone")
            dropped.append((connection.store, table))

    monkeypatch.setattr(calibrate, "BACKENDS", {"postgresql": Dropping()})
    names = ("here", "lost", "there")
    connections = {name: Connection(store=name, kind="postgresql") for name in names}
    plan = PlacementPlan(
        strategy="s",
        outcome=Outcome.FEASIBLE,
        placement={"a": names, "b": names},
        routing={},
        predicted_s=0.0,
    )
    with pytest.raises(StoreError, match="gone"), dropping(connections, [plan], Silent()):
        pass
    assert sorted(dropped) == [(s, t) for s in ("here", "there") for t in ("a", "b")]
    dropped.clear()
    here = replace(plan, placement={"a": ("here",)})
    with pytest.raises(KeyboardInterrupt), dropping(connections, [here], Silent()):
        raise KeyboardInterrupt
    assert dropped == [("here", "a")]
