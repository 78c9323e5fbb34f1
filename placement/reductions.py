"""Fragments reduced by keys: the rows that a join in the engine would drop stay in their store.

The keys of a filtered source are fetched first and sent along with the fragment that it is joined
with, wherever the two are: a semi-join reduction (Bernstein, Chiu: Using Semi-Joins to Solve
Relational Queries, JACM 28(1), 1981), as engines do with dynamic filters.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from placement.fragments import Fragment
from placement.stores import Capability
from workloads.estimation.estimator import CardinalityEstimator
from workloads.footprint import Block, Footprint, Source

MOST_KEYS = 50_000
"""Rows of a source whose keys are worth sending."""
MOST_KEPT = 0.8
"""What a source may leave of a fragment's rows, as a share, to be worth asking for."""
FEWEST_DROPPED = 2_000
"""Rows that have to stay in the store: fewer are fetched sooner than keys are."""
KEY_TYPES = frozenset({"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "DATE"})
"""Types whose values every store writes and compares alike."""


def reduced_fragments(
    footprint: Footprint, estimator: CardinalityEstimator, fragments: Sequence[Fragment]
) -> tuple[Fragment, ...]:
    """Return scans and joins among `fragments` again, reduced by all sources that are worth it.

    A source may reduce a fragment of its block that it is joined with by an inner join of whole
    columns, where neither side may be missing from the result.

    Raises:
        CatalogError: The estimator's catalog lacks a table.
    """
    found: list[Fragment] = []
    for block in footprint.blocks:
        reducing = _Reducing(block, estimator)
        if not reducing.edges:
            continue
        for fragment in fragments:
            if fragment.block == block.name and fragment.kind in (Capability.SCAN, Capability.JOIN):
                reduced = reducing.reduced(fragment)
                if reduced is not None:
                    found.append(reduced)
    return tuple(found)


class _Reducing:
    """The sources of one block whose keys may be sent to those that they are joined with."""

    def __init__(self, block: Block, estimator: CardinalityEstimator) -> None:
        self._block = block
        self._estimator = estimator
        self._sources = {source.alias: source for source in block.sources}
        self._rows: dict[frozenset[str], float] = {}
        self.edges = frozenset(_edges(block, self._sources, estimator))

    def reduced(self, fragment: Fragment) -> Fragment | None:
        """Return the fragment with its reducers; None where they leave too much of it."""
        own = frozenset(name.partition(".")[2] for name in fragment.sources)
        reducers = [alias for alias in self._outside(own) if self._is_worth(own, alias)]
        if not reducers:
            return None
        # What is left joins at least one row of each reducer: it is at most as much as the joins.
        rows = min(self._joined(own | {alias}) for alias in reducers)
        rows = min(rows, self._joined(own.union(reducers)))
        if fragment.rows_out - rows < FEWEST_DROPPED:
            return None
        return replace(
            fragment,
            rows_out=rows,
            reducers=tuple(self._sources[alias].name for alias in reducers),
            keys=sum(self._joined(frozenset({alias})) for alias in reducers),
        )

    def _outside(self, own: frozenset[str]) -> list[str]:
        near = {right for left, right in self.edges if left in own and right not in own}
        return sorted(near)

    def _is_worth(self, own: frozenset[str], alias: str) -> bool:
        if self._joined(frozenset({alias})) > MOST_KEYS:
            return False
        return self._joined(own | {alias}) <= MOST_KEPT * self._joined(own)

    def _joined(self, aliases: frozenset[str]) -> float:
        if aliases not in self._rows:
            asked = [source.alias for source in self._block.sources if source.alias in aliases]
            self._rows[aliases] = self._estimator.rows_of_sources(self._block.name, asked)
        return self._rows[aliases]


def _edges(
    block: Block, sources: Mapping[str, Source], estimator: CardinalityEstimator
) -> Iterator[tuple[str, str]]:
    """Yield pairs of aliases of which either reduces the other."""
    for join in block.joins:
        (left, left_column), (right, right_column) = join.left, join.right
        if join.kind != "inner" or join.computed or left == right:
            continue
        if {left, right} <= sources.keys() and not sources[left].needs | sources[right].needs:
            ends = ((sources[left], left_column), (sources[right], right_column))
            if len({_type(estimator, *end) for end in ends} - KEY_TYPES) == 0:
                yield left, right
                yield right, left


def _type(estimator: CardinalityEstimator, source: Source, column: str) -> str:
    for known in estimator.table(source).columns:
        if known.name.lower() == column.lower():
            return known.type.upper()
    return ""
