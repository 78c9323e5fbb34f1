"""Small placement problems, written in a few words or drawn at random."""

from itertools import combinations

from placement.costs import CostModel
from placement.fragments import Fragment
from placement.problem import Constraints, PlacementProblem, QueryProblem
from placement.stores import FULL_SQL, Capability, Engine, Store, Strength
from workloads.access_graph import AccessGraph, JoinEdge

ENGINE = Engine(start_s=0.1, fragment_s=0.01, rows_per_s=1000.0)
NO_JOINS = AccessGraph(queries={}, tables={}, co_access={}, joins={})


def strength(speed=1.0):
    """Rates of a store that is `speed` times as fast as the others at everything."""
    return Strength(
        start_s=0.01,
        scan_bytes_per_s=1000.0 * speed,
        join_rows_per_s=1000.0 * speed,
        aggregate_rows_per_s=1000.0 * speed,
        transfer_bytes_per_s=1000.0 * speed,
        transfer_rows_per_s=1000.0 * speed,
    )


def store(name, capacity=None, *, kind="postgresql", speed=1.0, capabilities=FULL_SQL, lacks=()):
    return Store(
        name=name,
        kind=kind,
        strength=strength(speed),
        capacity_bytes=capacity,
        capabilities=capabilities,
        lacks=frozenset(lacks),
    )


def fragment(query, aliases, table_of, *, rows=100.0, kind=None, features=()):
    """A fragment of one block whose sources are called ``b.alias``; `rows` leave it."""
    if kind is None:
        kind = Capability.SCAN if len(aliases) == 1 else Capability.JOIN
    return Fragment(
        query=query,
        kind=kind,
        block="b",
        sources=tuple(sorted(f"b.{alias}" for alias in aliases)),
        tables=frozenset(table_of[alias] for alias in aliases),
        scan_bytes=100.0 * len(aliases),
        column_bytes=50.0 * len(aliases),
        join_rows=100.0 * (len(aliases) - 1),
        aggregate_rows=10.0 if kind in (Capability.BLOCK, Capability.QUERY) else 0.0,
        rows_out=rows,
        row_bytes_out=4.0,
        features=frozenset(features),
    )


def query(name, tables, *, executions=1.0, joins=(), scan_rows=100.0, whole=True, features=()):
    """A query that reads each of `tables` once, under an alias of the same name.

    `joins` are the sets of tables that may be fetched joined, each with 10 rows; `whole` adds
    the whole query, with one row.
    """
    table_of = {table: table for table in tables}
    fragments = [fragment(name, (table,), table_of, rows=scan_rows) for table in tables]
    fragments += [fragment(name, tuple(join), table_of, rows=10.0) for join in joins]
    if whole:
        kind = Capability.QUERY
        fragments.append(
            fragment(name, tuple(tables), table_of, rows=1.0, kind=kind, features=features)
        )
    return QueryProblem(
        name=name,
        executions=executions,
        sources=tuple(f"b.{table}" for table in tables),
        fragments=tuple(fragments),
    )


def problem(
    tables,
    stores,
    queries=(),
    *,
    pin=None,
    exclude=None,
    max_copies=1,
    upkeep=1e-6,
    graph=NO_JOINS,
    seed=0,
    time_limit_s=60.0,
):
    return PlacementProblem(
        table_bytes=tables,
        stores=tuple(stores),
        queries=tuple(queries),
        constraints=Constraints(
            pin={t: frozenset(s) for t, s in (pin or {}).items()},
            exclude={t: frozenset(s) for t, s in (exclude or {}).items()},
            max_copies=max_copies,
        ),
        costs=CostModel(engine=ENGINE, upkeep_s_per_byte=upkeep),
        graph=graph,
        seed=seed,
        time_limit_s=time_limit_s,
    )


def joined(*pairs, executions=1.0):
    """An access graph of joins, each ``("fact.column", "dimension.column")``."""
    joins = {}
    co_access = {}
    for pair in pairs:
        left, right = sorted(pair)
        joins[JoinEdge(left=left, right=right, kind="inner")] = executions
        ends = sorted(end.partition(".")[0] for end in pair)
        co_access[tuple(ends)] = executions
    tables = {table: executions for pair in co_access for table in pair}
    return AccessGraph(queries={}, tables=tables, co_access=co_access, joins=joins)


def random_problem(rng, *, tables=(2, 4), stores=(2, 3), queries=(1, 3), sources=(1, 4)):
    """A problem drawn from `rng`: random sizes, capacities, pins, exclusions, copies, fragments."""
    names = [f"t{i}" for i in range(rng.randint(*tables))]
    table_bytes = {name: rng.randint(1, 40) * 10 for name in names}
    total = sum(table_bytes.values())
    found = [_random_store(rng, f"s{i}", total) for i in range(rng.randint(*stores))]
    pin, exclude = {}, {}
    for name in names:
        choice = rng.randint(0, 9)
        if choice == 0:
            pin[name] = (rng.choice(found).name,)
        elif choice == 1:
            exclude[name] = (rng.choice(found).name,)
    return problem(
        table_bytes,
        found,
        [
            _random_query(rng, f"q{i}", names, rng.randint(*sources))
            for i in range(rng.randint(*queries))
        ],
        pin=pin,
        exclude=exclude,
        max_copies=rng.randint(1, 3),
        upkeep=rng.choice((1e-12, 1e-5, 1e-3)),
        seed=rng.randint(0, 5),
    )


def _random_store(rng, name, total):
    capacity = rng.choice((None, total // 3, total // 2, total * 3 // 4))
    scan_only = rng.randint(0, 4) == 0
    return store(
        name,
        capacity,
        speed=rng.choice((0.5, 1.0, 2.0, 7.0)),
        capabilities=frozenset({Capability.SCAN}) if scan_only else FULL_SQL,
        lacks=("rollup",) if rng.randint(0, 3) == 0 else (),
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
    return QueryProblem(
        name=name,
        executions=rng.choice((0.5, 1.0, 3.0, 100.0)),
        sources=tuple(f"b.{alias}" for alias in aliases),
        fragments=tuple(fragments),
    )


def _connected(subset, edges):
    reached, before = {subset[0]}, 0
    while len(reached) > before:
        before = len(reached)
        for left, right in edges:
            if left in subset and right in subset and reached & {left, right}:
                reached |= {left, right}
    return reached == set(subset)
