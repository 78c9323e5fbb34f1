"""The memory of one store's hash joins, and the setting that suits a pipeline of them."""

from collections.abc import Sequence
from dataclasses import dataclass

from placement.memory.choice import SWEPT_BYTES, TOLERANCE, MemoryChoice, choose
from placement.memory.hybrid_hash import JoinCost, pipeline_cost
from placement.memory.join import HashJoin, StoreJoins
from placement.memory.machine import CacheLevel, Machine

MOST_BYTES = 64 << 20
"""No session is given more than this, unless its server gives all of them more."""
LEAST_GAIN_S = 0.01
"""A setting that saves less is not worth being one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreMemory:
    """The costs of a store's hybrid hash joins, as a calibration found them.

    `set_bytes` is the working memory that its sessions have by themselves. `caches` are those of
    its machine, `error` is the share that the measured joins were off by. Spilled rows are taken to
    stay in the page cache: no disk is asked for them.
    """

    set_bytes: int
    joins: StoreJoins
    caches: tuple[CacheLevel, ...]
    error: float = 0.0

    def cost(self, pipelines: Sequence[Sequence[HashJoin]], memory_bytes: float) -> JoinCost:
        """Return what joins cost with so much memory each, one pipeline after another."""
        machine = Machine(caches=self.caches, page_cache_bytes=float("inf"))
        costs = [pipeline_cost(each, memory_bytes, machine, self.joins) for each in pipelines]
        return JoinCost(
            memory_bytes=memory_bytes,
            batches=max(each.batches for each in costs),
            spilled_bytes=sum(each.spilled_bytes for each in costs),
            request_bytes=None,
            table_bytes=max(each.table_bytes for each in costs),
            misses=sum(each.misses for each in costs),
            cpu_s=sum(each.cpu_s for each in costs),
            io_s=None,
            seconds=sum(each.seconds for each in costs),
        )

    def choice(
        self, pipelines: Sequence[Sequence[HashJoin]], least_bytes: float = 0.0
    ) -> MemoryChoice | None:
        """Return the setting for a statement's joins; None where the sessions' own does as well.

        It is no smaller than `least_bytes`, which what is no hash join needs. A gain that is less
        than what the measured joins were off by is none.
        """
        most = max(MOST_BYTES, self.set_bytes)
        settings = {each for each in SWEPT_BYTES if least_bytes <= each <= most} | {self.set_bytes}
        found = choose([self.cost(pipelines, each) for each in settings])
        before_s = self.cost(pipelines, self.set_bytes).seconds
        least_s = max(LEAST_GAIN_S, before_s * max(TOLERANCE, self.error))
        return found if before_s - found.chosen.seconds > least_s else None
