"""One time limit for all solves of explain and of sensitivity, and what is left out by it."""

import time
from dataclasses import replace
from math import inf

import pytest

from placement.reasons import alternatives, scaled_problem, sensitivity
from placement.reasons.explain import explain_table
from placement.reasons.parameters import rates
from placement.reasons.sensitivity import capacity_worths, sensitivities
from placement.strategies.optimal import Optimal
from placement.time_limit import NotFoundInTimeError, left_s, with_share
from tests.unit.placement.problems import problem, query, store

LIMIT_S = 60.0
CUT = "the search was cut"


class Solver:
    """Solves, and takes a share of its seconds, or `takes_s`. A search that takes all is cut."""

    def __init__(self, monkeypatch, share, *, finds=True, takes_s=None):
        self.share, self.finds, self.takes_s = share, finds, takes_s
        self.now, self.allowed_s = 0.0, []
        monkeypatch.setattr(time, "monotonic", lambda: self.now)
        for module in (alternatives, scaled_problem, sensitivity):
            monkeypatch.setattr(module, "Optimal", lambda: self)

    def __call__(self, made):
        left = left_s(made)
        self.allowed_s.append(left)
        is_cut = self.share >= 1.0
        plan = Optimal()(replace(made, ends=inf))
        self.now += self.share * left if self.takes_s is None else self.takes_s
        if is_cut and not self.finds:
            raise NotFoundInTimeError("No placement was found.")
        return replace(plan, cut=CUT if is_cut else None)


@pytest.fixture
def made():
    """Two tables, which have three other stores to be in."""
    stores = [
        store(name, 150, speed=speed) for name, speed in zip("abcd", (8, 4, 2, 1), strict=True)
    ]
    queries = [query("q", ("t",)), query("r", ("u",))]
    return problem({"t": 60, "u": 50}, stores, queries, time_limit_s=LIMIT_S)


def test_other_places_share_the_time_limit_and_say_what_was_cut(made, monkeypatch):
    plan = Optimal()(made)
    solver = Solver(monkeypatch, 1.0)
    found = explain_table(made, plan, "t")
    assert solver.allowed_s == pytest.approx([LIMIT_S / 3] * 3)
    assert [each.cut for each in found.free] == [CUT] * 3
    assert found.late == ()
    assert [each.cut for each in found.fixed] == [None] * 3


def test_what_one_place_leaves_is_for_those_after_it(made, monkeypatch):
    plan = Optimal()(made)
    solver = Solver(monkeypatch, 0.5)
    explain_table(made, plan, "t")
    first, second, third = solver.allowed_s
    assert first == pytest.approx(LIMIT_S / 3)
    assert second == pytest.approx((LIMIT_S - first / 2) / 2)
    assert third == pytest.approx(LIMIT_S - (first + second) / 2)


def test_places_without_a_plan_in_time_are_left_out(made, monkeypatch):
    plan = Optimal()(made)
    Solver(monkeypatch, 1.0, finds=False)
    found = explain_table(made, plan, "t")
    assert found.free == ()
    assert found.late == tuple(each.change for each in found.fixed)
    assert "With all else placed anew" not in found.because


def test_figures_share_the_time_limit_those_with_the_most_seconds_first(made, monkeypatch):
    best = Optimal()(made)
    figures = rates(made)
    everything = sensitivities(made, best, best, figures)
    solver = Solver(monkeypatch, 0.02)
    found = sensitivities(made, best, best, figures)
    assert sum(solver.allowed_s) * 0.02 < LIMIT_S
    assert {each.parameter for each in found} == set(figures)
    assert found == everything
    slow = Solver(monkeypatch, 0.0, takes_s=4.0)
    some = sensitivities(made, best, best, figures)
    assert slow.allowed_s == [LIMIT_S - 4 * number for number in range(15)]
    assert some
    left_out = set(figures) - {each.parameter for each in some}
    assert left_out
    least_s = min(each.share_s for each in some)
    assert all(each.share_s <= least_s for each in found if each.parameter in left_out)


def test_a_figure_whose_solve_was_cut_is_left_out(made, monkeypatch):
    best = Optimal()(made)
    for finds in (True, False):
        solver = Solver(monkeypatch, 1.0, finds=finds)
        found = sensitivities(made, best, best, rates(made))
        assert solver.allowed_s == [LIMIT_S]
        # Whatever is told needed no solve.
        assert all(each.larger.solves + each.smaller.solves == 0 for each in found)


def test_capacities_share_the_time_limit(made, monkeypatch):
    best = Optimal()(made)
    solver = Solver(monkeypatch, 0.5)
    assert [each.store for each in capacity_worths(made, best)] == list("abcd")
    assert solver.allowed_s == pytest.approx([LIMIT_S / 2**number for number in range(4)])
    for finds in (True, False):
        Solver(monkeypatch, 1.0, finds=finds)
        assert capacity_worths(made, best) == ()


def test_a_work_limit_is_no_time_limit(made, monkeypatch):
    limited = replace(made, work_limit=10)
    best = Optimal()(made)
    Solver(monkeypatch, 0.0)
    assert len(capacity_worths(limited, best)) == 4
    assert left_s(with_share(limited, 0.5)) == inf
