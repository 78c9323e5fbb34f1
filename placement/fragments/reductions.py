"""Fragments reduced by keys: the rows that a join in the engine would drop stay in their store.

The keys of a filtered source are fetched first and sent along with the fragment that it is joined
with, wherever the two are: a semi-join reduction (Bernstein, Chiu: Using Semi-Joins to Solve
Relational Queries, JACM 28(1), 1981), as engines do with dynamic filters. The source may be of a
block above that joins the result of the fragment's block.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import prod

from placement.fragment import Fragment, KeyTable, LookUp, Reduction
from placement.fragments.derived_reducers import DerivedReducers
from placement.fragments.index_reads import reads_by_keys
from placement.fragments.look_ups import Spared, spared_by_keys
from placement.fragments.matches import Matches
from placement.fragments.reduced_work import reduced_work
from placement.fragments.reducing_joins import MOST_TRIED, Neighbours, edges
from placement.fragments.row_look_ups import row_look_up
from placement.fragments.tabled_reducers import reduced_by_tables, tabled
from placement.fragments.unpacked import unpacked_values
from placement.stores import Capability
from workloads.estimation.estimator import CardinalityEstimator
from workloads.footprint import Block, ColumnRef, Footprint
from workloads.semi_joins import with_sources_above

MOST_KEYS = 50_000
"""Rows of a source whose keys are worth sending."""
LARGEST_RESTRICTED = 200_000
"""Rows of a source, at most, whose keys may be restricted by those of another behind it."""
MOST_KEPT = 0.8
"""The share of a fragment's rows that a source may leave to be worth asking for."""
FEWEST_DROPPED = 2_000
"""Rows that have to stay in the store: fewer are fetched sooner than keys are."""


def reduced_fragments(
    footprint: Footprint, estimator: CardinalityEstimator, fragments: Sequence[Fragment]
) -> tuple[Fragment, ...]:
    """Return scans and joins among `fragments` again, reduced by all sources that are worth it.

    A source may reduce a fragment of its block that it is joined with by an inner join of whole
    columns, where neither side may be missing from the result; a derived table may that is one
    value or a list of values which a source is compared with (`DerivedReducers`). What has too many
    keys may be reduced itself by a source behind it, which is named after it. One of a block
    above may that the fragment's block inherits a semi-join from: by those a fragment is reduced
    once more. So is it by those of its block whose keys are too many for a statement, as tables.

    Raises:
        CatalogError: The estimator's catalog lacks a table.
    """
    found: list[Fragment] = []
    matches, above = Matches(footprint, estimator.table), with_sources_above(footprint)
    for block in footprint.blocks:
        whole = above.get(block.name, block)
        derived = DerivedReducers(footprint, block, estimator)
        reducing = _Reducing(whole, edges(matches, whole), derived, estimator)
        if not (reducing.edges or reducing.derived.any):
            continue
        for fragment in fragments:
            if fragment.coverage.block == block.name and fragment.kind in (
                Capability.SCAN,
                Capability.JOIN,
            ):
                found += map(matches.decided, reducing.reduced(fragment))
    return tuple(found)


