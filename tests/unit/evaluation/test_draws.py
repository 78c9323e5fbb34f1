"""The queries of several clients: drawn by executions, alike for all candidates."""

from collections import Counter

import pytest

from evaluation.clients.draws import LEAST_EACH, draws

EXECUTIONS = {"often": 70.0, "seldom": 29.0, "once": 1.0, "never": 0.0}


@pytest.mark.parametrize("clients", [1, 2, 4, 50])
def test_shares_are_those_of_the_executions_and_every_query_occurs(clients: int):
    found = Counter(draws(EXECUTIONS, clients, seed=0))
    number = clients * LEAST_EACH
    assert found["often"] == pytest.approx(0.7 * number, abs=1)
    assert found["seldom"] == pytest.approx(0.29 * number, abs=1)
    assert found["once"] == max(1, round(0.01 * number))
    assert "never" not in found
    assert number <= found.total() <= number + 1


def test_each_client_has_as_many_as_there_are_queries():
    many = {f"q{number}": 1.0 for number in range(30)}
    assert Counter(draws(many, 2, seed=0)) == dict.fromkeys(many, 2)


def test_the_order_follows_from_the_seed():
    assert draws(EXECUTIONS, 4, seed=1) == draws(EXECUTIONS, 4, seed=1)
    assert draws(EXECUTIONS, 4, seed=1) != draws(EXECUTIONS, 4, seed=2)


def test_without_executions_nothing_is_asked():
    assert draws({"never": 0.0}, 4, seed=0) == ()
    assert draws({}, 4, seed=0) == ()
