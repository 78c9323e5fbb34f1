"""Placement problems drawn at random, with every kind of constraint."""

import random
from itertools import combinations

from placement.costs import CostModel
from placement.fragments.shared_fragments import as_one
from placement.problem import QueryProblem
from placement.stores import FULL_SQL, Capability
from tests.unit.placement.problems import ENGINE, SCANS, changed, fragment, problem, store


def random_problem(rng, *, tables=(2, 4), stores=(2, 3), queries=(1, 3), sources=(1, 4)):
    """A problem drawn from `rng`: sizes, capacities, fragments and every kind of constraint."""
    names = [f"t{i}" for i in range(rng.randint(*tables))]
    table_bytes = {name: rng.randint(1, 40) * 10 for name in names}
    total = sum(table_bytes.values())
    found = [_random_store(rng, f"s{i}", total) for i in range(rng.randint(*stores))]
    asked = [
        _random_query(rng, f"q{i}", names, rng.randint(*sources))
        for i in range(rng.randint(*queries))
    ]
    return problem(
        table_bytes,
        found,
        asked,
        upkeep=rng.choice((1e-12, 1e-5, 1e-3)),
        seed=rng.randint(0, 5),
        objective="work" if rng.randint(0, 3) else "latency",
        horizon=rng.choice((1.0, 10.0)),
        **_random_limits(rng, table_bytes, found, asked),
    )


def _random_limits(rng, table_bytes, stores, queries):
    """Every kind of constraint, each now and then, as tight as may or may not be kept."""
    names, total = list(table_bytes), sum(table_bytes.values())
    now_and_then = {
        "together": lambda: [rng.sample(names, 2)],
        "apart": lambda: [rng.sample(names, rng.randint(2, len(names)))],
        "balance": lambda: rng.choice((0.3, 0.6, 0.9)),
        "max_copy_bytes": lambda: rng.choice((0, total // 4, total)),
        "max_money": lambda: rng.uniform(0.4, 2.0) * _some_money(table_bytes, stores, queries),
        "latency_s": lambda: {
            each.name: rng.uniform(0.5, 2.0) * _some_seconds(each, stores)
            for each in rng.sample(queries, rng.randint(1, len(queries)))
        },
    }
    drawn = {name: draw() for name, draw in now_and_then.items() if rng.randint(0, 4) == 0}
    if rng.randint(0, 2) == 0:
        drawn["current"] = {name: (rng.choice(stores).name,) for name in names}
        if rng.randint(0, 1):
            drawn["max_moves"] = rng.randint(1, 3)
        if rng.randint(0, 1):
            drawn["max_move_bytes"] = rng.choice((total // 4, total // 2, total))
    for kind in ("pin", "exclude"):
        drawn[kind] = {n: (rng.choice(stores).name,) for n in names if rng.randint(0, 11) == 0}
    return {"max_copies": rng.randint(1, 3), **drawn}


def _some_money(table_bytes, stores, queries):
    """The cost of all tables in the first store, with one fragment a source out of it."""
    costs = CostModel(engine=ENGINE)
    return sum(costs.storage_money(size, stores[0]) for size in table_bytes.values()) + sum(
        costs.transfer_money(each, stores[0], query.executions)
        for query in queries
        for each in query.fragments
        if len(each.sources) == 1
    )


def _some_seconds(query, stores):
    """The seconds of one fragment a source in the first store."""
    costs = CostModel(engine=ENGINE)
    return sum(
        costs.fragment(each, stores[0], len(query.sources)).total_s
        for each in query.fragments
        if len(each.sources) == 1
    )


def _random_store(rng, name, total):
    capacity = rng.choice((None, total // 2, total * 3 // 4, total))
    able = rng.choices((FULL_SQL, SCANS, FULL_SQL - SCANS), (15, 4, 1))[0]
    return store(
        name,
        capacity,
        speed=rng.choice((0.5, 1.0, 2.0, 7.0)),
        capabilities=able,
        lacks=("rollup",) if rng.randint(0, 3) == 0 else (),
        storage=rng.choice((0.0, 0.01, 0.1)),
        transfer=rng.choice((0.0, 0.001, 0.01)),
    )


def _random_query(rng, name, tables, sources):
    aliases = [f"a{i}" for i in range(sources)]
    table_of = {alias: rng.choice(tables) for alias in aliases}
    edges = [(rng.choice(aliases[:i]), alias) for i, alias in enumerate(aliases) if i]
    edges += [tuple(rng.sample(aliases, 2)) for _ in range(rng.randint(0, 2)) if sources > 1]
    fragments = [
        fragment(name, subset, table_of, rows=rng.randint(1, 400))
        for size in range(1, sources + 1)
        for subset in combinations(aliases, size)
        if size == 1 or (_connected(subset, edges) and rng.randint(0, 4))
    ]
    if rng.randint(0, 1):
        features = ("rollup",) if rng.randint(0, 1) else ()
        fragments.append(
            fragment(
                name,
                tuple(aliases),
                table_of,
                rows=rng.randint(1, 100),
                kind=Capability.QUERY,
                features=features,
            )
        )
    executions = rng.choice((0.5, 1.0, 3.0, 100.0))
    fragments, shared = _with_the_same_rows(fragments, table_of)
    return QueryProblem(
        name=name,
        executions=executions,
        sources=tuple(f"b.{alias}" for alias in aliases),
        fragments=tuple(fragments),
        shared=tuple(shared),
    )


def _with_the_same_rows(fragments, table_of):
    """Let every second table that is read several times have the same rows each time."""
    shared = []
    for table in sorted(set(table_of.values())):
        scans = [each for each in fragments if len(each.sources) == 1 and table in each.tables]
        same = [each for each in scans if each.kind is Capability.SCAN]
        draw = random.Random(f"{table} {[each.work.rows_out for each in fragments]}")
        if len(same) == 1 or draw.randint(0, 1):
            continue
        alike = [changed(each, rows_out=same[0].work.rows_out) for each in same]
        fragments = [alike[same.index(each)] if each in same else each for each in fragments]
        shared += [
            as_one(chosen) for n in range(2, len(same) + 1) for chosen in combinations(alike, n)
        ]
    return fragments, shared


def _connected(subset, edges):
    reached, before = {subset[0]}, 0
    while len(reached) > before:
        before = len(reached)
        for left, right in edges:
            if left in subset and right in subset and reached & {left, right}:
                reached |= {left, right}
    return reached == set(subset)
