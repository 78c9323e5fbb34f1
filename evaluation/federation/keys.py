"""Keys sent along with a fragment: which, where they come from, and the SQL that takes them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

from sqlglot import exp

from evaluation.federation.split import Piece, split, view_column
from placement.plan import RoutedFragment
from placement.reductions import compare_alike
from placement.stores import Capability
from workloads.catalog import Catalog
from workloads.footprint import ColumnRef
from workloads.semi_joins import SemiJoin
from workloads.sql.footprints import inner_conjuncts
from workloads.sql.outputs import types_of
from workloads.sql.tree import QueryTree

MOST_FETCHED_ROWS = 50_000
"""A fragment that is predicted to have more rows is not fetched first for the keys in it."""
MOST_SENT = 50_000
"""Keys of which more are not sent: the fragment is then fetched as it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeySource:
    """Where the keys of a reducing source are: a column of a fragment's view, or their own SQL.

    `sql` is None where the fragment `view`, which is in `store`, is small and fetched first.
    """

    view: str
    column: str
    store: str
    sql: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyFilter:
    """A column of a fragment's rows, quoted for its store, that only certain keys may be in."""

    quoted: str
    source: KeySource


def key_filters(
    tree: exp.Query,
    routing: Sequence[RoutedFragment],
    target: RoutedFragment,
    *,
    inherited: Sequence[SemiJoin],
    catalog: Catalog,
    dialect: str,
    written: Callable[[Piece], str],
) -> tuple[KeyFilter, ...]:
    """Return the filters of a fragment with reducers.

    `tree` is the canonical query over `catalog`, consumed; `inherited` are the semi-joins that the
    fragment's block inherits; `written` writes a piece in its store's dialect.
    """
    block = target.fragment.block
    own = {source.partition(".")[2] for source in target.fragment.sources}
    views = {
        source: number for number, each in enumerate(routing) for source in each.fragment.sources
    }
    found: dict[tuple[str, str], KeyFilter] = {}
    for mine, name, key in (
        *_equalities(tree, block, own, catalog),
        *_from_above(inherited, own, catalog),
    ):
        if name not in target.fragment.reducers:
            continue
        holder = routing[views[name]]
        column = view_column(name.partition(".")[2], key)
        source = KeySource(view=f"fragment_{views[name]}", column=column, store=holder.store)
        if holder.fragment.reducers or holder.fragment.rows_out > MOST_FETCHED_ROWS:
            alone = _alone(tree.copy(), holder, name, column)
            source = replace(source, sql=written(alone))
        filtered = view_column(*mine)
        quoted = exp.to_identifier(filtered, quoted=True).sql(dialect)
        found[quoted, name] = KeyFilter(quoted=quoted, source=source)
    return tuple(found.values())


def restricted(sql: str, filters: Sequence[tuple[str, Sequence[object]]]) -> str:
    """Return a fragment's SQL with only the rows whose columns hold one of the values.

    `filters` are quoted columns with integers or dates. No value lets no row through.
    """
    conditions = [
        f"k.{quoted} IN ({', '.join(map(_literal, values))})" if values else "1 = 0"
        for quoted, values in filters
    ]
    rows = f"SELECT k.* FROM ({sql}) k"  # noqa: S608 - written by us; values are numbers and dates
    return f"{rows} WHERE {' AND '.join(conditions)}"


def _literal(value: object) -> str:
    if isinstance(value, date):
        return f"DATE '{value.isoformat()}'"
    if isinstance(value, int):
        return str(value)
    raise TypeError(f"a key of type {type(value).__name__} cannot be sent")


def _equalities(
    tree: exp.Query, block: str, own: set[str], catalog: Catalog
) -> Iterator[tuple[ColumnRef, str, str]]:
    """Yield what inner joins of the block compare: a column of `own` sources, a source, its column.

    Sources that are joined by keys may be joined by text as well, which is not sent.
    """
    node = QueryTree(tree).nodes[block]
    type_of = types_of(node, catalog)
    for conjunct in inner_conjuncts(node):
        ends = conjunct.unnest_operands() if isinstance(conjunct, exp.EQ) else ()
        match ends:
            case (exp.Column() as left, exp.Column() as right):
                if not compare_alike([type_of(left) or "", type_of(right) or ""]):
                    continue
                if left.table in own and right.table not in own:
                    yield (left.table, left.name), f"{block}.{right.table}", right.name
                elif right.table in own and left.table not in own:
                    yield (right.table, right.name), f"{block}.{left.table}", left.name


def _from_above(
    inherited: Sequence[SemiJoin], own: set[str], catalog: Catalog
) -> Iterator[tuple[ColumnRef, str, str]]:
    """Yield what sources above have to hold: a column of `own` sources, a source, its column."""
    for each in inherited:
        source, key = each.key
        types = [catalog.table(one.table).type_of(name) for one, name in each.beside]
        if each.column[0] in own and compare_alike(types):
            yield each.column, source.name, key


def _alone(tree: exp.Query, holder: RoutedFragment, source: str, column: str) -> Piece:
    """Return the distinct keys of a source with its own filters, as a piece."""
    scan = replace(
        holder.fragment,
        kind=Capability.SCAN,
        sources=(source,),
        reducers=(),
        keys=0.0,
        preaggregated=False,
    )
    (piece,), _ = split(tree, [replace(holder, fragment=scan)])
    keys = exp.column(column, table="s", quoted=True)
    rows = exp.Subquery(this=piece.expression, alias=exp.TableAlias(this=exp.to_identifier("s")))
    distinct = exp.select(exp.alias_(keys, column, quoted=True)).distinct().from_(rows)
    return replace(piece, expression=distinct)
