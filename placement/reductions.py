"""Fragments reduced by keys: the rows that a join in the engine would drop stay in their store.

The keys of a filtered source are fetched first and sent along with the fragment that it is joined
with, wherever the two are: a semi-join reduction (Bernstein, Chiu: Using Semi-Joins to Solve
Relational Queries, JACM 28(1), 1981), as engines do with dynamic filters.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from placement.derived_reducers import DerivedReducers
from placement.fragments import Fragment
from placement.key_types import is_key
from placement.stores import Capability
from workloads.estimation.estimator import CardinalityEstimator
from workloads.footprint import Block, Footprint, Source

MOST_KEYS = 50_000
"""Rows of a source whose keys are worth sending."""
MOST_KEPT = 0.8
"""What a source may leave of a fragment's rows, as a share, to be worth asking for."""
FEWEST_DROPPED = 2_000
"""Rows that have to stay in the store: fewer are fetched sooner than keys are."""


def reduced_fragments(
    footprint: Footprint, estimator: CardinalityEstimator, fragments: Sequence[Fragment]
) -> tuple[Fragment, ...]:
    """Return scans and joins among `fragments` again, reduced by all sources that are worth it.

    A source may reduce a fragment of its block that it is joined with by an inner join of whole
    columns, where neither side may be missing from the result; a derived table may that is one
    value or a list of values which a source is compared with (`DerivedReducers`).

    Raises:
        CatalogError: The estimator's catalog lacks a table.
    """
    found: list[Fragment] = []
    for block in footprint.blocks:
        reducing = _Reducing(footprint, block, estimator)
        if not (reducing.edges or reducing.derived.any):
            continue
        for fragment in fragments:
            if fragment.block == block.name and fragment.kind in (Capability.SCAN, Capability.JOIN):
                reduced = reducing.reduced(fragment)
                if reduced is not None:
                    found.append(reduced)
    return tuple(found)


class _Reducing:
    """The sources of one block whose keys may be sent to those that they are joined with.

    A source whose rows derived tables reduce has only the keys that are left of it.
    """

    def __init__(self, footprint: Footprint, block: Block, estimator: CardinalityEstimator) -> None:
        self._block = block
        self._estimator = estimator
        self._sources = {source.alias: source for source in block.sources}
        self._rows: dict[frozenset[str], float] = {}
        self.edges = frozenset(_edges(block, self._sources, estimator))
        self.derived = DerivedReducers(footprint, block, estimator)

    def reduced(self, fragment: Fragment) -> Fragment | None:
        """Return the fragment with its reducers; None where they leave too much of it."""
        own = frozenset(name.partition(".")[2] for name in fragment.sources)
        reducers = [alias for alias in self._outside(own) if self._is_worth(own, alias)]
        inputs = self.derived.of(own.union(reducers))
        if not reducers and not inputs:
            return None
        # What is left joins at least one row of each reducer: it is at most as much as the joins.
        rows = min(self._joined(own | {alias}) for alias in (*own, *reducers))
        rows = min(rows, self._joined(own.union(reducers)))
        if fragment.rows_out - rows < FEWEST_DROPPED:
            return None
        return replace(
            fragment,
            rows_out=rows,
            reducers=tuple(f"{self._block.name}.{alias}" for alias in (*reducers, *inputs)),
            keys=sum(self._joined(frozenset({alias})) for alias in reducers)
            + sum(self._estimator.rows_of_block(self._block.inputs[alias]) for alias in inputs),
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
            asked += self.derived.of(aliases)
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
            if all(is_key(estimator.table(end), column) for end, column in ends):
                yield left, right
                yield right, left
