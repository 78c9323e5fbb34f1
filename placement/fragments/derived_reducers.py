"""Derived tables whose values reduce sources: what a subquery yields, sent along as keys are.

``x = (SELECT …)``, ``x BETWEEN (SELECT …) AND (SELECT …)`` and ``x IN (SELECT …)`` reach us as
joins with derived tables of the subqueries' values. These are fetched first, and only rows that
meet one leave the store of x: magic sets, once the subquery is run (Mumick, Pirahesh:
Implementation of Magic-sets in a Relational Database System, SIGMOD 1994).
"""

from collections.abc import Iterable, Iterator

from placement.fragments.key_types import is_key
from workloads.estimation.estimator import CardinalityEstimator
from workloads.estimation.selectivity import null_test
from workloads.footprint import Block, ColumnRef, Footprint, Join
from workloads.lineage import Lineage

MOST_VALUES = 50_000
"""Rows of a derived table whose values are worth sending."""
MOST_READ = 4.0
"""Rows it may read, as a multiple of the largest table's: reading is cheaper than handing out."""
MOST_KEPT = 0.8
"""The share of a source's rows that the values may leave."""


class DerivedReducers:
    """The derived tables of one block whose values are worth sending to its sources.

    Each is a closed block of one table: wherever that is, one store can run the block before the
    source is fetched. It may not read many more rows than the block's largest table has: what
    waits for it would gain nothing.

    Raises:
        CatalogError: The estimator's catalog lacks a table.
    """

    def __init__(self, footprint: Footprint, block: Block, estimator: CardinalityEstimator) -> None:
        self._footprint = footprint
        self._block = block
        self._estimator = estimator
        self._sources = {source.alias: source for source in block.sources if not source.needs}
        self._small = frozenset(filter(self._is_small, block.inputs.keys() - block.recursive))
        self._of: dict[str, frozenset[str]] = {}
        if self._small:
            self._lineage = Lineage(footprint)
            self._tables = {source.table: source for source in footprint.sources()}
            for alias, inputs in self._compared():
                if self._is_worth(alias, inputs):
                    self._of[alias] = self._of.get(alias, frozenset()) | inputs

    @property
    def any(self) -> bool:
        """Whether there is one."""
        return bool(self._of)

    def of(self, aliases: Iterable[str]) -> list[str]:
        """Return the aliases of those that reduce one of the sources `aliases`, sorted."""
        return sorted(frozenset[str]().union(*(self._of.get(each, ()) for each in aliases)))

    def _is_small(self, alias: str) -> bool:
        name = self._block.inputs[alias]
        below = [s for inner in self._footprint.below(name) for s in inner.sources]
        one_table = len({source.table for source in below}) == 1
        if not one_table or not self._block.sources or not self._footprint.block(name).closed:
            return False
        largest = max(self._estimator.table(source).rows for source in self._block.sources)
        read = sum(self._estimator.table(source).rows for source in below)
        return read <= MOST_READ * largest and self._estimator.rows_of_block(name) <= MOST_VALUES

    def _compared(self) -> Iterator[tuple[str, frozenset[str]]]:
        """Yield a source and the derived tables that one condition compares it with."""
        for join in self._block.joins:
            for mine, theirs in ((join.left, join.right), (join.right, join.left)):
                if not join.computed and self._drops(join) and self._comparable(mine, theirs):
                    yield mine[0], frozenset({theirs[0]})
        joined = {alias for join in self._block.joins for alias, _ in (join.left, join.right)}
        for condition in self._block.filters:
            # What is joined as well has a value for each row, and the least of them says little.
            ordered = () if condition.outer else condition.ordered
            pairs = [(left, right) for left, _, right in ordered]
            pairs += [(right, left) for left, right in pairs]
            for alias in {mine[0] for mine, _ in pairs if mine[0] in self._sources}:
                others = [pair for pair in pairs if pair[0][0] == alias]
                if all(self._comparable(*pair) and pair[1][0] not in joined for pair in others):
                    yield alias, frozenset(theirs[0] for _, theirs in others)

    def _drops(self, join: Join) -> bool:
        """Whether a row that meets no other is dropped: an outer join's, by a test for NULL."""
        return join.kind == "inner" or (
            join.kind == "left"
            and any(
                null_test(each) == "not_null" and each.columns[0][0] == join.right[0]
                for each in self._block.filters
                if not each.outer
            )
        )

    def _comparable(self, mine: ColumnRef, theirs: ColumnRef) -> bool:
        if mine[0] not in self._sources or theirs[0] not in self._small:
            return False
        if not is_key(self._estimator.table(self._sources[mine[0]]), mine[1]):
            return False
        block = self._footprint.block(self._block.inputs[theirs[0]])
        if any(c.name == theirs[1] and c.aggregate == "avg" for c in block.output.columns):
            return False
        stems_from = self._lineage.of_output(block.name, theirs[1], "carried")
        return bool(stems_from) and all(
            is_key(self._estimator.table(self._tables[table]), column)
            for table, column in stems_from
        )

    def _is_worth(self, alias: str, inputs: frozenset[str]) -> bool:
        every = self._estimator.rows_of_sources(self._block.name, [alias])
        kept = self._estimator.rows_of_sources(self._block.name, [alias, *sorted(inputs)])
        return kept <= MOST_KEPT * every
