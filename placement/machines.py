"""The machines that stores and the engine run on: clients at once wait for each other there."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from placement.throughput import Demand, Response

ENGINE = ""
"""The engine's name among those of the stores."""
DISKS = "the disks of stores"
"""The name, among those of the stores, of what is waited for while no core is busy."""
Seconds = Mapping[str, float]
"""Store, the engine, or the stores' disks → seconds of a mean query there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Machines:
    """Which stores and engine share a machine, and its cores.

    `of_store`: a store → its machine; one that is not in it has a machine of its own. `engine` is
    the engine's machine. `cores`: a machine → its cores. Nobody told those that are not in it: no
    query waits for them. `busy_cores`: a store → how many cores one of its statements keeps busy,
    with whatever asks it and takes its rows, as it was counted; others, and the engine, are taken
    to keep one busy. A disk serves several statements at once.
    """

    of_store: Mapping[str, str]
    engine: str
    cores: Mapping[str, int] = field(default_factory=dict)
    busy_cores: Mapping[str, float] = field(default_factory=dict)

    def of(self, store: str) -> str:
        """Return a store's machine, or that of the engine; disks have none of these."""
        if store in (ENGINE, DISKS):
            return self.engine if store == ENGINE else DISKS
        return self.of_store.get(store, f"that of {store}")

    def names(self, stores: Iterable[str]) -> tuple[str, ...]:
        """Return the machines of these stores and of the engine, sorted, with their disks."""
        return tuple(sorted({self.engine, *map(self.of, stores)}))

    def busy(self, store: str) -> float:
        """Return how many cores of its machine a statement of a store keeps busy."""
        found = self.busy_cores.get(store, 1.0)
        return min(found, self.cores.get(self.of(store), found))

    def demands(self, seconds: Seconds) -> tuple[Demand, ...]:
        """Return what a mean query demands of each machine, in the order of `names`."""
        found: dict[str, list[str]] = {name: [] for name in self.names(seconds)}
        for store in seconds:
            found[self.of(store)].append(store)
        return tuple(
            Demand(
                seconds=sum(seconds[each] for each in stores),
                cores=self.cores.get(machine),
                busy_s=sum(self.busy(each) * seconds[each] for each in stores),
            )
            for machine, stores in found.items()
        )

    def weights(self, seconds: Seconds, found: Response) -> Seconds:
        """Return how many seconds a further second in each store, and in the engine, adds.

        `found` is the response to the demands of `seconds`.
        """
        slopes = dict(zip(self.names(seconds), found.core_slopes, strict=True))
        return {
            each: found.second_slope + self.busy(each) * slopes[self.of(each)] for each in seconds
        }

    def are_alike(self, stores: Iterable[str]) -> bool:
        """Tell that it cannot matter in which of the stores, or the engine, a second is spent.

        All wait for the same cores, or for none, and keep as many busy.
        """
        kinds = {
            (self.of(each), self.busy(each)) if self.of(each) in self.cores else None
            for each in stores
        }
        return len(kinds) <= 1

    def asymptotes(self, stores: Collection[str], clients: int) -> list[Seconds]:
        """Return the weights of one client alone, and of each machine that is never idle."""
        found: list[Seconds] = [dict.fromkeys(stores, 1.0)]
        for name in self.names(stores):
            if name in self.cores:
                share = clients / self.cores[name]
                found.append(
                    {
                        each: share * self.busy(each) if self.of(each) == name else 0.0
                        for each in stores
                    }
                )
        return found
