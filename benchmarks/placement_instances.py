"""Seeded placement problems of any size, shaped like warehouses.

Tables come in domains: two facts with the dimensions that they refer to; some dimensions are
shared by all domains. A query joins one fact, or two of a domain or of two domains, with
dimensions, filters them, and groups what it finds; the popularity of domains and queries is
Zipf's. Fragments come from the advisor's own enumeration, rows from the independence of foreign
keys. Half of the stores are like PostgreSQL; one is a small fast column store, one a slow MySQL,
and the last can only scan. All stores together hold `ROOM` times the tables.
"""

import random
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from placement.costs import DEFAULT_COSTS
from placement.fragments.enumeration import enumerate_fragments
from placement.problem import Constraints, PlacementProblem, QueryProblem
from placement.stores import FULL_SQL, Capability, Store, Strength, waiting
from placement.transfer.link import FREE
from workloads.access_graph import access_graph
from workloads.catalog import Column, Table
from workloads.footprint import Block, ColumnRef, Footprint, Join, Output, Source

DOMAIN_TABLES = 12
FACTS_OF_DOMAIN = 2
SHARED_SHARE = 0.04
ROOM = 1.6
COLUMN_BYTES = 8.0
GROUPS = 1000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """The size of an instance, and the number of stores that a table may be in."""

    tables: int
    stores: int
    queries: int
    max_copies: int = 1
    seed: int = 0
    time_limit_s: float = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """Tables by their part: facts and dimensions of each domain, and what all domains share."""

    tables: dict[str, Table] = field(default_factory=dict)
    facts: list[list[str]] = field(default_factory=list)
    dimensions: list[list[str]] = field(default_factory=list)
    shared: list[str] = field(default_factory=list)

    def add(self, name: str, rows: float, columns: int) -> str:
        """Add a table and return its name."""
        found = tuple(
            Column(name=f"c{i}", type="BIGINT", width_bytes=COLUMN_BYTES) for i in range(columns)
        )
        self.tables[name] = Table(name=name, columns=found, rows=max(10, int(rows)), fingerprint="")
        return name


class Independence:
    """Estimates of one query: each dimension keeps its share of the facts that refer to it."""

    def __init__(
        self, tables: dict[str, Table], footprint: Footprint, share: dict[str, float]
    ) -> None:
        self._tables = tables
        self._footprint = footprint
        self._share = share
        self._source = {source.alias: source for source in footprint.sources()}

    def table(self, source: Source) -> Table:
        """Return the table of `source`."""
        return self._tables[source.table]

    def rows_of_sources(self, block: str, aliases: Iterable[str]) -> float:
        """Return the rows of the largest, thinned out by every filter."""
        del block
        rows, share = 1.0, 1.0
        for alias in aliases:
            if alias not in self._source:  # a block that is grouped first
                rows = max(rows, self.rows_of_block(alias))
                continue
            rows = max(rows, float(self.table(self._source[alias]).rows))
            share *= self._share[alias]
        return max(1.0, rows * share)

    def groups_of_sources(
        self, block: str, aliases: Iterable[str], columns: Iterable[ColumnRef]
    ) -> float:
        """Return the groups: never more than `GROUPS`."""
        del columns
        return min(GROUPS, self.rows_of_sources(block, aliases))

    def joined_rows(self, block: str) -> float:
        """Return the rows of all sources and inputs joined."""
        found = self._footprint.block(block)
        return self.rows_of_sources(block, [*(s.alias for s in found.sources), *found.inputs])

    def rows_of_block(self, name: str) -> float:
        """Return the groups: never more than `GROUPS`."""
        return min(GROUPS, self.joined_rows(name))

    def rows_before_limit(self, name: str) -> float:
        """Return the groups."""
        return self.rows_of_block(name)

    def width(self, block: str, aliases: Iterable[str]) -> float:
        """Return the bytes of the needed columns."""
        del block
        return sum(self.needed_bytes(self._source[alias]) for alias in aliases)

    def columns(self, block: str, aliases: Iterable[str]) -> tuple[Column, ...]:
        """Return no column: none is a decimal."""
        del block, aliases
        return ()

    def columns_of_block(self, name: str) -> tuple[Column, ...]:
        """Return no column: none is a decimal."""
        del name
        return ()

    def needed_bytes(self, source: Source) -> float:
        """Return the bytes of the needed columns of one source."""
        return COLUMN_BYTES * len(source.columns)

    def width_of_block(self, name: str) -> float:
        """Return the bytes of a group."""
        return self._footprint.block(name).output.width_bytes


def instance(shape: Shape) -> PlacementProblem:
    """Return the problem of a shape: equal shapes give equal problems."""
    rng = random.Random(shape.seed)
    schema = _schema(rng, shape.tables)
    footprints = []
    queries = []
    for number in range(shape.queries):
        blocks, share = _query(rng, schema)
        footprint = Footprint(
            query=f"q{number}", executions=float(rng.randint(1, 20)) ** 2, blocks=blocks
        )
        footprints.append(footprint)
        queries.append(
            QueryProblem(
                name=footprint.query,
                executions=footprint.executions,
                sources=tuple(source.name for source in footprint.sources()),
                fragments=enumerate_fragments(
                    footprint, Independence(schema.tables, footprint, share), limit_per_block=100
                ),
            )
        )
    table_bytes = {name: table.bytes for name, table in schema.tables.items()}
    return PlacementProblem(
        table_bytes=table_bytes,
        stores=tuple(_stores(shape.stores, sum(table_bytes.values()))),
        queries=tuple(queries),
        constraints=Constraints(max_copies=shape.max_copies),
        costs=DEFAULT_COSTS,
        graph=access_graph(footprints),
        time_limit_s=shape.time_limit_s,
        seed=shape.seed,
    )


