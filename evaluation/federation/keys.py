"""Keys sent along with a fragment: which, and where they come from."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from evaluation.federation.rewrites.unique_outputs import short_name
from evaluation.federation.split import Piece, split, view_column
from placement.fragment import Match, NamedColumn, Reduction
from placement.plan import RoutedFragment
from placement.stores import Capability
from workloads.sql.trees.copies import copied
from workloads.sql.trees.tree import QueryTree

_UNREPEATED = (
    *(exp.Limit, exp.Fetch, exp.Offset, exp.TableSample, exp.Window, exp.Rand, exp.Uuid),
    *(exp.AnyValue, exp.First, exp.Last, exp.CurrentDate, exp.CurrentTime, exp.CurrentTimestamp),
)
"""Parts of a query that may have other rows when the same is asked for again."""
MOST_FETCHED_ROWS = 50_000
"""A fragment that is predicted to have more rows is not fetched first for the keys in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeySource:
    """The keys of a reducing source: a column of a fragment's view, or SQL of their own.

    `sql` is None where the fragment `view`, which is in `store`, is small and fetched first. Their
    own SQL, whose first column they are, is restricted to `keys` in turn. `is_day`
    tells that they are dates, `many` that more are predicted than a statement holds.
    """

    view: str
    column: str
    store: str
    sql: str | None = None
    is_day: bool = False
    many: bool = False
    keys: tuple["KeyFilter", ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyFilter:
    """A column of a fragment's rows, `quoted` for its store, that only certain keys may be in.

    With an `operator` other than IN the column is in that relation to one of them.
    """

    column: str
    quoted: str
    source: KeySource
    operator: str = "IN"


def key_filters(
    tree: exp.Query,
    routing: Sequence[RoutedFragment],
    target: RoutedFragment,
    *,
    dialects: Mapping[str, str],
    written: Callable[[Piece], str],
    can_run: Callable[[Piece], bool],
) -> tuple[KeyFilter, ...]:
    """Return the filters of a fragment with reducers, by the columns that it is matched in.

    `tree` is the canonical query, which stays as it is; `dialects` are those of the stores,
    `written` writes a piece in its store's, and `can_run` tells whether that has what it needs.
    """
    return _Keys(
        tree, routing, target, dialects=dialects, written=written, can_run=can_run
    ).filters()


class _Keys:
    """The filters by keys for one fragment, and for what its keys come from."""

    def __init__(
        self,
        tree: exp.Query,
        routing: Sequence[RoutedFragment],
        target: RoutedFragment,
        *,
        dialects: Mapping[str, str],
        written: Callable[[Piece], str],
        can_run: Callable[[Piece], bool],
    ) -> None:
        self._tree = tree
        self._can_run = can_run
        self._target = target
        self._routing = routing
        self._dialects = dialects
        self._written = written
        self._holders = {
            source: number
            for number, each in enumerate(routing)
            for source in each.fragment.sources
        }
        # Blocks that a store runs whole and waits for no keys.
        self._running = {
            each.fragment.coverage.block: number
            for number, each in reversed(list(enumerate(routing)))
            if each.fragment.kind is Capability.BLOCK and not each.fragment.reduction.reducers
        }
        sources = target.fragment.sources
        matches = target.fragment.reduction.matches
        self._own = [
            each for each in matches if each.column[0] in sources and each.key[0] not in sources
        ]
        # Sources that reduce the target: those that it is compared with, and what reduces these.
        self._near = {each.key[0] for each in self._own if self._is_beside(each)}
        reducers = target.fragment.reduction.reducers
        self._behind = {each for each in reducers if each in self._holders} - self._near

    def filters(self) -> tuple[KeyFilter, ...]:
        """Return the filters of the fragment by what reduces it, in its block and above."""
        found = self._values(self._own)
        found += [(each, self._keys(each)) for each in self._own if each.values_of is None]
        return self._filters(found, self._target.store)

    def _is_beside(self, match: Match) -> bool:
        """Whether the keys are of a source in the target's own block, not of one above."""
        block, _, _ = match.key[0].partition(".")
        return match.values_of is None and block == self._target.fragment.coverage.block

    def _filters(
        self, matched: Sequence[tuple[Match, KeySource]], store: str
    ) -> tuple[KeyFilter, ...]:
        found: dict[KeyFilter, None] = {}
        for match, source in matched:
            column = _view_column(match.column)
            quoted = exp.to_identifier(column, quoted=True).sql(self._dialects[store])
            found[
                KeyFilter(column=column, quoted=quoted, source=source, operator=match.operator)
            ] = None
        return tuple(found)

    def _values(self, matches: Iterable[Match]) -> list[tuple[Match, KeySource]]:
        """Return where the values of derived tables are; none of one that no store can run."""
        found = []
        for match in matches:
            source = None if match.values_of is None else self._values_of(match, match.values_of)
            if source is not None:
                found.append((match, source))
        return found

    def _values_of(self, match: Match, block: str) -> KeySource | None:
        """Return where the values of a block are: in its rows, or in an answer of its own.

        It is asked for on its own where its tables are read in parts, but all are in one store, and
        where it has the same rows each time: the engine computes it again from the parts.
        """
        number, name = self._running.get(block), short_name(match.key[1])
        if number is not None:
            view, store = f"fragment_{number}", self._routing[number].store
            return KeySource(view=view, column=name, store=store)
        below = QueryTree(copied(self._tree)).below(block)
        inside = [each for each in self._holders if each.partition(".")[0] in below]
        stores = {self._routing[self._holders[each]].store for each in inside}
        if len(stores) != 1:
            return None
        number = self._holders[inside[0]]
        holder = self._routing[number]
        (piece,), _ = split(copied(self._tree), [_block(holder, block, sorted(inside))])
        if piece.expression.find(*_UNREPEATED) is not None or not self._can_run(piece):
            return None
        sql = self._written(_distinct(piece, [name]))
        return KeySource(
            view=f"fragment_{number}",
            column=name,
            store=holder.store,
            sql=sql,
            is_day=match.is_day,
        )

    def _keys(self, match: Match) -> KeySource:
        """Return where the keys of a source are, which may be of a block above."""
        source, _ = match.key
        number = self._holders[source]
        holder = self._routing[number]
        name = _view_column(match.key)
        found = KeySource(view=f"fragment_{number}", column=name, store=holder.store)
        reduction = holder.fragment.reduction
        matches = dict.fromkeys((*self._target.fragment.reduction.matches, *reduction.matches))
        mine = [each for each in matches if each.column[0] == source]
        restricting = self._values(mine)
        behind = self._behind - {source, *holder.fragment.sources} if source in self._near else ()
        through = [each for each in mine if each.key[0] in behind]
        restricting += [(each, self._keys(each)) for each in through]
        # What other sources reduce may wait for the very fragment that waits for these keys.
        waits = bool(through) or any(each in self._holders for each in reduction.reducers)
        # Of these its own rows are not restricted to the values.
        waits |= any(each.key[0] not in reduction.reducers for each, _ in restricting)
        few = not waits and holder.fragment.work.rows_out <= MOST_FETCHED_ROWS
        if few and (self._is_beside(match) or self._hands_out(holder, name)):
            return found
        read = (_view_column(each.column) for each, _ in restricting)
        scan = _scan(holder, source)
        alone = _alone(copied(self._tree), scan, list(dict.fromkeys([name, *read])))
        keys = self._filters(restricting, holder.store)
        many = any(each.source == source for each in self._target.fragment.reduction.key_tables)
        return replace(found, sql=self._written(alone), keys=keys, is_day=match.is_day, many=many)

    def _hands_out(self, holder: RoutedFragment, name: str) -> bool:
        """Whether a fragment's view has a column that it may need for its own joins alone."""
        (piece,), _ = split(copied(self._tree), [holder])
        return name in piece.expression.named_selects


def _view_column(column: NamedColumn) -> str:
    source, name = column
    return view_column(source.partition(".")[2], name)


def _scan(holder: RoutedFragment, source: str) -> RoutedFragment:
    """Return the fragment of one source alone, in the store of another that holds it."""
    coverage = replace(holder.fragment.coverage, kind=Capability.SCAN, sources=(source,))
    return replace(
        holder, fragment=replace(holder.fragment, coverage=coverage, reduction=Reduction())
    )


def _alone(tree: exp.Query, scan: RoutedFragment, columns: Sequence[str]) -> Piece:
    """Return the distinct keys of a source with its own filters, as a piece."""
    (piece,), _ = split(tree, [scan])
    return _distinct(piece, columns)


def _block(holder: RoutedFragment, block: str, sources: Sequence[str]) -> RoutedFragment:
    """Return a block with all below it as a fragment of a store that holds its sources."""
    coverage = replace(
        holder.fragment.coverage, kind=Capability.BLOCK, block=block, sources=tuple(sources)
    )
    return replace(
        holder, fragment=replace(holder.fragment, coverage=coverage, reduction=Reduction())
    )


def _distinct(piece: Piece, columns: Sequence[str]) -> Piece:
    """Return the distinct values of some columns of a piece."""
    keys = (exp.alias_(exp.column(c, table="s", quoted=True), c, quoted=True) for c in columns)
    rows = exp.Subquery(this=piece.expression, alias=exp.TableAlias(this=exp.to_identifier("s")))
    return replace(piece, expression=exp.select(*keys).distinct().from_(rows))
