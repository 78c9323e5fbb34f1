"""Shared by the tests of placement: problems without a plan that are not told why."""

import pytest

from placement.conflicts import infeasible


@pytest.fixture
def unexplained(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tell that no placement fits, but not why: finding the smallest conflict takes half the time.

    The reasons of random problems are compared with brute force in `test_conflicts.py`.
    """
    monkeypatch.setattr(infeasible, "reason", lambda problem: "No placement fits.")
