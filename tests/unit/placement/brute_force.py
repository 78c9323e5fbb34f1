"""The optimum by trying everything.

It shares no code with the model, the routing and the check.
"""

from collections import defaultdict
from dataclasses import replace
from functools import lru_cache
from itertools import chain, combinations, product

from tests.unit.placement.brute_force_limits import placement_limits

TOLERANCE = 1 + 1e-6


def cheapest(problem):
    """Return the least cost of any placement and routing; None if no placement fits."""
    costs = [
        cost
        for placement in placements(problem)
        if (cost := placement_cost(problem, placement)) is not None
    ]
    return min(costs, default=None)


def placements(problem):
    """Yield every placement that respects the hard limits on where tables are."""
    for placement in all_placements(problem):
        if all(kept(problem, placement) for _, kept in placement_limits(problem)):
            yield placement


def all_placements(problem):
    """Yield every placement that there is."""
    names = sorted(store.name for store in problem.stores)
    subsets = chain.from_iterable(combinations(names, n) for n in range(1, len(names) + 1))
    for chosen in product(list(subsets), repeat=len(problem.table_bytes)):
        yield dict(zip(problem.table_bytes, chosen, strict=True))


def placement_cost(problem, placement):
    """Return the cost of a placement with the best routing; None if there is none in the limits."""
    ceilings, budget = problem.constraints.latency_s, problem.constraints.max_money
    choices = []
    for query in problem.queries:
        found = runs(problem, query, placement)
        if query.name in ceilings:
            found = [run for run in found if run[0] <= ceilings[query.name] * TOLERANCE]
        if not found:
            return None
        choices.append([(query.executions * seconds, money) for seconds, money in found])
    copies = [
        (t, store)
        for t, held in placement.items()
        for store in problem.stores
        if store.name in held
    ]
    copies_s = sum(problem.copy_s(table, store) for table, store in copies)
    if budget is None:
        return copies_s + sum(min(seconds for seconds, _ in found) for found in choices)
    storage = sum(problem.costs.storage_money(problem.table_bytes[t], s) for t, s in copies)
    totals = [
        sum(seconds for seconds, _ in chosen)
        for chosen in product(*(_best(found) for found in choices))
        if storage + sum(money for _, money in chosen) <= budget * TOLERANCE
    ]
    return copies_s + min(totals) if totals else None


def runs(problem, query, placement):
    """Return the (seconds, money) of every way to run a query, of one execution and of a month."""
    return _ways(_Identity(problem))[query.name].runs(placement)


class _Identity:
    """A problem as a key of a cache."""

    def __init__(self, problem):
        self.problem = problem

    def __hash__(self):
        return id(self.problem)

    def __eq__(self, other):
        return self.problem is other.problem


@lru_cache(maxsize=16)
def _ways(identity):
    problem = identity.problem
    return {query.name: Ways(problem, query) for query in problem.queries}


class Ways:
    """The ways to run one query: each placement of its own tables is tried once.

    Many placements differ in other tables alone, and one fragment is in many ways.
    """

    def __init__(self, problem, query):
        self._problem, self._query = problem, query
        self._alike = [{member.name for member in each.members} for each in query.shared]
        self._able = [
            (fragment, fragment.name, frozenset(fragment.sources), store)
            for fragment in query.fragments
            for store in problem.stores
            if able(store, fragment)
        ]
        self._tables = sorted({table for part in query.fragments for table in part.tables})
        self._found = {}
        self._costs = {}

    def runs(self, placement):
        where = tuple(placement[table] for table in self._tables)
        if where not in self._found:
            self._found[where] = [self._run(cover) for cover in self.covers(placement)]
        return self._found[where]

    def covers(self, placement):
        """Yield every way to run the query on a placement."""
        held = [
            part
            for part in self._able
            if all(part[-1].name in placement[table] for table in part[0].tables)
        ]
        return _covers(held, frozenset(self._query.sources))

    def _run(self, cover):
        in_store, engine_s, money = self.parts(cover)
        together = max if self._problem.objective == "latency" else sum
        return engine_s + together((0.0, *in_store.values())), money

    def parts(self, cover):
        """Return the seconds in each store and in the engine, and the money of a month."""
        in_store, engine_s, money, before = defaultdict(float), 0.0, 0.0, []
        for fragment, name, _, store in cover:
            repeated = self._repeated(name, store, before)
            before.append((name, store.name))
            key = (id(fragment), store.name, repeated)
            if key not in self._costs:
                self._costs[key] = self._cost(fragment, store, repeated)
            store_s, asked_s, moved = self._costs[key]
            in_store[store.name] += store_s
            engine_s += asked_s
            money += moved
        return in_store, engine_s, money

    def beside(self, cover):
        """Return the seconds before each store begins, for its disk, and to hand rows over.

        `parts` has them too.
        """
        starts, disks, rows = defaultdict(float), defaultdict(float), defaultdict(float)
        before = []
        for fragment, name, _, store in cover:
            if self._repeated(name, store, before) is None:
                cost = self._problem.costs.fragment(fragment, store, len(self._query.sources))
                starts[store.name] += cost.start_s
                disks[store.name] += cost.disk_s
                rows[store.name] += cost.transfer_s - cost.keys_s
            before.append((name, store.name))
        return starts, disks, rows

    def _repeated(self, name, store, before):
        """Return the first before it in the same store whose rows a fragment repeats, if any."""
        return next(
            (
                other
                for other, where in before
                if where == store.name and any({other, name} <= names for names in self._alike)
            ),
            None,
        )

    def _cost(self, fragment, store, repeated):
        """Return a fragment's seconds in its store and in the engine, and its money of a month."""
        costs, query = self._problem.costs, self._query
        reduction = replace(fragment.reduction, repeats=repeated)
        made = replace(fragment, reduction=reduction)
        cost = costs.fragment(made, store, len(query.sources))
        moved = costs.transfer_money(made, store, query.executions)
        return cost.total_s - cost.engine_s, cost.engine_s, moved


def _covers(parts, open_sources):
    """Yield every exact cover of `open_sources` by parts: (fragment, name, sources, store)."""
    if not open_sources:
        yield ()
        return
    first = min(open_sources)
    for part in parts:
        sources = part[2]
        if first in sources and open_sources.issuperset(sources):
            for others in _covers(parts, open_sources - sources):
                yield (part, *others)


def _best(found):
    """Leave out what costs no fewer seconds and no less money than another."""
    best = []
    for seconds, money in sorted(set(found)):
        if not best or money < best[-1][1]:
            best.append((seconds, money))
    return best


def able(store, fragment):
    """Whether a store can run a fragment."""
    return fragment.kind in store.capabilities and not fragment.work.features & store.lacks
