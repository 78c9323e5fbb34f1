"""The smallest conflicts of limits by trying every placement and routing.

It shares no code with the model and the check; a limit is a (kind, subject).
"""

from itertools import combinations, product

from tests.unit.placement.brute_force import TOLERANCE, able, all_placements, runs
from tests.unit.placement.brute_force_limits import placement_limits


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
        any(f.sources == (source,) and able(store, f) for f in query.fragments)
        for source in query.sources
        for store in problem.stores
    )


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
