"""Throughput of clients that share machines: exact mean value analysis of a closed network.

Each client asks its next query as soon as it has the answer to the last. All clients draw from one
mix, so that there is one class of customers (Reiser and Lavenberg, Journal of the ACM 27, 1980). A
machine with several cores is a queue that works as fast as all of them together, and a delay that
makes a query alone take as long as on one of them (Seidmann, Schweitzer and Shalev-Oren,
Performance Evaluation 7, 1987).

The seconds of a query among others are convex in the demands. The throughput is that of a ring of
single servers as well, as it depends on demands alone (Gordon and Newell 1967; a delay is the limit
of many short queues). There each departure is the latest of some sums of service times, which is
convex in them, and so is its mean. Multiplying all demands multiplies the seconds. So a plane that
touches them at some demands is nowhere above them: the `slopes` there, times the demands of any
plan, are a lower bound on the plan's seconds.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """The seconds of a mean query on one machine, which works on `cores` of them at a time.

    None are so many cores that no query waits for one.
    """

    seconds: float
    cores: int | None = 1

    @property
    def queued_share(self) -> float:
        """The share of the seconds for which a query keeps others waiting (0..1)."""
        return 0.0 if self.cores is None else 1.0 / self.cores


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """The seconds of a mean query among so many clients, with what it waits for others.

    `slopes`: for each demand, the seconds that a further second of it adds.
    """

    seconds: float
    slopes: tuple[float, ...]


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
    queued = [each.seconds * each.queued_share for each in demands]
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
        slopes=tuple(
            slope * each.queued_share + by_delay * (1 - each.queued_share)
            for each, slope in zip(demands, by_queue, strict=True)
        ),
    )
