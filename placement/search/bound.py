"""A proven bound from prices: the Lagrangian relaxation of the fragment model.

Every source of every query pays a price for using a copy in a store, and the copy earns it. Then
queries do not see each other, nor do tables: each query takes its cheapest cover, each table its
best stores, and each store's capacity has a price of its own. For any prices the sum is a lower
bound on every plan; the best prices give at least the bound of the linear relaxation. They are
found by a subgradient method, whose averages tell where tables tend to be.

Where tables cannot be in every store, pairs of sources that are joined in one pay as well: the
copy of a pivot earns what fits beside it (see `placement.search.pivots`).
"""

import time
from dataclasses import dataclass

import numpy as np

from placement.arrays.compiled import Compiled, Floats
from placement.arrays.sums import Sums
from placement.search.climb import Climb, Prices, Value
from placement.search.pivots import Pivots
from placement.search.room import Room, runnable

PATIENCE, PATIENCE_OF_PAIRS = 30, 5
"""Steps without a gain before they are shortened. With pairs, short ones gain more in a time."""
SMALLEST = 1e-12
MISSING = 1e30
"""The price of a copy that may not be: no table takes it while there is another."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Bound:
    """The best bound found, its prices, and how much each table tends to be in each store.

    `leaning` (T by S) is near a solution of the linear relaxation: shares of 0 to 1. `done` says
    that more steps gain nothing.
    """

    value_s: float
    prices: Prices
    leaning: Floats
    steps: int
    done: bool = False


class Relaxation:
    """The relaxation of a compiled problem, with tables kept out of, or in, stores.

    It knows capacities, pins, exclusions and the number of copies. Other limits are left out,
    which leaves the bound a bound.
    """

    def __init__(self, compiled: Compiled) -> None:
        problem = compiled.problem
        self.compiled = compiled
        able = np.isfinite(compiled.cost_s)
        weights = compiled.executions[compiled.set_query][:, None]
        self._cost = np.where(able, np.where(able, compiled.cost_s, 0.0) * weights, np.inf)
        self._copy = compiled.copies_s()
        size = np.array([problem.table_bytes[table] for table in compiled.tables], dtype=float)
        capacity = np.array(
            [np.inf if s.capacity_bytes is None else s.capacity_bytes for s in problem.stores],
            dtype=float,
        )
        self._sources = Sums(compiled.set_sources)
        self._sets = np.arange(len(compiled.set_query))
        self._owners = compiled.set_sources.owners
        self.load = size[:, None] / np.maximum(capacity, 1.0)
        self._limited = np.isfinite(capacity)
        self._scale = self._source_scale()
        most = min(problem.constraints.max_copies, len(problem.stores))
        self._most = np.full(len(compiled.tables), most)
        # What may be copied to every store is not held up by what is beside it.
        none = np.full_like(capacity, np.inf)
        self.pivots = Pivots(compiled, size, capacity if most < len(capacity) else none)
        self._patience = PATIENCE_OF_PAIRS if len(self.pivots) else PATIENCE

    def start(self) -> Prices:
        """Return prices of 0."""
        stores = len(self.compiled.stores)
        return Prices(
            source=np.zeros((len(self.compiled.source_table), stores)),
            joint=np.zeros((len(self.pivots), stores)),
            capacity=np.zeros(stores),
        )

    def ascend(
        self,
        where: Room,
        *,
        prices: Prices,
        steps: int,
        ends: float = np.inf,
        enough_s: float = np.inf,
        length: float = 1.0,
        leaning: Floats | None = None,
    ) -> Bound:
        """Raise the bound for at most `steps` steps, until `ends` (monotonic seconds).

        It is done earlier where the bound is `enough_s`. `where` says in which stores tables may
        and must be. `length` is of the first steps, and `leaning` what an ascent before this one
        found.
        """
        cost = np.where(runnable(self.compiled, where), self._cost, np.inf)
        pairs = self.pivots
        climb = Climb(
            lambda now: self._at(now, cost, where),
            (self._scale, np.minimum(self._scale[pairs.first], self._scale[pairs.second])),
            prices,
            patience=self._patience,
            length=length,
            leaning=leaning,
        )
        for _ in range(steps):
            climb.step()
            if climb.done or climb.bound_s >= enough_s or time.monotonic() >= ends:
                break
        leaned = where.required.astype(float) if climb.leaning is None else climb.leaning
        return Bound(
            value_s=climb.bound_s,
            prices=climb.best,
            leaning=leaned,
            steps=climb.steps,
            done=climb.done,
        )

    def regret_shares(self, prices: Prices, where: Room) -> Floats:
        """Return (M by S): how much dearer a query is at best if it uses a set in a store.

        As a share of what the query costs at these prices; inf where the set cannot be run there.
        """
        able = runnable(self.compiled, where)
        priced = self._priced(np.where(able, self._cost, np.inf), prices)
        best = priced.min(axis=1)
        states = self.compiled.states
        query_s = np.maximum(states.cheapest(best[:, None])[:, 0], SMALLEST)
        with np.errstate(invalid="ignore"):  # inf - inf where no store can run the set
            regret = states.regret_s(best)[:, None] + (priced - best[:, None])
        return np.where(able, regret / query_s[self.compiled.set_query][:, None], np.inf)

    def _at(self, prices: Prices, cost: Floats, where: Room) -> Value:
        """Return the bound at these prices, where sets cost (M by S) in seconds."""
        queries_s, used, joined = self._queries(prices, cost)
        beside = self.pivots.beside(prices.joint, where)
        tables_s, held = self._tables(prices, beside.gain_s, where)
        pairs = self.pivots
        taken = beside.joined * held[pairs.pivot]
        load = np.where(self._limited, (self.load * held).sum(axis=0) - 1.0, 0.0)
        slope = Prices(
            source=used - held[self.compiled.source_table], joint=joined - taken, capacity=load
        )
        bound_s = queries_s + tables_s - float(prices.capacity.sum())
        return Value(bound_s=bound_s, slope=slope, held=held)

    def _queries(self, prices: Prices, cost: Floats) -> tuple[float, Floats, Floats]:
        """Return the cost of all queries, and the copies (A by S) and pairs (N by S) they use."""
        compiled, pairs = self.compiled, self.pivots
        priced = self._priced(cost, prices)
        store = priced.argmin(axis=1)
        cheapest = priced[self._sets, store]
        costs, covering = compiled.states.covers(cheapest)
        chosen = np.zeros(len(priced), dtype=bool)
        chosen[covering] = True
        inside = chosen[self._owners]
        used, joined = np.zeros_like(prices.source), np.zeros_like(prices.joint)
        used[compiled.set_sources.items[inside], store[self._owners[inside]]] = 1.0
        both = chosen[pairs.set_]
        joined[pairs.pair[both], store[pairs.set_[both]]] = 1.0
        return float(costs.sum()), used, joined

    def _tables(self, prices: Prices, beside_s: Floats, where: Room) -> tuple[float, Floats]:
        """Return the cost of all copies at these prices, and where they are (T by S).

        `beside_s` (T by S) is what a copy earns by what is joined with it.
        """
        reduced = self._copy + prices.capacity * self.load - beside_s
        np.subtract.at(reduced, self.compiled.source_table, prices.source)
        ranked = np.where(where.required, -MISSING, np.where(where.allowed, reduced, MISSING))
        order = np.argsort(ranked, axis=1, kind="stable")
        ranked = np.take_along_axis(ranked, order, axis=1)
        taken = (ranked < 0) & (np.arange(ranked.shape[1]) < self._most[:, None])
        taken[:, 0] = True
        taken |= ranked == -MISSING
        held = np.zeros(ranked.shape)
        np.put_along_axis(held, order, taken.astype(float), axis=1)
        return float((reduced * held).sum()), held

    def _priced(self, cost: Floats, prices: Prices) -> Floats:
        """Return (M by S) what a set costs in a store at these prices."""
        priced: Floats = cost + self._sources.of(prices.source)
        self.pivots.charge(priced, prices.joint)
        return priced

    def _source_scale(self) -> Floats:
        """Return (A by 1) how large prices of a source are: an even share of its cheapest set."""
        sources = self.compiled.set_sources
        cheapest = self._cost.min(axis=1, initial=np.inf) / np.maximum(1, np.diff(sources.starts))
        scale = np.full(len(self.compiled.source_table), np.inf)
        np.minimum.at(scale, sources.items, cheapest[sources.owners])
        scale[~np.isfinite(scale)] = 1.0
        floor = scale.max(initial=0.0) * 1e-9 or 1.0
        scaled: Floats = np.maximum(scale, floor)[:, None]
        return scaled
