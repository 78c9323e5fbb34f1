"""An engine that warms up: its first statements take longer, as its code is compiled meanwhile."""

from dataclasses import dataclass, field
from math import exp

_COLD = 1.1
"""By how many times its warm seconds the first statement of an engine takes longer.

It was 1.5 before Java mapped its classes from an archive, and too much with one: the queries of
`benchmarks.quick_rates --cores 1` were predicted to take 28 % less than measured, in the median.
"""
_RUNS = 55.0
"""Statements after which that is down to a third.

Two throw-away runs of a minute on two cores gave 1.3 and 59, and 1.4 and 44 over all statements,
without an archive.
"""


def slowness(runs: int) -> float:
    """Return how many times as long as in a warm engine a statement takes after so many others.

    It is of all that the engine does: planning, asking stores, fetching and combining. What a store
    itself does is as fast as ever.
    """
    return 1.0 + _COLD * exp(-runs / _RUNS)


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineRun:
    """A run of a candidate's query after its first, and how many statements came before."""

    candidate: str
    query: str
    before: int
    seconds: float


@dataclass(slots=True)
class EngineRuns:
    """The statements that an engine ran: their number, and all runs but the first of each."""

    count: int = 0
    later: list[EngineRun] = field(default_factory=list)

    def least(self, candidate: str, query: str) -> EngineRun:
        """Return the run of a statement that took the least seconds.

        Raises:
            ValueError: It has not run twice.
        """
        every = (each for each in self.later if (each.candidate, each.query) == (candidate, query))
        return min(every, key=lambda each: each.seconds)
