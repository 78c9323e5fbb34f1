"""Keys sent along with a fragment: which, and where they come from."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from evaluation.federation.key_comparisons import comparisons, from_above
from evaluation.federation.split import Piece, split, view_column
from placement.fragment import Reduction
from placement.plan import RoutedFragment
from placement.stores import Capability
from workloads.catalog import Catalog
from workloads.footprint import ColumnRef
from workloads.semi_joins import SemiJoin
from workloads.sql.trees.tree import QueryTree

MOST_FETCHED_ROWS = 50_000
"""A fragment that is predicted to have more rows is not fetched first for the keys in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeySource:
    """The keys of a reducing source: a column of a fragment's view, or SQL of their own.

    `sql` is None where the fragment `view`, which is in `store`, is small and fetched first. Their
    own SQL, whose first column they are, is restricted to `keys` in turn. `is_day`
    tells that they are dates.
    """

    view: str
    column: str
    store: str
    sql: str | None = None
    is_day: bool = False
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
    inherited: Sequence[SemiJoin],
    catalog: Catalog,
    dialects: Mapping[str, str],
    written: Callable[[Piece], str],
) -> tuple[KeyFilter, ...]:
    """Return the filters of a fragment with reducers.

    `tree` is the canonical query over `catalog`, consumed; `inherited` are the semi-joins that the
    fragment's block inherits; `dialects` are those of the stores and `written` writes a piece in
    its store's.
    """
    keys = _Keys(tree, routing, target, catalog=catalog, dialects=dialects, written=written)
    return keys.filters(inherited)


