"""Throughput of clients that share machines: exact mean value analysis of a closed network.

Each client asks its next query as soon as it has the answer to the last. All clients draw from one
mix, so that there is one class of customers (Reiser and Lavenberg, Journal of the ACM 27, 1980). A
machine with several cores is a queue that works as fast as all of them together, and a delay that
makes a query alone take as long as on one of them (Seidmann, Schweitzer and Shalev-Oren,
Performance Evaluation 7, 1987).
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
    def _queued_s(self) -> float:
        """The seconds for which a query keeps others waiting."""
        return 0.0 if self.cores is None else self.seconds / self.cores


def throughput(demands: Sequence[Demand], clients: int) -> float | None:
    """Return the queries a second of so many clients; None where a query takes no time."""
    alone_s = sum(each.seconds for each in demands)
    if alone_s <= 0:
        return None
    queued = [each._queued_s for each in demands]
    delay_s = alone_s - sum(queued)
    waiting = [0.0] * len(queued)
    found = 0.0
    for number in range(1, clients + 1):
        response = [each * (1 + before) for each, before in zip(queued, waiting, strict=True)]
        found = number / (delay_s + sum(response))
        waiting = [found * each for each in response]
    return found
