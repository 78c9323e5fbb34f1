"""The footprint of a query: plain facts without SQL text.

A query is a tree of blocks (SELECT scopes and set operations). A block reads sources:
occurrences of base tables in its FROM clause. Everything downstream (access graph, cardinalities,
fragments, the model) works on these facts; only `workloads.sql` makes them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

ColumnRef = tuple[str, str]
"""A column as (alias of a source or an input of the block, column name)."""

UNNESTED = "_u_"
"""The beginning of aliases of derived tables that stand for subqueries of the text.

Their NULL tests say whether a row has a match: they are semi and anti joins.
"""

BlockRole = Literal["root", "from", "operand", "scalar", "semi", "anti"]

JoinKind = Literal["inner", "left", "right", "full", "semi", "anti"]

SetOperator = Literal["union all", "union", "intersect", "except"]

Ordering = Literal[">", ">=", "<", "<="]

FilterKind = Literal["eq", "in", "range", "like", "null", "not_null", "not", "other"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One occurrence of a base table in a block.

    `columns` are those the block needs from it, in lower case, sorted. `needs` are
    the aliases that must be in the same fragment for this source to be joined there at all: the
    preserved side of the outer join whose nullable side this source is. `condition_features` are
    what not every store can run in the condition of the LEFT JOIN that adds it (`Block.features`):
    whatever fragment joins it there evaluates the condition.
    """

    block: str
    alias: str
    table: str
    columns: tuple[str, ...]
    needs: frozenset[str] = frozenset()
    condition_features: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """Return the name that is unique in the query: ``block.alias``."""
        return f"{self.block}.{self.alias}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """A conjunct that reads one or several columns of a block's sources and inputs.

    `kind` and `values` describe the simple ones (one column against constants): `values` are the
    constants as text or number; a range is (low, high) with None for open. `alternatives` is set
    for an OR of simple filters (kind 'other'): each alternative is a conjunction of filters.
    `outer` says that the conjunct stands in the condition of an outer join: it decides what
    matches and drops no row of the preserved side. `sql` is the conjunct as DuckDB SQL, its
    columns written as ``alias.name``; empty for a part of `alternatives`. `aggregate` is set for
    a test of an aggregate of `columns` (none for ``count(*)``) in HAVING: 'sum', 'count',
    'count_distinct' and so on. `merges` are the joins that an equality with a merged column stands
    for: USING after an outer join compares ``coalesce(a.x, b.x) = c.x``. `ordered` are the
    whole columns that it compares by order, of a kind 'other': (x, '>=', y) and (x, '<=', z) for
    ``x BETWEEN y AND z``. `is_implied` says that other filters of the query imply it: it was not
    asked for, and drops rows sooner.
    """

    columns: tuple[ColumnRef, ...]
    kind: FilterKind
    values: tuple[str | float | None, ...] = ()
    alternatives: tuple[tuple["Filter", ...], ...] = ()
    outer: bool = False
    sql: str = ""
    aggregate: str | None = None
    merges: tuple["Join", ...] = ()
    ordered: tuple[tuple[ColumnRef, Ordering, ColumnRef], ...] = ()
    is_implied: bool = False

    def restriction(self, alias: str) -> "Filter | None":
        """Return what an OR says of one relation alone; None if an arm says nothing of it."""
        arms = tuple(
            tuple(part for part in arm if {of for of, _ in part.columns} == {alias})
            for arm in self.alternatives
        )
        if self.kind == "not" or not arms or not all(arms):
            return None
        columns = dict.fromkeys(column for arm in arms for part in arm for column in part.columns)
        return Filter(columns=tuple(columns), kind="other", alternatives=tuple(dict.fromkeys(arms)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Join:
    """An equality between columns of two sources or inputs of a block.

    In a join that is not inner, `right` is of the relation that the join adds to those before it.
    An end may belong to an enclosing block: a correlation. `computed` says that an expression of
    one column stands on a side (``CAST(a.x AS DATE) = b.y``), not the column itself. With
    `nulls_match` two NULLs are equal.
    """

    left: ColumnRef
    right: ColumnRef
    kind: JoinKind = "inner"
    computed: bool = False
    nulls_match: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputColumn:
    """A column of a block's result.

    `origin` is the column of a source or an input that it hands on unchanged, None for what is
    computed; `reads` are all columns that it is computed from. `carries` is the one column whose
    values it stands for: the origin, or what alone it is computed from (``CAST(x AS DATE)``,
    ``coalesce(x, 0)``, ``x + 1``, ``max(x)``, ``sum(x)``), but never what it counts or ranks.
    `aggregate` is the aggregate that it is ('max', 'count'), if it is one. In a set operation
    columns are of operands, by the operand's block name: `origin` of the first, `reads` of all.
    `pushdown` are the columns of sources, inputs or operands that a filter of this one's values may
    be pushed down to: rows without them may be missing there, and each row with them is the same.
    """

    name: str
    origin: ColumnRef | None = None
    reads: tuple[ColumnRef, ...] = ()
    carries: ColumnRef | None = None
    aggregate: str | None = None
    pushdown: tuple[ColumnRef, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """The shape of a block's result.

    `group_by` is None for a block without aggregation, () for a single group; `width_bytes` is
    the estimated mean width of a row. `having` are the conjuncts that keep groups. `conditions` is
    how many the block's aggregates test of each row that enters it: of CASE and of FILTER.
    """

    columns: tuple[OutputColumn, ...]
    width_bytes: float
    group_by: tuple[ColumnRef, ...] | None = None
    grouping_sets: int = 1
    having: tuple[Filter, ...] = ()
    distinct: bool = False
    limit: int | None = None
    conditions: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """A column read outside a block's aggregates.

    `within` are the aliases that have to be in a fragment for it to be read there alone: those of
    its condition, or one that no source is called by where what the block returns depends on it.
    """

    column: ColumnRef
    within: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Aggregation:
    """The aggregates of a block, all of which can be made of those of groups of its rows.

    `arguments` are the columns that they read, those of FILTER among them, `partials` how many
    columns a group's aggregates take, `features` what not every store can run in them
    (`Block.features`). `uses` are the block's columns that are read elsewhere. Where the block is
    `distinct` it has no aggregates, and rows that are equal count once: DISTINCT, or groups alone.
    """

    arguments: tuple[ColumnRef, ...]
    partials: int
    uses: tuple[Use, ...] = ()
    features: frozenset[str] = frozenset()
    distinct: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One SELECT scope or one set operation.

    `kind` is 'select' or 'set'. `role` says how the block above uses this one: as the outermost
    there is none ('root'); as a derived table or CTE ('from'), an operand of a set operation
    ('operand'), a value ('scalar'), or a condition ('semi' for EXISTS and IN, 'anti' for their
    negations). `children` are the blocks nested in it or read by it first.
    `compared` are the columns that the block above compares this one's output with by equality,
    position by position (``x IN (SELECT …)``, ``x = (SELECT …)``), None for what is no column.
    `inputs` maps the alias of a derived table or CTE in its FROM clause to the block it reads.
    `outer_inputs` are those of them that a LEFT JOIN adds.
    A recursive CTE's alias inside its own text maps to the block of the first operand, so that
    blocks never go round in circles; `recursive` maps it to the CTE's own block.
    `closed` says that the block can run alone with all that is below it: nothing in it refers to
    an enclosing block, and each CTE it reads is read only inside it. `features` names what not
    every store can run: 'rollup', 'grouping', 'full_join', 'intersect', 'except', 'window',
    'window_nulls_last', and those of `workloads.sql.features`. `aggregation` is None where
    it neither aggregates nor counts equal rows once, and where parts of its rows cannot be
    aggregated.
    """

    name: str
    kind: Literal["select", "set"]
    role: BlockRole
    children: tuple[str, ...]
    closed: bool
    sources: tuple[Source, ...]
    inputs: Mapping[str, str]
    filters: tuple[Filter, ...]
    joins: tuple[Join, ...]
    output: Output
    features: frozenset[str] = frozenset()
    set_operator: SetOperator | None = None
    compared: tuple[ColumnRef | None, ...] = ()
    recursive: Mapping[str, str] = field(default_factory=dict)
    aggregation: Aggregation | None = None
    outer_inputs: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Footprint:
    """The footprint of one statement. `blocks[0]` is the outermost block that it reads.

    `writes` are the base tables that it inserts into, updates or deletes from; a statement that
    writes and reads nothing has no blocks.
    """

    query: str
    executions: float
    blocks: tuple[Block, ...]
    writes: frozenset[str] = frozenset()
    _named: Mapping[str, Block] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_named", {block.name: block for block in self.blocks})

    @property
    def tables(self) -> frozenset[str]:
        """Return the base tables that the query reads."""
        return frozenset(source.table for source in self.sources())

    def sources(self) -> Iterator[Source]:
        """Yield every source of every block."""
        for block in self.blocks:
            yield from block.sources

    def block(self, name: str) -> Block:
        """Return the block called `name`; KeyError where there is none."""
        return self._named[name]

    def below(self, name: str) -> tuple[Block, ...]:
        """Return the block called `name` and all blocks below it, each once."""
        seen: dict[str, Block] = {}
        stack = [name]
        while stack:
            block = self.block(stack.pop())
            if block.name not in seen:
                seen[block.name] = block
                stack.extend(block.children)
        return tuple(seen.values())
