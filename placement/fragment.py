"""A fragment: what one store can run alone and hand to the engine, with its estimates."""

from dataclasses import dataclass, field
from typing import Literal

from placement.stores import Capability
from workloads.footprint import Ordering
from workloads.indexes import NamedIndex

NamedColumn = tuple[str, str]
"""A column as (name of a source or of a derived table: ``block.alias``, column name)."""

Operator = Literal["IN", Ordering]


@dataclass(frozen=True, slots=True, kw_only=True)
class LookUp:
    """Rows of the source `source` are found by their key's first column, in the source `by`.

    `share` is the estimated share of its rows that are found. `spared_bytes` is what a row store
    then need not read, as if in order, and `spared_rows` are those that enter no join. With
    `whole_key` all columns of the key are in `by`, each of whose rows leads to one
    (`placement.fragments.row_look_ups`).
    """

    source: str
    by: str
    share: float
    spared_bytes: float
    spared_rows: float
    whole_key: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexRead:
    """A way to read the source `source` by an index, which a store may take instead of a scan.

    `rows` are fetched through the index one by one, each key that is sought among them.
    `spared_bytes` are then not read in order, and `spared_rows` enter no join. The rows lie in
    pages of `touched_bytes`, the catalog's, of a table of `table_bytes`, and `fetched_pages` are
    asked for, one for each row. It is for stores that are `clustered` or for those that are not
    (`placement.fragments.index_reads`). A store takes it where the table has the `index` that was
    chosen for it; None is one that all copies have.
    """

    source: str
    clustered: bool
    rows: float
    spared_bytes: float
    spared_rows: float = 0.0
    index: NamedIndex | None = None
    touched_bytes: float = 0.0
    fetched_pages: float = 0.0
    table_bytes: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyTable:
    """The keys of the source `source` are loaded into a table of ours: a statement holds fewer.

    `keys` are its different keys, `rows` those of its rows from which they are told.
    """

    source: str
    keys: float
    rows: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """Only rows of a source are of use whose `column` is one of the values of `key`.

    With an `operator` other than IN it is in that relation to one of them. `values_of` is the block
    whose values they are if `key` is of a derived table, `is_day` tells that they are dates.
    """

    column: NamedColumn
    key: NamedColumn
    operator: Operator = "IN"
    values_of: str | None = None
    is_day: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """The part of a query that a fragment covers.

    `kind` is QUERY (the outermost block with all below it), BLOCK (a closed inner block with all
    below it), JOIN (a connected set of sources of one block) or SCAN (one source).
    `sources` are the names of the sources it covers, sorted.
    """

    query: str
    kind: Capability
    block: str
    sources: tuple[str, ...]
    tables: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimatedWork:
    """The work that a fragment is for its store and for the engine, as far as is estimated.

    `scan_bytes` and `column_bytes` are what a row store and a column store read, `clustered_bytes`
    a row store that clusters rows by primary key, `key_range_bytes` one that reads the blocks of
    ranges of that key; None, as in older plan files, means `scan_bytes`.
    Rows that are found by keys are in none of them. A row of what is read has `read_row_bytes` in
    the mean, None in older plan files. A store that finds a value by those before it unpacks
    `read_row_values` of a row. `tables_bytes` are those of its tables, each once, and `readings`
    how many times as much a store reads that computes a CTE anew for each reader. `join_rows` enter
    joins, `aggregate_rows` groupings, sorts and set operations.
    `conditions` are tested by aggregates: of each row that enters them, one for each WHEN of a CASE
    and each FILTER (`Output.conditions`).
    `features` are the SQL features of all blocks it runs (`Block.features`); JOIN and SCAN have
    those of partial aggregates and of outer joins' conditions (`Source.condition_features`).

    `rows_out` leave the store, each with `decimals_out` decimal numbers: drivers make an object of
    each. `combine_rows` is its share of the rows that the combining query makes: each block that no
    fragment runs whole is joined and aggregated there once, and its rows are shared out over the
    sources below it, so that any exact cover pays them once.
    `delivered_rows` is its share of the rows of the query's result, by its sources.
    `index_reads` are ways to read less: of each source a store takes the cheapest, if it is cheaper
    than the scan that the bytes above have.
    """

    scan_bytes: float
    column_bytes: float
    join_rows: float
    aggregate_rows: float
    rows_out: float
    row_bytes_out: float
    combine_rows: float = 0.0
    features: frozenset[str] = frozenset()
    readings: float = 1.0
    tables_bytes: float = 0.0
    delivered_rows: float = 0.0
    clustered_bytes: float | None = None
    conditions: float = 0.0
    key_range_bytes: float | None = None
    index_reads: tuple[IndexRead, ...] = ()
    decimals_out: float = 0.0
    read_row_bytes: float | None = None
    read_row_values: float = 0.0

    @property
    def bytes_out(self) -> float:
        """Estimated bytes of its rows in the engine."""
        return self.rows_out * self.row_bytes_out


