"""Mean value analysis against known values, bounds, and the convolution that it does without."""

import math
import random
from dataclasses import replace
from itertools import pairwise

import pytest

from placement.throughput import Demand, response, throughput


def queues(*seconds: float) -> list[Demand]:
    return [Demand(seconds=each) for each in seconds]


def busy(demand: Demand) -> float:
    return demand.seconds if demand.busy_s is None else demand.busy_s


def demand(draw: random.Random, seconds: float, cores: int | None) -> Demand:
    """Return a demand that keeps one core busy, or some of them, or all."""
    share = draw.choice([None, 1.0, cores or 1, draw.uniform(1, cores or 1)])
    return Demand(seconds=seconds, cores=cores, busy_s=None if share is None else share * seconds)


def by_convolution(queued: list[float], delay_s: float, clients: int) -> float:
    """Throughput by the normalizing constants of the product form (Buzen 1973)."""
    constants = [delay_s**number / math.factorial(number) for number in range(clients + 1)]
    for demand in queued:
        for number in range(1, clients + 1):
            constants[number] += demand * constants[number - 1]
    return constants[clients - 1] / constants[clients]


@pytest.mark.parametrize("clients", [1, 2, 3, 10])
@pytest.mark.parametrize("stations", [1, 2, 5])
def test_of_balanced_stations_the_throughput_is_known(clients: int, stations: int):
    found = throughput(queues(*[0.5] * stations), clients)
    assert found == pytest.approx(clients / (clients + stations - 1) / 0.5)


@pytest.mark.parametrize("seed", range(20))
def test_it_is_what_convolution_gives(seed: int):
    draw = random.Random(seed)
    queued = [draw.uniform(0.01, 2) for _ in range(draw.randint(1, 4))]
    delay_s = draw.choice([0.0, draw.uniform(0, 3)])
    clients = draw.randint(1, 12)
    demands = [*queues(*queued), Demand(seconds=delay_s, cores=None)]
    assert throughput(demands, clients) == pytest.approx(by_convolution(queued, delay_s, clients))


@pytest.mark.parametrize("seed", range(20))
def test_it_is_within_its_bounds_and_grows_with_the_clients(seed: int):
    draw = random.Random(seed)
    demands = [
        demand(draw, draw.uniform(0.01, 2), draw.choice([1, 2, 4, None]))
        for _ in range(draw.randint(1, 4))
    ]
    alone_s = sum(each.seconds for each in demands)
    found = [throughput(demands, clients) or 0.0 for clients in range(1, 30)]
    assert found[0] == pytest.approx(1 / alone_s)
    for clients, each in enumerate(found, start=1):
        assert each <= clients / alone_s + 1e-9
        for one in demands:
            assert one.cores is None or each <= one.cores / busy(one) + 1e-9
    assert all(before <= after + 1e-9 for before, after in pairwise(found))


def test_several_cores_are_as_one_that_is_as_fast_when_there_are_many_clients():
    machine = [Demand(seconds=2.0, cores=4)]
    assert throughput(machine, 1) == pytest.approx(0.5)
    assert throughput(machine, 1000) == pytest.approx(2.0, rel=0.01)


def test_queries_that_keep_all_cores_busy_wait_as_for_one():
    for clients in (1, 2, 5):
        every = throughput([Demand(seconds=2.0, cores=4, busy_s=8.0)], clients)
        assert every == pytest.approx(throughput(queues(2.0), clients))


def test_queries_that_take_no_time_have_no_throughput():
    assert throughput([], 3) is None
    assert throughput(queues(0.0), 3) is None


def drawn(seed: int) -> tuple[list[Demand], list[Demand], int]:
    """Two lists of demands on the same machines, of which the first may leave some idle."""
    draw = random.Random(seed)
    cores = [draw.choice([1, 2, 4, None]) for _ in range(draw.randint(1, 4))]
    first = [draw.choice([0.0, draw.uniform(0.01, 2)]) for _ in cores]
    first[0] = 1.0
    second = [draw.uniform(0.01, 2) for _ in cores]
    made = [
        [demand(draw, each, number) for each, number in zip(seconds, cores, strict=True)]
        for seconds in (first, second)
    ]
    return made[0], made[1], draw.randint(1, 12)


@pytest.mark.parametrize("seed", range(40))
def test_slopes_are_what_a_little_more_of_a_demand_adds(seed: int):
    demands, _, clients = drawn(seed)
    found = response(demands, clients)
    assert found is not None
    little = 1e-6
    for place, slope in enumerate(found.core_slopes):
        for by_seconds, by_cores in ((little, 0.0), (little, little), (little, little / 2)):
            more = list(demands)
            seconds, busy_s = more[place].seconds + by_seconds, busy(more[place]) + by_cores
            more[place] = replace(more[place], seconds=seconds, busy_s=busy_s)
            after = response(more, clients)
            assert after is not None
            added = (by_seconds * found.second_slope + by_cores * slope) / little
            assert (after.seconds - found.seconds) / little == pytest.approx(
                added, rel=1e-3, abs=1e-5
            )


@pytest.mark.parametrize("seed", range(200))
def test_the_plane_that_touches_at_some_demands_is_nowhere_above_the_seconds(seed: int):
    demands, others, clients = drawn(seed)
    found, other = response(demands, clients), response(others, clients)
    assert found is not None
    assert other is not None

    def plane(at: list[Demand]) -> float:
        of_cores = (slope * busy(each) for slope, each in zip(found.core_slopes, at, strict=True))
        return found.second_slope * sum(each.seconds for each in at) + sum(of_cores)

    assert plane(demands) == pytest.approx(found.seconds)
    assert plane(others) <= other.seconds * (1 + 1e-9)
