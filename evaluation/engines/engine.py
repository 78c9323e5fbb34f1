"""The protocol of an engine, which answers the queries of a run."""

from typing import ClassVar, Protocol

from evaluation.judging.types import TypeRule
from evaluation.running.bounded_frames import QueryFailedError
from evaluation.running.executed import Execution
from evaluation.running.failover import SecondTry
from placement.plan import PlacementPlan


class Prepared(Protocol):
    """One query on one plan, written for its engine, to be run any number of times."""

    def run(self, *, counted: bool = True) -> Execution:
        """Run it once. Unless `counted` the engine is not asked what it did for the answer.

        Raises:
            QueryFailedError: It failed, or was not done in time; nothing of it runs on.
        """
        ...

    def again(self, error: QueryFailedError) -> SecondTry | None:
        """Try it a second time after it lost a store; None where the engine does not."""
        ...


class Engine(Protocol):
    """An engine that is open for a run: all stores are loaded and can be reached.

    `types` tells how far the types of its answers must be DuckDB's.
    """

    types: ClassVar[TypeRule]

    def prepare(self, query: str, plan: PlacementPlan) -> Prepared:
        """Write `query` for this engine, on the copies that the plan routes it to.

        Raises:
            AdvisorError: The query cannot be said in the engine's SQL.
        """
        ...

    def learn(self, other: "Engine") -> None:
        """Know what `other`, which was opened for the same run, finds out of statements."""
        ...
