"""Capacities are kept to the byte, where the solver's tolerance would let more in."""

import random
from itertools import product

import pytest

from placement.limits.check import check
from placement.plan import Outcome
from placement.programs.solver import Program
from placement.programs.variables import Row, _cover_cut
from placement.strategies.optimal import Optimal
from tests.unit.placement.problems import problem, query, store


def test_a_cut_excludes_what_is_too_much_and_nothing_that_fits():
    rng = random.Random(3)
    for _ in range(300):
        sizes = [rng.choice((0, 1, 2, 3, 5, 8, 40)) for _ in range(rng.randint(2, 7))]
        row = Row(limit=None, terms=list(enumerate(sizes)), at_most=rng.randint(1, 45))
        sets = [
            {i for i, taken in enumerate(each) if taken}
            for each in product((0, 1), repeat=len(sizes))
        ]
        broken = [each for each in sets if row.total(each) > row.at_most]
        if not broken:
            continue
        chosen = rng.choice(broken)
        terms, at_most = _cover_cut(row, chosen)

        def is_cut(each):
            return sum(value for variable, value in terms if variable in each) > at_most  # noqa: B023

        assert is_cut(chosen)
        assert not any(is_cut(each) for each in sets if row.kept(row.total(each)))


@pytest.mark.parametrize("small", [8, 16])
def test_few_solutions_are_cut_off_however_many_tables_there_are(monkeypatch, small):
    """Half of the small tables fit beside a large one, less than the tolerance is of its bytes."""
    solved = []
    solve = Program.solve
    monkeypatch.setattr(Program, "solve", lambda *a, **k: solved.append(1) or solve(*a, **k))
    names = [f"t{number}" for number in range(small)]
    most = 10**12 + 1000 * small // 2
    stores = [store("fast", most, speed=5.0), store("slow", speed=0.5)]
    made = problem(
        {"big": 10**12, **dict.fromkeys(names, 1000)},
        stores,
        [query(f"q{each}", [each]) for each in names],
        pin={"big": {"fast"}},
        upkeep=1e-15,
    )
    plan = Optimal()(made)
    assert (plan.outcome, check(made, plan)) == (Outcome.OPTIMAL, ())
    assert sum(plan.placement[each] == ("fast",) for each in names) == small // 2
    assert len(solved) < 10
