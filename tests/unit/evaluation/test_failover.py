"""A store that an earlier query lost is not waited for by each of the later ones."""

from dataclasses import replace
from typing import Any
from unittest.mock import Mock

import pytest

from evaluation.engines.fragments import _Fragments
from evaluation.kinds import BACKENDS
from evaluation.running import failover
from evaluation.running.bounded_frames import QueryFailedError
from evaluation.running.failover import Failover
from evaluation.running.job import Job
from evaluation.store_protocol.connection import Connection
from placement.plan import Outcome, PlacementPlan
from placement.stores import FULL_SQL, Store
from workloads.catalog import Catalog, Column, Table
from workloads.workload import Query, Workload


class Server:
    """A server with a clock that moves only by its logins, `takes_s` each, and by sleeping."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, takes_s: float) -> None:
        self.takes_s = takes_s
        self.is_back = False
        self.asked = 0
        self.now_s = 1000.0
        monkeypatch.setattr(failover, "BACKENDS", {"postgresql": self})
        monkeypatch.setattr(failover.time, "monotonic", lambda: self.now_s)
        monkeypatch.setattr(failover.time, "sleep", self.sleep)

    def sleep(self, seconds: float) -> None:
        self.now_s += seconds

    def answers(self, connection: Connection) -> bool:
        self.asked += 1
        self.now_s += self.takes_s
        return self.is_back


def lost(takes_s: float, monkeypatch: pytest.MonkeyPatch) -> tuple[Server, Failover]:
    """Return a server that did not come back when it was lost."""
    server = Server(monkeypatch, takes_s)
    pg = Connection(store="pg", kind="postgresql", host="h", port=1, user="u")
    job = Job(
        workload=Workload(name="w", dialect="duckdb", queries=()),
        catalog=Catalog(name="c", tables={}),
        connections={"pg": pg},
        repeats=1,
    )
    made = Failover(job, Any, Any, Any)  # type: ignore[arg-type]
    assert made.gone(["pg"]) == ()
    assert made._still_gone(["pg"]) == {"pg"}
    assert server.now_s >= 1000.0 + failover.BACK_S
    server.asked = 0
    return server, made


def test_a_silent_store_is_asked_in_a_tenth_of_the_time(monkeypatch: pytest.MonkeyPatch):
    server, made = lost(5.0, monkeypatch)
    assert [made.gone(["pg", "duck"]) for _ in range(20)] == [("pg",)] * 20
    assert server.asked == 1
    assert made._still_gone(["pg"]) == {"pg"}
    assert server.asked == 1
    server.is_back = True
    server.now_s += 44.0
    assert made.gone(["pg"]) == ("pg",)
    server.now_s += 2.0
    assert made.gone(["pg"]) == ()
    assert server.asked == 2


def test_a_store_that_refuses_at_once_is_asked_by_each_query(monkeypatch: pytest.MonkeyPatch):
    server, made = lost(0.0, monkeypatch)
    assert made.gone(["pg"]) == ("pg",)
    assert made.gone(["duck"]) == ()
    server.is_back = True
    assert made.gone(["pg"]) == ()
    asked = server.asked
    assert made.gone(["pg"]) == ()
    assert server.asked == asked


def test_a_query_of_a_silent_store_is_not_sent(monkeypatch: pytest.MonkeyPatch):
    _, made = lost(5.0, monkeypatch)
    federation = Mock()
    plan = PlacementPlan(
        strategy="one", outcome=Outcome.FEASIBLE, placement={}, routing={}, predicted_s=1.0
    )
    fragments = tuple(Mock(store=store) for store in ("duck", "pg"))
    query = _Fragments(
        plan=plan, compiled=Mock(fragments=fragments), federation=federation, failover=made
    )
    with pytest.raises(QueryFailedError, match="Store 'pg': lost by an earlier query") as error:
        query.run()
    assert error.value.lost == ("pg",)
    federation.run.assert_not_called()


@pytest.mark.parametrize(("fast", "chosen"), [("a", "a"), ("b", "b")])
def test_a_query_is_routed_again_by_the_prices_of_its_plan(fast: str, chosen: str):
    column = Column(name="id", type="INTEGER", width_bytes=4.0)
    catalog = Catalog(
        name="c", tables={"t": Table(name="t", columns=(column,), rows=10**6, fingerprint="")}
    )
    query = Query(name="q", sql="SELECT count(*) AS n FROM t", origin="q")
    backend = BACKENDS["postgresql"]
    rates = {
        name: replace(backend.strength, start_s=0.01 if name == fast else 5.0)
        for name in ("gone", "a", "b")
    }
    job = Job(
        workload=Workload(name="w", dialect="duckdb", queries=(query,)),
        catalog=catalog,
        connections={
            name: Connection(store=name, kind="postgresql", host="h", port=1, user="u")
            for name in rates
        },
        stores=tuple(
            Store(name=name, kind="postgresql", strength=rates[name], capabilities=FULL_SQL)
            for name in rates
        ),
    )
    compiler = Mock()
    again = Failover(job, compiler, Mock(), Mock())
    plan = PlacementPlan(
        strategy="p",
        outcome=Outcome.FEASIBLE,
        placement={"t": ("a", "b", "gone")},
        routing={},
        predicted_s=0.0,
    )
    again._without(plan, query, {"gone"})
    (_, routing), _ = compiler.compile.call_args
    assert [each.store for each in routing] == [chosen]
    # Nobody has priced the indexes that are there: the store may read by any.
    assert [each.read_by for each in routing] == [None]
