"""The machines that stores and the engine run on: clients at once wait for each other there."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from placement.throughput import Demand, Response


class Place(NamedTuple):
    """A place where queries spend seconds.

    They do in a store until its rows are there, while these `rows` are handed to the engine, in the
    engine, and waiting for the stores' disks, while no core is busy.
    """

    kind: Literal["store", "rows", "engine", "disks"]
    store: str = ""


ENGINE, DISKS = Place("engine"), Place("disks")
Seconds = Mapping[Place, float]
"""Place → seconds of a mean query there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Machines:
    """Which stores and engine share a machine, and its cores.

    `of_store`: a store → its machine; one that is not in it has a machine of its own. `engine` is
    the engine's machine. `cores`: a machine → its cores. Nobody told those that are not in it: no
    query waits for them. `busy_cores`: a store → how many cores one of its statements keeps busy
    until its rows are there, as it was counted, and `handing_cores` while they are handed over,
    with the engine that takes them. Others, and the engine, are taken to keep one busy. A disk
    serves several statements at once.
    """

    of_store: Mapping[str, str]
    engine: str
    cores: Mapping[str, int] = field(default_factory=dict)
    busy_cores: Mapping[str, float] = field(default_factory=dict)
    handing_cores: Mapping[str, float] = field(default_factory=dict)

    def of(self, place: Place) -> str:
        """Return the machine of a place; disks have none of these."""
        match place.kind:
            case "engine":
                return self.engine
            case "disks":
                return "the disks of stores"
        return self.of_store.get(place.store, f"that of {place.store}")

    def names(self, places: Iterable[Place]) -> tuple[str, ...]:
        """Return the machines of these places and of the engine, sorted, with the disks."""
        return tuple(sorted({self.engine, *map(self.of, places)}))

    def busy(self, place: Place) -> float:
        """Return how many cores of its machine a query keeps busy in a place."""
        found = self.busy_cores.get(place.store, 1.0)
        if place.kind == "rows":
            found = self.handing_cores.get(place.store, found)
        return min(found, self.cores.get(self.of(place), found))

    def demands(self, seconds: Seconds) -> tuple[Demand, ...]:
        """Return what a mean query demands of each machine, in the order of `names`."""
        found: dict[str, list[Place]] = {name: [] for name in self.names(seconds)}
        for place in seconds:
            found[self.of(place)].append(place)
        return tuple(
            Demand(
                seconds=sum(seconds[each] for each in places),
                cores=self.cores.get(machine),
                busy_s=sum(self.busy(each) * seconds[each] for each in places),
            )
            for machine, places in found.items()
        )

    def weights(self, seconds: Seconds, found: Response) -> Seconds:
        """Return how many seconds a further second in each place adds.

        `found` is the response to the demands of `seconds`.
        """
        slopes = dict(zip(self.names(seconds), found.core_slopes, strict=True))
        return {
            each: found.second_slope + self.busy(each) * slopes[self.of(each)] for each in seconds
        }

    def are_alike(self, places: Iterable[Place]) -> bool:
        """Tell that it cannot matter in which of the places a second is spent.

        All wait for the same cores, or for none, and keep as many busy.
        """
        kinds = {
            (self.of(each), self.busy(each)) if self.of(each) in self.cores else None
            for each in places
        }
        return len(kinds) <= 1

    def asymptotes(self, places: Collection[Place], clients: int) -> list[Seconds]:
        """Return the weights of one client alone, and of each machine that is never idle."""
        found: list[Seconds] = [dict.fromkeys(places, 1.0)]
        for name in self.names(places):
            if name in self.cores:
                share = clients / self.cores[name]
                found.append(
                    {
                        each: share * self.busy(each) if self.of(each) == name else 0.0
                        for each in places
                    }
                )
        return found
