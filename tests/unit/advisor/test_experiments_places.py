"""Where cells of experiments are measured: what was killed there is started again."""

from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from advisor.experiments import runs
from advisor.experiments.cells import Setting
from evaluation.engines.trino_server import TrinoServer
from evaluation.running.job import Job
from evaluation.store_protocol.connection import Connection
from tests.unit.advisor.experiments import cell
from workloads.catalog import Catalog
from workloads.progress import Silent
from workloads.workload import Workload


class Place:
    """A place in which the queries called `killing` end one of its `parts`."""

    def __init__(self, part: str, killing: tuple[str, ...]) -> None:
        self.part = part
        self.killing = killing
        self.opened = 0
        self.measured: list[str] = []
        self.exits: dict[str, int | None] = {}

    @contextmanager
    def open(self, *_: object):
        self.opened += 1
        self.exits = dict.fromkeys(("spark", "first", "second"))
        server = TrinoServer(
            url="http://127.0.0.1:9", nodes=(self._node("first"), self._node("second"))
        )
        yield runs._Opened(bench=Bench(self), job=SimpleNamespace(), trino=server)

    def _node(self, name: str):
        return SimpleNamespace(poll=lambda: self.exits[name])

    def measure(self, work, bench, job, query, cells):
        self.measured.append(query)
        if query in self.killing:
            self.exits[self.part] = -9


class Bench:
    """A session of Spark whose Java is ended where its place says so."""

    def __init__(self, place: Place) -> None:
        self.place = place

    @property
    def has_ended(self) -> bool:
        return self.place.exits["spark"] is not None


@pytest.mark.parametrize("part", ["spark", "first", "second"])
@pytest.mark.parametrize(("killing", "opened"), [((), 1), (("q1",), 2), (("q1", "q9"), 2)])
def test_what_a_query_killed_is_started_again_for_the_queries_after_it(
    part, killing, opened, monkeypatch
):
    place = Place(part, killing)
    written = []
    monkeypatch.setattr(runs, "_opened", place.open)
    monkeypatch.setattr(runs, "_measured", place.measure)
    monkeypatch.setattr(runs, "_set", lambda job, _: job)
    monkeypatch.setattr(runs, "_result", lambda _, of, __: of)
    monkeypatch.setattr(runs, "write", lambda of, _: written.append(of))
    cells = [cell(query=query, engine="trino", workers=2) for query in ("q1", "q5", "q9")]
    work = SimpleNamespace(laboratory=SimpleNamespace(folder=None))
    with Silent().task("", 3) as task:
        runs._measure(work, cells[0].setting.where, cells, task, Silent())
    assert place.measured == ["q1", "q5", "q9"]
    assert written == cells
    assert place.opened == opened


def test_another_engine_has_every_store_that_has_a_catalog():
    """Accumulo too, since Spark and Trino read it by connectors of ours."""
    stores = {
        kind: Connection(store=kind, kind=kind) for kind in ("postgresql", "accumulo", "objects")
    }
    job = Job(
        workload=Workload(name="w", dialect="duckdb", queries=()),
        catalog=Catalog(name="c", tables={}),
        connections=stores,
    )
    for engine in ("spark-native", "trino"):
        found = runs._set(job, Setting(engine=engine)).connections
        assert list(found) == ["postgresql", "accumulo"]
    assert runs._set(job, Setting(engine="fragments")).connections == stores
