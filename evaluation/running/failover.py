"""The second try of a query that lost a store: there if it is back, else on other copies."""

import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from evaluation.federation.compile import Compiler
from evaluation.federation.compiled import CompiledQuery
from evaluation.judging.oracle import Oracle
from evaluation.judging.verdict import verdict
from evaluation.kinds import BACKENDS, capabilities, most_tabled
from evaluation.measuring.measurement import QueryOutcome
from evaluation.running.bounded_frames import QueryFailedError
from evaluation.running.execution import Federation
from evaluation.running.job import Job
from evaluation.store_protocol.connection import Connection
from placement.fragments.enumeration import enumerate_fragments
from placement.plan import PlacementPlan
from placement.problem import Constraints, PlacementProblem, QueryProblem
from placement.routing.routing import route_query
from placement.stores import Store
from workloads.access_graph import access_graph
from workloads.copied_indexes import copy_bytes
from workloads.errors import AdvisorError, InfeasibleError
from workloads.estimation.cardinality import Estimator
from workloads.sql import footprint
from workloads.workload import Query

BACK_S = 10.0
"""Seconds that a lost store is given to come back, once in a run."""

_POLL_S = 0.2
_ASKED_FOR = 0.1
"""The share of a run's time, at most, that asking a silent store may take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondTry:
    """The result of a failover: `message` continues the failure's. It never counts as a time."""

    message: str
    outcome: QueryOutcome


class Failover:
    """Tries queries again that lost a store; remembers which stores did not come back."""

    def __init__(
        self, job: Job, compiler: Compiler, federation: Federation, oracle: Oracle
    ) -> None:
        self._job = job
        self._compiler = compiler
        self._federation = federation
        self._oracle = oracle
        self._gone: set[str] = set()
        self._asked_again: dict[str, float] = {}

    def gone(self, stores: Collection[str]) -> tuple[str, ...]:
        """Return those of `stores` that an earlier query lost and that are still silent, sorted.

        Without it each query of a silent store would wait for it as long as the first did.
        """
        found = tuple(
            each for each in sorted(self._gone.intersection(stores)) if self._is_gone(each)
        )
        self._gone -= set(stores) - set(found)
        return found

    def again(
        self, plan: PlacementPlan, compiled: CompiledQuery, error: QueryFailedError
    ) -> SecondTry:
        """Run `compiled` again after `error`, or without the stores that are gone, and verify it.

        The query stays what its failure made it, as its first execution gave no answer. Only a
        wrong answer makes it WRONG, and one that cannot be judged UNDETERMINED.
        """
        failed = QueryOutcome.TIMEOUT if error.timeout else QueryOutcome.FAILED
        query = self._job.workload.query(compiled.query)
        gone = self._still_gone(error.lost)
        where = "on the same stores once they answered again"
        try:
            if gone:
                compiled = self._without(plan, query, gone)
                used = sorted({each.store for each in compiled.fragments})
                where = f"from the copies in {' and '.join(map(repr, used))}"
            found = verdict(self._oracle, query, self._federation.run(compiled).answer)
        except (QueryFailedError, AdvisorError) as second:
            return SecondTry(message=f"The second try failed: {second}", outcome=failed)
        if found.outcome is QueryOutcome.FAILED:
            return SecondTry(message=f"The second try failed: {found.message}", outcome=failed)
        if found.outcome is not QueryOutcome.VERIFIED:
            return SecondTry(
                message=f"Tried again {where}, the answer was {found.outcome}: {found.message}.",
                outcome=found.outcome,
            )
        return SecondTry(
            message=f"Tried again {where}, it was answered and verified, which is no measurement.",
            outcome=failed,
        )

    def _still_gone(self, lost: Collection[str]) -> frozenset[str]:
        """Return which of `lost` do not come back; those that did not before are not waited for."""
        if set(lost) <= self._gone:
            return frozenset(self.gone(lost))
        ends = time.monotonic() + BACK_S
        gone = set(lost)
        while True:
            gone = {store for store in gone if not self._answers(store)}
            if not gone or time.monotonic() >= ends:
                break
            time.sleep(_POLL_S)
        self._gone = (self._gone - set(lost)) | gone
        return frozenset(gone)

    def _is_gone(self, store: str) -> bool:
        """Whether a store is silent: it is asked, or was asked too lately to be asked again."""
        began = time.monotonic()
        if began < self._asked_again.get(store, 0.0):
            return True
        answers = self._answers(store)
        took_s = time.monotonic() - began
        self._asked_again[store] = began + took_s / _ASKED_FOR
        return not answers

    def _answers(self, store: str) -> bool:
        connection = self._job.connections[store]
        return BACKENDS[connection.kind].answers(connection)

    def _without(self, plan: PlacementPlan, query: Query, gone: Collection[str]) -> CompiledQuery:
        """Compile `query` for what `plan` places in other stores.

        Raises InfeasibleError: a table that it reads has no copy there.
        """
        left = {
            table: tuple(store for store in stores if store not in gone)
            for table, stores in plan.placement.items()
        }
        problem = self._problem(query, left)
        try:
            routing = route_query(problem, problem.query(query.name), left)
        except InfeasibleError:
            bare = sorted(t for t in self._tables(problem) if not left.get(t))
            tables = f"of {', '.join(bare)} " if bare else ""
            raise InfeasibleError(f"no copy {tables}is left in another store.") from None
        # This problem has no chosen indexes: the store may read by those that are there.
        left_alone = tuple(replace(each, read_by=None) for each in routing)
        return self._compiler.compile(query.name, left_alone)

    def _tables(self, problem: PlacementProblem) -> frozenset[str]:
        (query,) = problem.queries
        return frozenset(table for fragment in query.fragments for table in fragment.tables)

    def _problem(self, query: Query, left: Mapping[str, tuple[str, ...]]) -> PlacementProblem:
        """Return the problem of routing one query, with the prices of the plans."""
        catalog = self._job.catalog
        read = footprint(query, catalog, self._job.workload.dialect)
        return PlacementProblem(
            table_bytes={name: copy_bytes(catalog.table(name)) for name in left},
            stores=self._job.stores or tuple(map(_of_its_kind, self._job.connections.values())),
            queries=(
                QueryProblem(
                    name=query.name,
                    executions=query.executions,
                    sources=tuple(source.name for source in read.sources()),
                    fragments=enumerate_fragments(read, Estimator(catalog, read)),
                ),
            ),
            constraints=Constraints(max_copies=len(self._job.connections)),
            costs=self._job.costs,
            graph=access_graph([read]),
        )


def _of_its_kind(connection: Connection) -> Store:
    """Return a store with the default rates of its kind."""
    backend = BACKENDS[connection.kind]
    return Store(
        name=connection.store,
        kind=connection.kind,
        strength=backend.strength,
        capabilities=capabilities(connection.kind, read_only=connection.read_only),
        lacks=backend.lacks,
        most_tabled=most_tabled(connection.kind),
    )
