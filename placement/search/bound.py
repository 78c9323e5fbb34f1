"""A proven bound from prices: the Lagrangian relaxation of the fragment model.

Every source of every query pays a price for using a copy in a store, and the copy earns it. Then
queries do not see each other, nor do tables: each query takes its cheapest cover, each table its
best stores, and each store's capacity has a price of its own. For any prices the sum is a lower
bound on every plan; the best prices give at least the bound of the linear relaxation. They are
found by a subgradient method with averaged directions, and the averages tell where tables tend to
be.

Held, Wolfe and Crowder: Validation of subgradient optimization, Mathematical Programming 6, 1974;
Barahona and Anbil: The volume algorithm, Mathematical Programming 87, 2000.
"""

import time
from dataclasses import dataclass

import numpy as np

from placement.arrays.compiled import Compiled, Floats
from placement.search.room import Room, runnable

AVERAGING = 0.05
PATIENCE = 30
SHRINK = 0.8
SHORTEST_STEP = 1e-3
TARGET = 1.5
CAPACITY_SCALE = 0.1
SMALLEST = 1e-12
HUGE = 1e60
MISSING = 1e30
"""The price of a copy that may not be: no table takes it while there is another."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Prices:
    """What a source pays for a copy (A by S), and what a store's whole capacity costs (S)."""

    source: Floats
    capacity: Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Bound:
    """The best bound found, its prices, and how much each table tends to be in each store.

    `leaning` (T by S) is near a solution of the linear relaxation: shares of 0 to 1.
    """

    value_s: float
    prices: Prices
    leaning: Floats
    steps: int


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
            [np.inf if s.capacity_bytes is None else s.capacity_bytes for s in problem.stores]
        )
        self.load = size[:, None] / np.maximum(capacity, 1.0)
        self._limited = np.isfinite(capacity)
        self._scale = self._source_scale()
        most = min(problem.constraints.max_copies, len(problem.stores))
        self._most = np.full(len(compiled.tables), most)

    def start(self) -> Prices:
        """Return prices of 0."""
        stores = len(self.compiled.stores)
        return Prices(
            source=np.zeros((len(self.compiled.source_table), stores)), capacity=np.zeros(stores)
        )

    def ascend(
        self,
        where: Room,
        *,
        prices: Prices,
        steps: int,
        ends: float = np.inf,
    ) -> Bound:
        """Raise the bound for at most `steps` steps, or until `ends` (monotonic seconds).

        `where` says in which stores tables may and must be.
        """
        cost = np.where(runnable(self.compiled, where), self._cost, np.inf)
        climb = _Climb(self, cost, where, prices)
        for _ in range(steps):
            climb.step()
            if climb.done or time.monotonic() >= ends:
                break
        return climb.bound()

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

    def _priced(self, cost: Floats, prices: Prices) -> Floats:
        """Return (M by S) what a set costs in a store at these prices."""
        sets = self.compiled.set_sources
        if not len(sets.items):
            return cost
        priced: Floats = cost + np.add.reduceat(prices.source[sets.items], sets.starts[:-1])
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


class _Climb:
    """One ascent: the present prices, the best ones, and the averages."""

    def __init__(
        self,
        relaxation: Relaxation,
        cost: Floats,
        where: Room,
        prices: Prices,
    ) -> None:
        self._of = relaxation
        self._cost = cost
        self._where = where
        self._now = prices
        self._best = prices
        self._value_s = -np.inf
        self._length = 1.0
        self._since = 0
        self._steps = 0
        self._leaning: Floats | None = None
        self._direction: tuple[Floats, Floats] | None = None

    @property
    def done(self) -> bool:
        return self._length < SHORTEST_STEP

    def bound(self) -> Bound:
        leaning = self._where.required.astype(float) if self._leaning is None else self._leaning
        return Bound(value_s=self._value_s, prices=self._best, leaning=leaning, steps=self._steps)

    def step(self) -> None:
        queries_s, used = self._queries()
        tables_s, held = self._tables()
        value_s = queries_s + tables_s - float(self._now.capacity.sum())
        if not np.isfinite(value_s):  # a query that no store can run: no plan costs so little
            self._value_s, self._length = np.inf, 0.0
            return
        self._keep(value_s)
        if value_s > HUGE:  # no placement keeps to the limits, and prices rise without end
            self._length = 0.0
            return
        over = used - held[self._of.compiled.source_table]
        load = np.where(self._of._limited, (self._of.load * held).sum(axis=0) - 1.0, 0.0)
        if self._direction is None or self._leaning is None:
            self._leaning, self._direction = held, (over, load)
        else:
            self._leaning = _mixed(self._leaning, held)
            self._direction = _mixed(self._direction[0], over), _mixed(self._direction[1], load)
        self._move(value_s)
        self._steps += 1

    def _queries(self) -> tuple[float, Floats]:
        """Return the cost of all queries at these prices, and which copies they use (A by S)."""
        compiled = self._of.compiled
        sets = compiled.set_sources
        priced = self._of._priced(self._cost, self._now)
        store = priced.argmin(axis=1)
        cheapest = np.take_along_axis(priced, store[:, None], axis=1)[:, 0]
        costs, covering = compiled.states.covers(cheapest)
        chosen = np.zeros(len(priced), dtype=bool)
        chosen[covering] = True
        owners = sets.owners
        inside = chosen[owners]
        used = np.zeros_like(self._now.source)
        used[sets.items[inside], store[owners[inside]]] = 1.0
        return float(costs.sum()), used

    def _tables(self) -> tuple[float, Floats]:
        """Return the cost of all copies at these prices, and where they are (T by S)."""
        reduced = self._of._copy + self._now.capacity * self._of.load
        np.subtract.at(reduced, self._of.compiled.source_table, self._now.source)
        ranked = np.where(
            self._where.required, -MISSING, np.where(self._where.allowed, reduced, MISSING)
        )
        order = np.argsort(ranked, axis=1, kind="stable")
        ranked = np.take_along_axis(ranked, order, axis=1)
        taken = (ranked < 0) & (np.arange(ranked.shape[1]) < self._of._most[:, None])
        taken[:, 0] = True
        taken |= ranked == -MISSING
        held = np.zeros(ranked.shape)
        np.put_along_axis(held, order, taken.astype(float), axis=1)
        return float((reduced * held).sum()), held

    def _keep(self, value_s: float) -> None:
        """Remember the best prices; go back to them, and on in shorter steps, after a while."""
        self._since += 1
        if value_s > self._value_s:
            if value_s > self._value_s + 1e-4 * abs(self._value_s):
                self._since = 0
            self._value_s, self._best = value_s, self._now
        if self._since > PATIENCE:
            self._length *= SHRINK
            self._since = 0
            self._now = self._best

    def _move(self, value_s: float) -> None:
        if self._direction is None:
            return
        over, load = self._direction
        best = self._value_s
        goal = best + (TARGET - 1.0) * abs(best)
        capacity_scale = CAPACITY_SCALE * abs(best) / len(load)
        norm = float((self._of._scale * over * over).sum() + (capacity_scale * load * load).sum())
        if norm <= 0:
            return
        missing = max(goal - max(value_s, best - 0.2 * abs(best)), 1e-9 * abs(best))
        length = self._length * missing / norm
        self._now = Prices(
            source=np.maximum(0.0, self._now.source + length * self._of._scale * over),
            capacity=np.maximum(0.0, self._now.capacity + length * capacity_scale * load),
        )


def _mixed(average: Floats, latest: Floats) -> Floats:
    return (1.0 - AVERAGING) * average + AVERAGING * latest
