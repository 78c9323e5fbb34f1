"""The check's own reckoning of which limits a plan breaks.

It is written a second time by intent: nothing here calls `placement.constraints`, whose sentences
it vouches for. A limit is a tuple of its kind and its subject. Tables, stores and queries that the
problem lacks are left to the rest of the check.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise

from placement.limits.own_prices import chosen, month_money, run_s
from placement.plan import RoutedFragment
from placement.problem import PlacementProblem

TOLERANCE = 1e-6
Limits = Iterator[tuple[str, ...]]


def broken(
    problem: PlacementProblem,
    placement: Mapping[str, tuple[str, ...]],
    routing: Mapping[str, tuple[RoutedFragment, ...]],
) -> frozenset[tuple[str, ...]]:
    """Return the (kind, *subject) of every limit that the plan's parts break."""
    copies = [(table, store) for table, stores in placement.items() for store in stores]
    known = [(table, store) for table, store in copies if table in problem.table_bytes]
    return frozenset(
        (
            *_placed(problem, copies),
            *_pinned_and_excluded(problem, copies),
            *_sets(problem, copies),
            *_counts(problem, known),
            *_bytes(problem, known),
            *_budgets(problem, placement, routing),
        )
    )


def _placed(problem: PlacementProblem, copies: list[tuple[str, str]]) -> Limits:
    """Every table has a copy; names are known, and each table's stores are sorted."""
    stores = {store.name for store in problem.stores}
    for table in problem.table_bytes.keys() - {table for table, _ in copies}:
        yield "placed", table
    for table, store in copies:
        if table not in problem.table_bytes or store not in stores:
            yield "placed", table
    for (table, store), (other, later) in pairwise(copies):
        if table == other and not store < later:
            yield "placed", table


def _pinned_and_excluded(problem: PlacementProblem, copies: list[tuple[str, str]]) -> Limits:
    """Pinned copies are there, and excluded ones are not."""
    limits = problem.constraints
    pinned = {(table, store) for table, stores in limits.pin.items() for store in stores}
    excluded = {(table, store) for table, stores in limits.exclude.items() for store in stores}
    yield from (("pin", *pair) for pair in pinned - set(copies))
    yield from (("exclude", *pair) for pair in excluded & set(copies))


def _sets(problem: PlacementProblem, copies: list[tuple[str, str]]) -> Limits:
    """Tables together share all their stores, and tables apart share none."""
    for tables in problem.constraints.together:
        of_each = {frozenset(s for t, s in copies if t == table) for table in tables}
        if len(of_each) > 1:
            yield "together", *_in_order(problem, tables)
    for tables in problem.constraints.apart:
        tenants = Counter(store for table, store in set(copies) if table in tables)
        if any(number > 1 for number in tenants.values()):
            yield "apart", *_in_order(problem, tables)


def _counts(problem: PlacementProblem, copies: list[tuple[str, str]]) -> Limits:
    """A table has few enough copies, and few enough copies are new."""
    limits = problem.constraints
    if any(number > limits.max_copies for number in Counter(t for t, _ in copies).values()):
        yield ("max_copies",)
    new = [pair for pair in copies if _is_new(problem, *pair)]
    if limits.max_moves is not None and len(new) > limits.max_moves:
        yield ("max_moves",)


def _bytes(problem: PlacementProblem, copies: list[tuple[str, str]]) -> Limits:
    """Bytes in stores, of further copies and of new ones are within their limits."""
    limits, sizes = problem.constraints, problem.table_bytes
    held = Counter({store.name: 0 for store in problem.stores})
    for table, where in copies:
        held[where] += sizes[table]
    indexed = _index_bytes(problem, copies)
    for store in problem.stores:
        size = held[store.name] + indexed[store.name]
        if store.capacity_bytes is not None and size > store.capacity_bytes:
            yield "capacity", store.name
    if limits.max_index_bytes is not None and indexed.total() > limits.max_index_bytes:
        yield ("max_index_bytes",)
    further = _further_bytes(problem, copies)
    if limits.max_copy_bytes is not None and further > limits.max_copy_bytes:
        yield ("max_copy_bytes",)
    new = sum(sizes[table] for table, store in copies if _is_new(problem, table, store))
    if limits.max_move_bytes is not None and new > limits.max_move_bytes:
        yield ("max_move_bytes",)
    stored = {store.name: held[store.name] + indexed[store.name] for store in problem.stores}
    mean = sum(stored.values()) / len(problem.stores)
    if limits.balance is not None and any(
        abs(stored[store.name] - mean) > (limits.balance + TOLERANCE) * mean
        for store in problem.stores
    ):
        yield ("balance",)


def _index_bytes(problem: PlacementProblem, copies: list[tuple[str, str]]) -> Counter[str]:
    """Return store → bytes of the indexes that were chosen for the copies in it."""
    stores = {store.name: store for store in problem.stores}
    indexed = Counter[str]()
    for table, where in copies:
        if where in stores:
            chosen_there = chosen(problem, table, stores[where])
            indexed[where] += sum(problem.index_bytes[each] for each in chosen_there)
    return indexed


def _further_bytes(problem: PlacementProblem, copies: list[tuple[str, str]]) -> int:
    """Return the bytes of copies with their indexes, without the largest copy of each table."""
    of_table: dict[str, list[int]] = {}
    for table, store in copies:
        indexed = _index_bytes(problem, [(table, store)])
        of_table.setdefault(table, []).append(problem.table_bytes[table] + indexed.total())
    return sum(sum(sizes) - max(sizes) for sizes in of_table.values())


def _budgets(
    problem: PlacementProblem,
    placement: Mapping[str, tuple[str, ...]],
    routing: Mapping[str, tuple[RoutedFragment, ...]],
) -> Limits:
    """Money a month and seconds of queries are within their limits."""
    most, ceilings_s = problem.constraints.max_money, problem.constraints.latency_s
    if most is not None and month_money(problem, placement, routing) > most * (1 + TOLERANCE):
        yield ("max_money",)
    for query in problem.queries:
        if query.name in ceilings_s and query.name in routing:
            took_s = run_s(problem, query, routing[query.name])
            if took_s > ceilings_s[query.name] * (1 + TOLERANCE):
                yield "latency_s", query.name


def _is_new(problem: PlacementProblem, table: str, store: str) -> bool:
    return len(problem.current) > 0 and store not in problem.current.get(table, ())


def _in_order(problem: PlacementProblem, tables: frozenset[str]) -> list[str]:
    return [table for table in problem.table_bytes if table in tables]
