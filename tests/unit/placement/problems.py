"""Small placement problems, written in a few words."""

from dataclasses import fields, replace

from placement.costs import CostModel
from placement.fragment import Coverage, EstimatedWork, Fragment
from placement.problem import Constraints, PlacementProblem, QueryProblem
from placement.stores import FULL_SQL, Capability, Engine, Prices, Store, Strength
from workloads.access_graph import AccessGraph, JoinEdge

ENGINE = Engine(start_s=0.1, fragment_s=0.01, rows_per_s=1000.0)
SCANS = frozenset({Capability.SCAN})
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


def store(
    name,
    capacity=None,
    *,
    kind="postgresql",
    speed=1.0,
    capabilities=FULL_SQL,
    lacks=(),
    storage=0.0,
    transfer=0.0,
):
    """`storage` and `transfer` are money a byte: of a month, and of each that is handed out."""
    return Store(
        name=name,
        kind=kind,
        strength=strength(speed),
        capacity_bytes=capacity,
        capabilities=capabilities,
        lacks=frozenset(lacks),
        prices=Prices(storage_gb_month=storage * 1e9, transfer_gb=transfer * 1e9),
    )


def fragment(query, aliases, table_of, *, rows=100.0, kind=None, features=()):
    """A fragment of one block whose sources are called ``b.alias``; `rows` leave it."""
    if kind is None:
        kind = Capability.SCAN if len(aliases) == 1 else Capability.JOIN
    return Fragment(
        coverage=Coverage(
            query=query,
            kind=kind,
            block="b",
            sources=tuple(sorted(f"b.{alias}" for alias in aliases)),
            tables=frozenset(table_of[alias] for alias in aliases),
        ),
        work=EstimatedWork(
            scan_bytes=100.0 * len(aliases),
            tables_bytes=100.0 * len(aliases),
            column_bytes=50.0 * len(aliases),
            join_rows=100.0 * (len(aliases) - 1),
            aggregate_rows=10.0 if kind in (Capability.BLOCK, Capability.QUERY) else 0.0,
            rows_out=rows,
            row_bytes_out=4.0,
            features=frozenset(features),
        ),
    )


def changed(fragment, **values):
    """Return a fragment with other values, each in the part of it that has a field of the name."""
    for name in ("coverage", "work", "reduction"):
        part = getattr(fragment, name)
        own = {each.name: values.pop(each.name) for each in fields(part) if each.name in values}
        fragment = replace(fragment, **{name: replace(part, **own)})
    assert not values
    return fragment


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
    together=(),
    apart=(),
    upkeep=1e-6,
    graph=NO_JOINS,
    seed=0,
    time_limit_s=60.0,
    current=None,
    horizon=1.0,
    objective="work",
    candidates=None,
    index_bytes=None,
    **limits,
):
    """A problem; `limits` are the other fields of `Constraints`, and a tuple is a set in them."""
    return PlacementProblem(
        table_bytes=tables,
        stores=tuple(stores),
        queries=tuple(queries),
        constraints=Constraints(
            pin={t: frozenset(s) for t, s in (pin or {}).items()},
            exclude={t: frozenset(s) for t, s in (exclude or {}).items()},
            together=tuple(frozenset(tables) for tables in together),
            apart=tuple(frozenset(tables) for tables in apart),
            **limits,
        ),
        costs=CostModel(engine=ENGINE, upkeep_s_per_byte=upkeep),
        graph=graph,
        current=current or {},
        horizon=horizon,
        objective=objective,
        seed=seed,
        time_limit_s=time_limit_s,
        candidates=candidates or {},
        index_bytes=index_bytes or {},
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


FAST_AND_SLOW = (store("fast", 100, speed=5.0), store("slow", 100))


def three_tables(**options):
    """A problem of three tables in two stores, with a query of two of them and one of the third."""
    return problem(
        {"t": 100, "u": 100, "v": 5},
        [store("a"), store("b")],
        [query("q", ("t", "u"), joins=[("t", "u")]), query("r", ("v",))],
        **options,
    )