class _Keys:
    """The filters by keys for one fragment, and for what its keys come from."""

    def __init__(
        self,
        tree: exp.Query,
        routing: Sequence[RoutedFragment],
        target: RoutedFragment,
        *,
        catalog: Catalog,
        dialects: Mapping[str, str],
        written: Callable[[Piece], str],
    ) -> None:
        self._tree = tree
        self._nodes = QueryTree(tree).nodes
        self._target = target
        self._routing = routing
        self._catalog = catalog
        self._dialects = dialects
        self._written = written
        # Sources that reduce the target: those that it is compared with, and what reduces these.
        self._near: set[str] = set()
        self._behind: set[str] = set()
        self._holders = {
            source: number
            for number, each in enumerate(routing)
            for source in each.fragment.sources
        }

    def filters(self, inherited: Sequence[SemiJoin]) -> tuple[KeyFilter, ...]:
        """Return the filters of the fragment by what reduces it, in its block and above."""
        target = self._target.fragment
        reducers, block = target.reduction.reducers, target.coverage.block
        derived, beside = self._compared(self._target, reducers)
        found = [*derived]
        self._near = {f"{block}.{alias}" for _, _, (alias, _) in beside}
        self._behind = {each for each in reducers if each in self._holders} - self._near
        for mine, operator, (alias, column) in beside:
            found.append((mine, operator, self._keys(f"{block}.{alias}", column)))
        for mine, source, column in from_above(inherited, _aliases(self._target), self._catalog):
            if source in reducers:
                found.append((mine, "IN", self._keys(source, column, above=True)))
        return self._filters(found, self._target.store)

    def _compared(
        self, routed: RoutedFragment, reducers: Collection[str]
    ) -> tuple[list[tuple[ColumnRef, str, KeySource]], list[tuple[ColumnRef, str, ColumnRef]]]:
        """Return what a fragment's columns are compared with: values of derived tables, sources."""
        block = routed.fragment.coverage.block
        node = self._nodes[block]
        derived, others = [], []
        for mine, operator, theirs in comparisons(node, _aliases(routed), self._catalog):
            if f"{block}.{theirs[0]}" not in reducers:
                continue
            if theirs[0] in node.tables:
                others.append((mine, operator, theirs))
            elif (values := self._values(node.inputs[theirs[0]], theirs[1])) is not None:
                derived.append((mine, operator, values))
        return derived, others

    def _filters(
        self, compared: Sequence[tuple[ColumnRef, str, KeySource]], store: str
    ) -> tuple[KeyFilter, ...]:
        found: dict[KeyFilter, None] = {}
        for mine, operator, source in compared:
            column = view_column(*mine)
            quoted = exp.to_identifier(column, quoted=True).sql(self._dialects[store])
            found[KeyFilter(column=column, quoted=quoted, source=source, operator=operator)] = None
        return tuple(found)

    def _values(self, block: str, column: str) -> KeySource | None:
        """Return where the values of a derived table are; None if no store runs it as a whole."""
        for number, each in enumerate(self._routing):
            whole = each.fragment.kind is Capability.BLOCK and each.fragment.coverage.block == block
            if whole and not each.fragment.reduction.reducers:
                return KeySource(view=f"fragment_{number}", column=column, store=each.store)
        return None

    def _keys(self, source: str, column: str, *, above: bool = False) -> KeySource:
        """Return where the keys of a source are, which may be of a block above."""
        number = self._holders[source]
        holder = self._routing[number]
        name = view_column(source.partition(".")[2], column)
        found = KeySource(view=f"fragment_{number}", column=name, store=holder.store)
        # What other sources reduce may wait for the very fragment that waits for these keys.
        waits = any(each in self._holders for each in holder.fragment.reduction.reducers)
        scan = _scan(holder, source)
        reducers = {*self._target.fragment.reduction.reducers, *holder.fragment.reduction.reducers}
        restricting, beside = self._compared(scan, reducers)
        behind = self._behind - {source, *holder.fragment.sources} if source in self._near else ()
        for mine, operator, (alias, theirs) in beside:
            other = f"{scan.fragment.coverage.block}.{alias}"
            if other in behind:
                restricting.append((mine, operator, self._keys(other, theirs)))
                waits = True
        few = not waits and holder.fragment.work.rows_out <= MOST_FETCHED_ROWS
        if few and (not above or self._hands_out(holder, name)):
            return found
        read = (view_column(*mine) for mine, _, _ in restricting)
        alone = _alone(self._tree.copy(), scan, list(dict.fromkeys([name, *read])))
        keys = self._filters(restricting, holder.store)
        is_day = self._is_day(source, column)
        return replace(found, sql=self._written(alone), keys=keys, is_day=is_day)

    def _is_day(self, source: str, column: str) -> bool:
        block, _, alias = source.partition(".")
        table = self._nodes[block].tables.get(alias)
        if table is None:
            return False
        return self._catalog.table(self._catalog.spelled(table)).type_of(column) == "DATE"

    def _hands_out(self, holder: RoutedFragment, name: str) -> bool:
        """Whether a fragment's view has a column that it may need for its own joins alone."""
        (piece,), _ = split(self._tree.copy(), [holder])
        return name in piece.expression.named_selects


def _aliases(routed: RoutedFragment) -> frozenset[str]:
    return frozenset(source.partition(".")[2] for source in routed.fragment.sources)


def _scan(holder: RoutedFragment, source: str) -> RoutedFragment:
    """Return the fragment of one source alone, in the store of another that holds it."""
    coverage = replace(holder.fragment.coverage, kind=Capability.SCAN, sources=(source,))
    return replace(
        holder, fragment=replace(holder.fragment, coverage=coverage, reduction=Reduction())
    )


def _alone(tree: exp.Query, scan: RoutedFragment, columns: Sequence[str]) -> Piece:
    """Return the distinct keys of a source with its own filters, as a piece."""
    (piece,), _ = split(tree, [scan])
    keys = (exp.alias_(exp.column(c, table="s", quoted=True), c, quoted=True) for c in columns)
    rows = exp.Subquery(this=piece.expression, alias=exp.TableAlias(this=exp.to_identifier("s")))
    return replace(piece, expression=exp.select(*keys).distinct().from_(rows))
