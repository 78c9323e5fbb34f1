import random

import pytest

from placement.limits.check import check
from placement.partitioning import process
from placement.partitioning.program import FREE, PARTITIONERS, Hypergraph
from placement.strategies import candidates
from tests.unit.placement.problems import problem, query, store
from workloads.errors import ConfigurationError

STRATEGIES = {"graph_partition": "METIS", "hypergraph_partition": "Mt-KaHyPar"}
TWO_TABLES = problem({"t": 5, "u": 6}, [store("a"), store("b")], [query("q", ("t", "u"))])
DEATHS = {
    "import ctypes; ctypes.string_at(0)": "crashed (SIGSEGV)",
    "import os; os.abort()": "crashed (SIGABRT)",
    "import os, signal; os.kill(os.getpid(), signal.SIGKILL)": "crashed (SIGKILL)",
    "raise MemoryError('no room')": "failed (MemoryError: no room)",
    "raise SystemExit('\\033[1;31mno ' + 'x' * 999)": f"failed (no {'x' * 117})",
    "raise SystemExit(3)": "failed (no reason)",
    "import time; time.sleep(60)": "was stopped after 0.5 s",
    "pass": "answered what is no partition",
    "print('[0, 2]')": "answered what is no partition",
    "print('[0]')": "answered what is no partition",
    "print([0, 'a'])": "answered what is no partition",
}


def graph(weights, limits, edges=(), fixed=None, seed=0):
    return Hypergraph(
        weights=weights,
        edges=edges,
        edge_weights=[1] * len(edges),
        limits=limits,
        fixed=fixed or [FREE] * len(weights),
        seed=seed,
    )


@pytest.fixture
def instead(monkeypatch, tmp_path):
    """Make the partitioners a program of these statements, which has half a second."""

    def replace(statements):
        program = tmp_path / "program.py"
        program.write_text(statements, encoding="utf-8")
        monkeypatch.setattr(process, "PROGRAM", program)
        monkeypatch.setattr(process, "TIMEOUT_S", 0.5)

    return replace


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("death", DEATHS)
def test_a_partitioner_that_dies_is_an_error_of_one_line(instead, strategy, death):
    instead(death)
    with pytest.raises(ConfigurationError) as caught:
        candidates(TWO_TABLES, [strategy])
    assert str(caught.value) == (
        f"Strategy '{strategy}' has no plan: {STRATEGIES[strategy]} {DEATHS[death]}, with 2 tables "
        f"to be parted among 2 stores: take it out of [place].strategies."
    )


@pytest.mark.parametrize("partitioner", PARTITIONERS)
def test_a_partitioner_that_does_not_know_what_it_is_asked_says_so(partitioner):
    with pytest.raises(ConfigurationError, match=r"failed \(.+\), with 2 tables"):
        process.partition("s", partitioner, graph(["no weight", 1], [1, 1]))


def test_a_python_that_cannot_be_started_is_an_error_of_one_line(monkeypatch):
    monkeypatch.setattr(process.sys, "executable", "/nowhere/python")
    with pytest.raises(ConfigurationError, match=r"METIS could not be started .*/nowhere/python"):
        candidates(TWO_TABLES, ["graph_partition"])


def test_what_is_no_question_starts_no_process(instead):
    instead("raise SystemExit(1)")
    assert process.partition("s", "METIS", graph([3, 4], [1])) == [0, 0]
    assert process.partition("s", "METIS", graph([], [1, 1])) == []


CRASHED = {
    "a fixed table without bytes": graph(
        [0, 5, 4, 3, 2], [9, 9, 9], [(0, 1), (0, 2, 3)], [1, FREE, FREE, FREE, FREE]
    ),
    "a range of parts without a table": graph([1], [1, 1, 1], fixed=[1]),
    "parts without room": graph([1, 1], [0, 0, 0, 0, 1, 1], [(0, 1)]),
    "fixed tables leave parts empty": graph([5, 4, 8, 9], [6] * 6, [(0, 2, 3)], [1, 1, 3, 3]),
}


@pytest.mark.parametrize("case", CRASHED)
def test_what_mt_kahypar_crashed_on_has_a_partition_now(case):
    asked = CRASHED[case]
    parts = process.partition("s", "Mt-KaHyPar", asked)
    assert all(part == home for part, home in zip(parts, asked.fixed, strict=True) if home != FREE)


@pytest.mark.parametrize("partitioner", PARTITIONERS)
def test_equal_hypergraphs_and_seeds_have_equal_parts(partitioner):
    rng = random.Random(1)
    edges = sorted({tuple(sorted(rng.sample(range(60), 2))) for _ in range(150)})
    asked = graph([rng.randint(1, 50) for _ in range(60)], [450] * 4, edges, seed=2**40 + 1)
    parts = process.partition("s", partitioner, asked)
    assert parts == process.partition("s", partitioner, asked)
    assert set(parts) == {0, 1, 2, 3}


TOTAL = 11
ROOMS = {"no room": (0, 0), "less than needed": (1, 2), "a thousand times it": (10**9, 10**9)}


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("room", ROOMS)
def test_stores_of_any_room_have_a_plan(strategy, room):
    stores = [store(name, size) for name, size in zip("ab", ROOMS[room], strict=True)]
    made = problem({"t": 5, "u": 6}, stores, [query("q", ("t", "u"))], seed=2**33)
    (plan,) = candidates(made, [strategy])
    assert check(made, plan) == plan.violations
    assert plan.feasible == (sum(ROOMS[room]) >= TOTAL)