@dataclass(frozen=True, slots=True, kw_only=True)
class Reduction:
    """The ways in which a fragment reads or hands out less than all rows of its sources.

    `reducers` are sources outside it whose keys are fetched first and sent along, so that only
    rows with such a key leave the store; `keys` is how many are sent in the statement at most.
    `key_tables` are reducers whose keys are loaded into the store instead.
    `preaggregated` says that the store hands out partial aggregates, a row for each group that the
    rest of the block tells apart, or distinct rows where the block has no aggregates. `look_ups`
    are the large tables in it that a row store reads through their primary keys. `matches` are the
    columns of both: those by which `reducers` reduce it and one another, and those by which rows
    are looked up (`placement.fragments.matches`). They follow from the query and the rest, and are
    in no file.
    `repeats` is the name of another fragment of the query in the same store that has the same rows:
    these are fetched for it alone, and this one costs what the engine makes of them. With
    `one_scan` that other one's rows are those that any of several scans of a table wants, which
    has `one_scan` too.
    """

    reducers: tuple[str, ...] = ()
    keys: float = 0.0
    preaggregated: bool = False
    look_ups: tuple[LookUp, ...] = ()
    repeats: str | None = None
    key_tables: tuple[KeyTable, ...] = ()
    one_scan: bool = False
    matches: tuple[Match, ...] = field(default=(), compare=False)

    @property
    def every_key(self) -> float:
        """The most keys that are sent, in the statement and as tables."""
        return self.keys + sum(each.keys for each in self.key_tables)

    def matched(self, source: str, by: str) -> tuple[Match, ...]:
        """Return the matches of one source with another."""
        return tuple(each for each in self.matches if (each.column[0], each.key[0]) == (source, by))


@dataclass(frozen=True, slots=True, kw_only=True)
class Fragment:
    """A part of one query that one store runs alone."""

    coverage: Coverage
    work: EstimatedWork
    reduction: Reduction = Reduction()

    @property
    def query(self) -> str:
        """Return the name of its query."""
        return self.coverage.query

    @property
    def kind(self) -> Capability:
        """Return what a store must be capable of to run it."""
        return self.coverage.kind

    @property
    def sources(self) -> tuple[str, ...]:
        """Return the names of the sources that it covers, sorted."""
        return self.coverage.sources

    @property
    def tables(self) -> frozenset[str]:
        """Return the tables that it reads."""
        return self.coverage.tables

    @property
    def name(self) -> str:
        """Return a name that is unique in the workload."""
        if self.kind in (Capability.QUERY, Capability.BLOCK):
            return f"{self.query}/{self.coverage.block}"
        reducers = self.reduction.reducers
        by = f" by {'+'.join(reducers)}" if reducers else ""
        grouped = ", pre-aggregated" if self.reduction.preaggregated else ""
        is_read = self.reduction.one_scan and self.reduction.repeats is None
        for_all = ", one scan" if is_read else ""
        return f"{self.query}/{'+'.join(self.sources)}{by}{grouped}{for_all}"

    @property
    def bytes_moved(self) -> float:
        """Estimated bytes that the store hands out: none where another fragment's rows are read."""
        return 0.0 if self.reduction.repeats is not None else self.work.bytes_out


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedFragment(Fragment):
    """Fragments of one query that a store runs once, as one: `members`, the first of which it runs.

    It covers the sources of all of them. All but what the engine makes of the rows is the first's.
    """

    members: tuple[Fragment, ...]

    @property
    def name(self) -> str:
        """Return a name that is unique in the workload."""
        return " as one with ".join(each.name for each in self.members)


def members(fragment: Fragment) -> tuple[Fragment, ...]:
    """Return what a plan routes for `fragment`: itself, or what is run as one."""
    return fragment.members if isinstance(fragment, SharedFragment) else (fragment,)
