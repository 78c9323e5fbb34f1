"""The optimum by trying everything; shares no code with the model and the routing."""

from itertools import chain, combinations, product


def cheapest(problem):
    """Return the least cost of any placement and routing; None if no placement fits."""
    costs = [
        cost
        for placement in placements(problem)
        if (cost := placement_cost(problem, placement)) is not None
    ]
    return min(costs, default=None)


def placements(problem):
    """Yield every placement that respects the hard limits."""
    names = [store.name for store in problem.stores]
    most = min(len(names), problem.constraints.max_copies)
    subsets = list(chain.from_iterable(combinations(names, n) for n in range(1, most + 1)))
    for chosen in product(subsets, repeat=len(problem.table_bytes)):
        placement = dict(zip(problem.table_bytes, chosen, strict=True))
        if _allowed(problem, placement):
            yield placement


def placement_cost(problem, placement):
    """Return the cost of a placement with the best routing; None if a query cannot be run."""
    total = 0.0
    for query in problem.queries:
        cost = cover_cost(problem, query, placement, frozenset(query.sources))
        if cost is None:
            return None
        total += query.executions * cost
    copies = sum(
        problem.copy_s(table, store)
        for table, held in placement.items()
        for store in problem.stores
        if store.name in held
    )
    return total + copies


def cover_cost(problem, query, placement, open_sources):
    """Return the least cost of covering `open_sources`; None if they cannot be covered."""
    if not open_sources:
        return 0.0
    first = min(open_sources)
    best = None
    for fragment in query.fragments:
        if first not in fragment.sources or not open_sources.issuperset(fragment.sources):
            continue
        prices = [
            problem.costs.fragment(fragment, store, len(query.sources)).total_s
            for store in problem.stores
            if fragment.kind in store.capabilities
            and not fragment.features & store.lacks
            and all(store.name in placement[table] for table in fragment.tables)
        ]
        if not prices:
            continue
        rest = cover_cost(problem, query, placement, open_sources.difference(fragment.sources))
        if rest is not None and (best is None or min(prices) + rest < best):
            best = min(prices) + rest
    return best


def _allowed(problem, placement):
    for table, stores in problem.constraints.pin.items():
        if not stores <= set(placement[table]):
            return False
    for table, stores in problem.constraints.exclude.items():
        if stores & set(placement[table]):
            return False
    for store in problem.stores:
        held = sum(b for t, b in problem.table_bytes.items() if store.name in placement[t])
        if store.capacity_bytes is not None and held > store.capacity_bytes:
            return False
    return True
