"""Further rounds of candidates: a sequential test of their places in the ranking.

After each round, the logarithms of the candidates' totals are compared pair by pair, over the
rounds that both have. A total's noise is estimated from all candidates together, each about its
own mean, and from a prior that was measured: `PRIOR_DEVIATION`, which counts for `PRIOR_FREEDOM`
observations. Two candidates are told apart where Student's t test does so with `CONFIDENCE`. A
candidate's place is settled once it is told apart from every other one. With one round there is no
estimate but the prior, so that only candidates far apart are settled.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import mean, median

PRIOR_DEVIATION = 0.08
"""Standard deviation of a total's logarithm from round to round, as measured; without a unit."""
PRIOR_FREEDOM = 6
"""Degrees of freedom of the prior: the observations that it counts for."""
CONFIDENCE = 0.99
"""Of one comparison of two candidates, on both sides."""
_LEAST_S = 1e-9

Totals = Sequence[float]
"""A candidate's seconds, a figure a round in the order of the rounds."""


@dataclass(frozen=True, slots=True)
class Noise:
    """The spread of the logarithm of one total: a standard deviation with its freedom."""

    deviation: float
    freedom: int

    def apart(self, left: Totals, right: Totals) -> bool:
        """Tell whether the two differ by more than noise, over the rounds that both have.

        Without a common round nothing is known of them, and they are not apart.
        """
        return self.order(left, right) != 0

    def order(self, left: Totals, right: Totals) -> int:
        """Return -1 where `left` takes less, 1 where it takes more, 0 where they are not apart."""
        common = min(len(left), len(right))
        if not common:
            return 0
        from scipy.special import stdtrit

        reach = float(stdtrit(self.freedom, (1 + CONFIDENCE) / 2)) * self.deviation
        difference = mean(_logarithms(left[:common])) - mean(_logarithms(right[:common]))
        if abs(difference) <= reach * math.sqrt(2 / common):
            return 0
        return 1 if difference > 0 else -1


def noise(totals: Iterable[Totals]) -> Noise:
    """Return the noise of all candidates' totals, each about its own mean, with the prior."""
    samples = [_logarithms(each) for each in totals if each]
    squares = sum((value - mean(sample)) ** 2 for sample in samples for value in sample)
    freedom = PRIOR_FREEDOM + sum(len(sample) - 1 for sample in samples)
    pooled = PRIOR_FREEDOM * PRIOR_DEVIATION**2 + squares
    return Noise(deviation=math.sqrt(pooled / freedom), freedom=freedom)


def settled(totals: Mapping[str, Totals]) -> frozenset[str]:
    """Return the candidates that are told apart from every other one that has a place.

    `totals` maps a candidate to its totals; one without any has no place, and is settled.
    """
    placed = {name: each for name, each in totals.items() if each}
    found = noise(placed.values())
    close: set[str] = set()
    for left, right in combinations(placed, 2):
        if not found.apart(placed[left], placed[right]):
            close |= {left, right}
    return frozenset(totals.keys() - close)


def unsettled(totals: Mapping[str, Totals]) -> frozenset[str]:
    """Return the candidates that need another round: those not settled, and the fastest.

    The fastest does, whatever the others took: what is recommended has a spread.
    """
    medians = {name: median(each) for name, each in totals.items() if each}
    fastest = min(medians, key=lambda name: medians[name], default=None)
    close = frozenset(totals) - settled(totals)
    return close if fastest is None else close | {fastest}


def _logarithms(totals: Totals) -> list[float]:
    return [math.log(max(each, _LEAST_S)) for each in totals]
