"""Our engine: each fragment runs in the store of its route; Spark or DuckDB combines them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from evaluation.engines.engine import Engine
from evaluation.federation.compile import Compiler
from evaluation.federation.compiled import CompiledQuery
from evaluation.federation.store_dialect import StoreDialect
from evaluation.judging.oracle import Oracle
from evaluation.judging.types import TypeRule
from evaluation.kinds import KINDS
from evaluation.running.bounded_frames import QueryFailedError
from evaluation.running.executed import Execution
from evaluation.running.execution import Federation
from evaluation.running.failover import Failover, SecondTry
from evaluation.running.job import Job
from placement.plan import PlacementPlan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fragments:
    """One compiled query."""

    plan: PlacementPlan
    compiled: CompiledQuery
    federation: Federation
    failover: Failover

    def run(self, *, counted: bool = True) -> Execution:
        """Run the fragments in their stores and combine them."""
        if gone := self.failover.gone({each.store for each in self.compiled.fragments}):
            names = " and ".join(map(repr, gone))
            reason = (
                f"Store {names}: lost by an earlier query and still silent; look at the server."
            )
            raise QueryFailedError(reason, timeout=False, lost=gone)
        return self.federation.run(self.compiled, counted=counted)

    def again(self, error: QueryFailedError) -> SecondTry | None:
        """Try it there once the store is back, else on other copies."""
        return self.failover.again(self.plan, self.compiled, error) if error.lost else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fragments:
    """The engine of this project."""

    types: ClassVar[TypeRule] = TypeRule.EXACT
    compiler: Compiler
    federation: Federation
    failover: Failover

    def prepare(self, query: str, plan: PlacementPlan) -> _Fragments:
        """Compile the plan's fragments of `query`; SqlError where that cannot be done."""
        return _Fragments(
            plan=plan,
            compiled=self.compiler.compile(query, plan.routing[query]),
            federation=self.federation,
            failover=self.failover,
        )

    def learn(self, other: Engine) -> None:
        """Know which statements fail, or are larger than predicted, and let `other` know."""
        if isinstance(other, Fragments):
            self.federation.learn(other.federation)


@contextmanager
def open_fragments(spark: "SparkSession", job: Job, oracle: Oracle) -> Iterator[Fragments]:
    """Open the engine for the length of the block."""
    federation = Federation(
        spark,
        job.connections,
        timeout_s=job.query_timeout_s,
        fetch_size=job.fetch_size,
        join_strategy=job.join_strategy,
        combine=job.combine,
        sharing=job.sharing,
    )
    compiler = Compiler(job.workload, job.catalog, dialects(job))
    failover = Failover(job, compiler, federation, oracle)
    with federation:
        yield Fragments(compiler=compiler, federation=federation, failover=failover)


def dialects(job: Job) -> dict[str, StoreDialect]:
    """Return how to write for each of the job's stores, which are asked what they are."""
    return {
        name: KINDS[connection.kind].dialect_for(connection, job.catalog.tables_of(name))
        for name, connection in job.connections.items()
    }
