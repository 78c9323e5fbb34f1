"""The optimum and the smallest conflicts by trying everything.

It shares no code with the model, the routing and the check; a limit is a (kind, subject).
"""

from collections import defaultdict
from dataclasses import replace
from functools import lru_cache
from itertools import chain, combinations, product

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
    return {query.name: _Ways(problem, query) for query in problem.queries}


class _Ways:
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
            if _able(store, fragment)
        ]
        self._tables = sorted({table for part in query.fragments for table in part.tables})
        self._found = {}
        self._costs = {}

    def runs(self, placement):
        where = tuple(placement[table] for table in self._tables)
        if where not in self._found:
            held = [
                part
                for part in self._able
                if all(part[-1].name in placement[table] for table in part[0].tables)
            ]
            covers = _covers(held, frozenset(self._query.sources))
            self._found[where] = [self._run(cover) for cover in covers]
        return self._found[where]

    def _run(self, cover):
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
        together = max if self._problem.objective == "latency" else sum
        return engine_s + together((0.0, *in_store.values())), money

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


def placement_limits(problem):
    """Return (limit, whether a placement keeps it) of every limit on where tables are."""
    c = problem.constraints
    ordered = list(problem.table_bytes)
    found = [
        (("capacity", (store.name,)), _within_capacity(store))
        for store in problem.stores
        if store.capacity_bytes is not None
    ]
    found += [(("pin", (t, s)), _is_in(t, s)) for t, stores in c.pin.items() for s in stores]
    found += [
        (("exclude", (t, s)), _is_not_in(t, s)) for t, stores in c.exclude.items() for s in stores
    ]
    for tables in c.together:
        subject = tuple(sorted(tables, key=ordered.index))
        found.append((("together", subject), lambda _, p, ts=subject: len({p[t] for t in ts}) == 1))
    for tables in c.apart:
        subject = tuple(sorted(tables, key=ordered.index))
        found.append((("apart", subject), lambda _, p, ts=subject: _apart(p, ts)))
    found.append((("max_copies", ()), lambda _, p: max(map(len, p.values())) <= c.max_copies))
    whole = {
        "balance": (c.balance, _imbalance),
        "max_copy_bytes": (c.max_copy_bytes, _copy_bytes),
        "max_moves": (c.max_moves, lambda problem, p: len(_moves(problem, p))),
        "max_move_bytes": (
            c.max_move_bytes,
            lambda problem, p: sum(problem.table_bytes[t] for t, _ in _moves(problem, p)),
        ),
    }
    for kind, (most, measure) in whole.items():
        if most is not None:
            bound = most + 1e-6 if kind == "balance" else most
            found.append(((kind, ()), lambda pr, p, m=measure, b=bound: m(pr, p) <= b))
    return found


def smallest_conflict_size(problem):
    """Return the size of the smallest set of limits that nothing keeps; None if all can be kept."""
    named = limits(problem)
    kept_sets = {kept & named for kept in satisfiable(problem)}
    if named in kept_sets:
        return None
    maximal = [kept for kept in kept_sets if not any(kept < other for other in kept_sets)]
    return next(
        size
        for size in range(len(named) + 1)
        for chosen in combinations(sorted(named), size)
        if not any(kept.issuperset(chosen) for kept in maximal)
    )


def conflicts(problem, limits):
    """Whether nothing keeps all of `limits`."""
    return not any(kept.issuperset(limits) for kept in satisfiable(problem))


def satisfiable(problem):
    """Yield the limits that some placement and routing keep, for each of them."""
    budget = problem.constraints.max_money
    limits = placement_limits(problem)
    for placement in all_placements(problem):
        kept = frozenset(limit for limit, keeps in limits if keeps(problem, placement))
        storage = sum(
            problem.costs.storage_money(problem.table_bytes[t], store)
            for t, held in placement.items()
            for store in problem.stores
            if store.name in held
        )
        choices = [_query_limits(problem, query, placement) for query in problem.queries]
        for chosen in product(*choices):
            whole = kept.union(*(limits for limits, _ in chosen))
            if budget is not None and storage + sum(m for _, m in chosen) <= budget * TOLERANCE:
                whole |= {("max_money", ())}
            yield whole


def _query_limits(problem, query, placement):
    """Return (limits kept, least money) of the ways to treat a query on a placement."""
    run, ceiling = ("queries", (query.name,)), ("latency_s", (query.name,))
    most = problem.constraints.latency_s.get(query.name)
    found = runs(problem, query, placement)
    fast = [r for r in found if most is None or r[0] <= most * TOLERANCE]
    had = [] if runs_anywhere(problem, query) else [(frozenset({ceiling}), 0.0)]
    if found:
        had.append((frozenset({run}), min(money for _, money in found)))
    if fast:
        had.append((frozenset({run, ceiling}), min(money for _, money in fast)))
    return had


def runs_anywhere(problem, query):
    """Whether every store can read every source alone: then running it is no limit."""
    return all(
        any(f.sources == (source,) and _able(store, f) for f in query.fragments)
        for source in query.sources
        for store in problem.stores
    )


def _able(store, fragment):
    return fragment.kind in store.capabilities and not fragment.work.features & store.lacks


def limits(problem):
    """Return the limits of a problem that could conflict."""
    c = problem.constraints
    return frozenset(
        [
            *(limit for limit, _ in placement_limits(problem)),
            *(("latency_s", (name,)) for name in c.latency_s),
            *(("queries", (q.name,)) for q in problem.queries if not runs_anywhere(problem, q)),
            *([("max_money", ())] if c.max_money is not None else []),
        ]
    )


def _is_in(table, store):
    return lambda _, placement: store in placement[table]


def _is_not_in(table, store):
    return lambda _, placement: store not in placement[table]


def _within_capacity(store):
    return lambda problem, placement: _held(problem, placement, store) <= store.capacity_bytes


def _held(problem, placement, store):
    return sum(size for t, size in problem.table_bytes.items() if store.name in placement[t])


def _apart(placement, tables):
    stores = [store for table in tables for store in placement[table]]
    return len(stores) == len(set(stores))


def _imbalance(problem, placement):
    held = [_held(problem, placement, store) for store in problem.stores]
    mean = sum(held) / len(held)
    return max(abs(size - mean) / mean for size in held)


def _copy_bytes(problem, placement):
    return sum(size * (len(placement[t]) - 1) for t, size in problem.table_bytes.items())


def _moves(problem, placement):
    if not problem.current:
        return []
    return [(t, s) for t, held in placement.items() for s in held if s not in problem.current[t]]