class _Reducing:
    """The sources whose keys may be sent to those of one block that they are joined with.

    `block` holds the sources above that it inherits semi-joins from, joined with its own. A source
    whose rows `derived` tables reduce has only the keys that are left of it.
    """

    def __init__(
        self,
        block: Block,
        edges: frozenset[tuple[str, str]],
        derived: DerivedReducers,
        estimator: CardinalityEstimator,
    ) -> None:
        self._block = block
        self.derived = derived
        self._estimator = estimator
        self._sources = {source.alias: source for source in block.sources}
        self._ends: dict[str, list[tuple[ColumnRef, ColumnRef]]] = defaultdict(list)
        for join in block.joins:
            self._ends[join.left[0]].append((join.left, join.right))
            self._ends[join.right[0]].append((join.right, join.left))
        self._rows: dict[frozenset[str], float] = {}
        self._values_of: dict[tuple[tuple[str, ...], tuple[ColumnRef, ...]], float] = {}
        self.edges = edges
        self._neighbours = Neighbours(edges)

    def reduced(self, fragment: Fragment) -> Iterator[Fragment]:
        """Yield the fragment with its reducers, again with those of blocks above and those behind.

        None where they leave too much of it.
        """
        own = frozenset(name.partition(".")[2] for name in fragment.sources)
        near = self._neighbours.most_selective(own, self._joined)
        worth = [alias for alias in near if self._is_worth(own, alias)]
        behind = {
            alias: found
            for alias in near
            if alias not in worth and (found := self._behind(own, near, alias)) is not None
        }
        beside = [alias for alias in worth if self._sources[alias].block == self._block.name]
        above = [alias for alias in worth if alias not in beside]
        every = self._with_above(own, beside, above)
        none: Mapping[str, _Behind] = {}
        variants = [(beside, none)]
        if len(every) > len(beside):
            variants.append((every, none))
        if behind:
            variants.append((every, behind))
        for reducers, through in variants:
            reduced = self._by(fragment, own, reducers, through)
            if reduced is not None:
                yield reduced
        sent = self._by(fragment, own, every, none)
        listed = [] if sent is None else every
        tables = self._tabled(own, listed, [each for each in near if each not in worth])
        if tables:
            taken = [*listed, *(each.source.partition(".")[2] for each in tables)]
            yield reduced_by_tables(sent or fragment, tables, self._left(own, taken))

    def _tabled(
        self, own: frozenset[str], reducers: Sequence[str], aliases: Sequence[str]
    ) -> tuple[KeyTable, ...]:
        """Return the sources of this block, among `aliases`, whose keys are worth loading."""
        keys = {
            alias: self._different(own, alias)
            for alias in aliases
            if self._sources[alias].block == self._block.name
            and self._joined(frozenset({alias})) > MOST_KEYS
            and self._is_selective(own, alias)
            and not self.derived.of([alias])
        }
        names = {each: self._sources[each].name for each, n in keys.items() if n > MOST_KEYS}
        return tabled(own, reducers, names, keys=keys, rows=self._joined, left=self._left)

    def _by(
        self,
        fragment: Fragment,
        own: frozenset[str],
        reducers: Sequence[str],
        through: Mapping[str, "_Behind"],
    ) -> Fragment | None:
        """Return a fragment reduced by sources, and through others by those behind them."""
        rows = self._left(own, reducers) * prod(each.share for each in through.values())
        inputs = self.derived.of(own.union(reducers, through))
        by_none = not (reducers or inputs or through)
        if by_none or fragment.work.rows_out - rows < FEWEST_DROPPED:
            return None
        restricting = dict.fromkeys(each.alias for each in through.values())
        names = [self._sources[alias].name for alias in (*reducers, *through, *restricting)]
        names += [f"{self._block.name}.{alias}" for alias in inputs]
        keys = [self._joined(frozenset({alias})) for alias in (*reducers, *restricting)]
        keys += [*(each.keys for each in through.values()), *map(self._values, inputs)]
        senders, spared = (*reducers, *through), Spared()
        if fragment.kind is Capability.SCAN:
            (alias,) = own
            source, different = self._sources[alias], partial(self._different, own)
            spared = spared_by_keys(self._block, source, senders, different, self._estimator)
        looked_up = self._looked_up(fragment, own, reducers)
        sources = [self._sources[alias] for alias in sorted(own)]
        found = {each.source for each in fragment.reduction.look_ups}
        by_index = reads_by_keys(self._block, sources, frozenset(senders), self._estimator, found)
        work = reduced_work(fragment.work, rows, spared, looked_up, tuple(by_index))
        met = (*senders, *inputs)
        values = unpacked_values(self._block, sources, self._estimator, rows=rows, others=met)
        return replace(
            fragment,
            work=replace(work, read_row_values=values),
            reduction=Reduction(
                reducers=tuple(names),
                keys=sum(keys),
                look_ups=(*fragment.reduction.look_ups, *looked_up),
            ),
        )

    def _looked_up(
        self, fragment: Fragment, own: frozenset[str], reducers: Collection[str]
    ) -> tuple[LookUp, ...]:
        """Return the row look-up that keys make worth it: as they find the rows that lead to it."""
        reduced: dict[str, set[str]] = {}
        for left, right in self.edges:
            if left in own and right in reducers:
                reduced.setdefault(left, set()).add(right)
        sources = [self._sources[alias] for alias in sorted(own)]
        found = row_look_up(self._block, sources, self._estimator, reduced=reduced)
        if found is None or any(
            each.source == found.source for each in fragment.reduction.look_ups
        ):
            return ()
        return (found,)

    def _with_above(
        self, own: frozenset[str], beside: Sequence[str], above: Sequence[str]
    ) -> list[str]:
        """Return the reducers beside a fragment and those above, but what sends more than it drops.

        Few keys go first: what they leave is hardly worth many.
        """
        reducers = list(beside)
        for alias in sorted(above, key=lambda each: self._joined(frozenset({each}))):
            dropped = self._left(own, reducers) - self._left(own, [*reducers, alias])
            if dropped > self._joined(frozenset({alias})):
                reducers.append(alias)
        return reducers

    def _left(self, own: frozenset[str], reducers: Sequence[str]) -> float:
        """Return the rows that reducers leave.

        What is left joins at least one row of each reducer: it is at most as much as the joins.
        Values of derived tables count without any reducer too.
        """
        rows = min(self._joined(own | {alias}) for alias in (*own, *reducers))
        return min(rows, self._joined(own.union(reducers)))

    def _values(self, alias: str) -> float:
        return self._estimator.rows_of_block(self._block.inputs[alias])

    def _is_worth(self, own: frozenset[str], alias: str) -> bool:
        return self._joined(frozenset({alias})) <= MOST_KEYS and self._is_selective(own, alias)

    def _is_selective(self, own: frozenset[str], alias: str) -> bool:
        return self._joined(own | {alias}) <= MOST_KEPT * self._joined(own)

    def _different(self, own: frozenset[str], alias: str) -> float:
        """Return how many keys of `alias` are different."""
        columns = self._compared(own, alias)
        key = self._estimator.table(self._sources[alias]).primary_key
        is_key = key == tuple(name for _, name in columns)
        return self._joined(frozenset({alias})) if is_key else self._groups((alias,), columns)

    def _compared(self, own: frozenset[str], alias: str) -> tuple[ColumnRef, ...]:
        """Return the columns of `alias` that are joined with those of `own`."""
        ends = self._ends[alias]
        return tuple(dict.fromkeys(mine for mine, other in ends if other[0] in own))

    def _behind(self, own: frozenset[str], near: Sequence[str], alias: str) -> "_Behind | None":
        """Return the source by whose keys those of `alias` become worth sending; None if by none.

        Alone it has too many, or they leave too much: q85's web_returns, most of which are of other
        years than its web_sales. All are of this block.
        """
        block = self._block
        if (
            self._sources[alias].block != block.name
            or self._joined(frozenset({alias})) > LARGEST_RESTRICTED
        ):
            return None
        compared = self._compared(own, alias)
        best = None
        behind = [
            each
            for each in self._neighbours.of(frozenset({alias}))
            if each not in own and each not in near and self._sources[each].block == block.name
        ]
        if len(behind) > MOST_TRIED:
            behind.sort(key=lambda each: self._joined(frozenset({each})))
        for each in behind[:MOST_TRIED]:
            keys = self._groups((alias, each), compared)
            # Of each key there may be several pairs, by which a row would count several times.
            pairs = max(1.0, self._joined(frozenset({alias, each})) / max(1.0, keys))
            kept = self._joined(own | {alias, each}) / pairs / max(1.0, self._joined(own))
            few = max(keys, self._joined(frozenset({each}))) <= MOST_KEYS
            if few and kept <= MOST_KEPT and (best is None or kept < best.share):
                best = _Behind(alias=each, keys=keys, share=kept)
        return best

    def _groups(self, aliases: tuple[str, ...], columns: tuple[ColumnRef, ...]) -> float:
        """Return the different values of `columns` in the join of some sources."""
        found = self._values_of.get((aliases, columns))
        if found is None:
            found = self._estimator.groups_of_sources(self._block.name, aliases, columns)
            self._values_of[aliases, columns] = found
        return found

    def _joined(self, aliases: frozenset[str]) -> float:
        if aliases not in self._rows:
            asked = [source.alias for source in self._block.sources if source.alias in aliases]
            asked += self.derived.of(aliases)
            self._rows[aliases] = self._estimator.rows_of_sources(self._block.name, asked)
        return self._rows[aliases]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Behind:
    """A source whose keys leave `keys` of another's, and these a `share` of a fragment's rows."""

    alias: str
    keys: float
    share: float
