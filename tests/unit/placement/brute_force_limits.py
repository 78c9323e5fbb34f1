"""The limits on where tables are, each with a function that tells whether a placement keeps it.

It shares no code with the check; a limit is a (kind, subject).
"""


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
