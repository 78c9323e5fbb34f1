"""The machines that stores and the engine run on: clients at once wait for each other there."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from placement.throughput import Demand


@dataclass(frozen=True, slots=True, kw_only=True)
class Machines:
    """Which stores and engine share a machine, and its cores.

    `of_store`: a store → its machine; one that is not in it has a machine of its own. `engine` is
    the engine's machine. `cores`: a machine → its cores. Nobody told those that are not in it: no
    query waits for them.
    """

    of_store: Mapping[str, str]
    engine: str
    cores: Mapping[str, int] = field(default_factory=dict)

    def of(self, store: str) -> str:
        """Return a store's machine."""
        return self.of_store.get(store, f"that of {store}")

    def names(self, stores: Iterable[str]) -> tuple[str, ...]:
        """Return the machines of these stores and of the engine, sorted."""
        return tuple(sorted({self.engine, *map(self.of, stores)}))

    def demands(self, seconds: Mapping[str, float]) -> tuple[Demand, ...]:
        """Return machine → seconds of a mean query as demands, in the same order."""
        return tuple(
            Demand(seconds=taken_s, cores=self.cores.get(machine))
            for machine, taken_s in seconds.items()
        )
