"""Throughput of clients that share machines: exact mean value analysis of a closed network.

Each client asks its next query as soon as it has the answer to the last. All clients draw from one
mix, so that there is one class of customers (Reiser and Lavenberg, Journal of the ACM 27, 1980). A
machine with several cores is a queue that works as fast as all of them together, and a delay that
makes a query alone take as long as it does (Seidmann, Schweitzer and Shalev-Oren, Performance
Evaluation 7, 1987, of queries that keep one core busy).

The seconds of a query among others are convex in the demands. The throughput is that of a ring of
single servers as well, as it depends on demands alone (Gordon and Newell 1967; a delay is the limit
of many short queues). There each departure is the latest of some sums of service times, which is
convex in them, and so is its mean. Multiplying all demands multiplies the seconds. So a plane that
touches them at some demands is nowhere above them: the slopes there, times the seconds and the
core-seconds of any plan, are a lower bound on the plan's seconds.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """The seconds of a mean query on one machine of so many `cores`.

    None are so many that no query waits for one. `busy_s` are core-seconds: it keeps several cores
    busy in some of its seconds. At most all are; None is one of them in every second.
    """

    seconds: float
    cores: int | None = 1
    busy_s: float | None = None

    @property
    def queued_s(self) -> float:
        """The seconds for which a query keeps others waiting."""
        if self.cores is None:
            return 0.0
        return (self.seconds if self.busy_s is None else self.busy_s) / self.cores


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """The seconds of a mean query among so many clients, with what it waits for others.

    `second_slope`: the seconds that a further second adds in which no core is busy. `core_slopes`:
    for each demand, those that a core-second in it adds to that; 0 where no query waits for a core.
    """

    seconds: float
    second_slope: float
    core_slopes: tuple[float, ...]


def throughput(demands: Sequence[Demand], clients: int) -> float | None:
    """Return the queries a second of so many clients; None where a query takes no time."""
    found = response(demands, clients)
    return None if found is None else clients / found.seconds


def response(demands: Sequence[Demand], clients: int) -> Response | None:
    """Return how long a mean query takes; None where it takes no time.

    The slope of a queue follows from its mean length Q: the logarithm of the normalizing constant
    grows by Q(n) with that of the demand, and the seconds are n times the ratio of those of n and
    of n - 1 clients.
    """
    alone_s = sum(each.seconds for each in demands)
    if alone_s <= 0:
        return None
    queued = [each.queued_s for each in demands]
    delay_s = alone_s - sum(queued)
    waiting = [0.0] * len(queued)
    rate, rate_before = 0.0, 0.0
    visits, visits_before = list(waiting), list(waiting)
    for number in range(1, clients + 1):
        met = [1 + each for each in waiting]
        rate_before, visits_before = rate, visits
        seconds = delay_s + sum(each * times for each, times in zip(queued, met, strict=True))
        rate = number / seconds
        # A queue's mean length for each second of its demand: known where that is 0 as well.
        visits = [rate * times for times in met]
        waiting = [each * times for each, times in zip(queued, visits, strict=True)]
    seconds = clients / rate
    by_delay = seconds * (rate - rate_before)
    by_queue = [seconds * (now - then) for now, then in zip(visits, visits_before, strict=True)]
    return Response(
        seconds=seconds,
        second_slope=by_delay,
        core_slopes=tuple(
            0.0 if each.cores is None else (slope - by_delay) / each.cores
            for each, slope in zip(demands, by_queue, strict=True)
        ),
    )