def _schema(rng: random.Random, tables: int) -> Schema:
    schema = Schema()
    for number in range(max(1, round(tables * SHARED_SHARE))):
        schema.shared.append(schema.add(f"shared{number}", 10 ** rng.uniform(3, 6), 10))
    domain = 0
    while len(schema.tables) < tables:
        facts, dimensions = [], []
        for number in range(min(DOMAIN_TABLES, tables - len(schema.tables))):
            if number < FACTS_OF_DOMAIN:
                rows = 10 ** rng.uniform(5.5, 7.5)
                facts.append(schema.add(f"d{domain}_fact{number}", rows, rng.randint(12, 30)))
            else:
                rows = 10 ** rng.uniform(2, 6)
                dimensions.append(schema.add(f"d{domain}_dim{number}", rows, rng.randint(4, 15)))
        schema.facts.append(facts)
        schema.dimensions.append(dimensions)
        domain += 1
    return schema


def _query(rng: random.Random, schema: Schema) -> tuple[tuple[Block, ...], dict[str, float]]:
    """Return a query's blocks, and the share of rows that each source's filters keep.

    Facts of one domain are joined. Drilling across domains groups each fact in a block of its
    own, and joins the groups.
    """
    domain = _zipf(rng, len(schema.facts))
    kind = rng.random()
    if kind < 0.2:
        return _star(rng, schema, domain, "b", facts=FACTS_OF_DOMAIN)
    if kind > 0.1 + 0.8:
        other = _zipf(rng, len(schema.facts))
        (left,), shares = _star(rng, schema, domain, "x")
        (right,), more = _star(rng, schema, other, "y")
        root = replace(
            left,
            name="b",
            role="root",
            children=("x", "y"),
            sources=(),
            inputs={"x": "x", "y": "y"},
            joins=(Join(left=("x", "c0"), right=("y", "c0"), kind="inner"),),
            output=replace(left.output, group_by=None),
        )
        return (root, left, right), {**shares, **more}
    return _star(rng, schema, domain, "b")


def _star(
    rng: random.Random, schema: Schema, domain: int, name: str, facts: int = 1
) -> tuple[tuple[Block, ...], dict[str, float]]:
    own = schema.dimensions[domain]
    chosen = rng.sample(own, min(len(own), rng.randint(0, 3)))
    shared = {schema.shared[_zipf(rng, len(schema.shared))] for _ in range(rng.randint(0, 3))}
    joined = rng.sample(schema.facts[domain], min(facts, len(schema.facts[domain])))
    tables = list(dict.fromkeys([*joined, *chosen, *sorted(shared)]))
    aliases = [f"{name}{index}" for index in range(len(tables))]
    share = {alias: rng.choice((1.0, 0.5, 0.1, 0.02)) for alias in aliases}
    sources = tuple(
        Source(
            block=name,
            alias=alias,
            table=table,
            columns=tuple(f"c{j}" for j in range(rng.randint(2, 4))),
        )
        for alias, table in zip(aliases, tables, strict=True)
    )
    block = Block(
        name=name,
        kind="select",
        role="root" if name == "b" else "from",
        children=(),
        closed=True,
        sources=sources,
        inputs={},
        filters=(),
        joins=tuple(
            Join(left=(aliases[0], f"c{i}"), right=(alias, "c0"), kind="inner")
            for i, alias in enumerate(aliases[1:])
        ),
        output=Output(columns=(), width_bytes=24.0, group_by=((aliases[0], "c0"),)),
    )
    return (block,), share


def _zipf(rng: random.Random, count: int) -> int:
    return rng.choices(range(count), [1 / (rank + 1) ** 0.8 for rank in range(count)])[0]


def _stores(count: int, total_bytes: int) -> Iterable[Store]:
    """Yield stores whose capacities sum up to `ROOM` times the tables."""
    row = Strength(
        start_s=0.06,
        scan_bytes_per_s=1.5e9,
        join_rows_per_s=10e6,
        aggregate_rows_per_s=6e6,
        transfer_bytes_per_s=200e6,
        transfer_rows_per_s=400e3,
        portions=True,
        link=waiting(0.0005),
    )
    column = replace(
        row, columnar=True, scan_bytes_per_s=5e9, join_rows_per_s=20e6, aggregate_rows_per_s=40e6
    )
    slow = replace(
        row, scan_bytes_per_s=0.6e9, join_rows_per_s=6e6, aggregate_rows_per_s=1.2e6, link=FREE
    )
    kinds = ["duckdb", "mysql", *["postgresql"] * max(0, count - 3), "accumulo"][:count]
    weights = {"duckdb": 0.5, "mysql": 1.5, "postgresql": 1.0, "accumulo": 1.0}
    unit = ROOM * total_bytes / sum(weights[kind] for kind in kinds)
    for number, kind in enumerate(kinds):
        strength = {"duckdb": column, "mysql": slow}.get(kind, row)
        yield Store(
            name=f"{kind}{number}",
            kind=kind,
            strength=_on_machine(strength, 1.15 ** (number % 4)),
            capacity_bytes=int(unit * weights[kind]),
            capabilities=frozenset({Capability.SCAN}) if kind == "accumulo" else FULL_SQL,
        )


def _on_machine(strength: Strength, speed: float) -> Strength:
    """Return the rates of the same system on a machine that is `speed` times as fast."""
    return replace(
        strength,
        scan_bytes_per_s=strength.scan_bytes_per_s * speed,
        join_rows_per_s=strength.join_rows_per_s * speed,
        aggregate_rows_per_s=strength.aggregate_rows_per_s * speed,
    )
