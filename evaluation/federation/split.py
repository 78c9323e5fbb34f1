"""Cut a canonical query along its routing: fragments for the stores, the rest for the engine."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from sqlglot import exp

from evaluation.federation.preaggregation import grouped, take_aggregates
from evaluation.federation.pushed_filters import take_filters
from evaluation.federation.rewrites.unique_outputs import short_name, unique_names, unique_outputs
from placement.plan import RoutedFragment
from placement.stores import Capability
from workloads.sql.blocks.aggregation import counts_equal_rows_once
from workloads.sql.canonical.rules import drop_unread_ctes
from workloads.sql.footprints import inner_conjuncts, is_rigid, preserved
from workloads.sql.trees.column_names import source_column
from workloads.sql.trees.copies import copied
from workloads.sql.trees.tree import Node, QueryTree

NOTHING: Mapping[str, frozenset[str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One routed fragment as syntax: `view` is the name under which the engine sees its rows."""

    view: str
    routed: RoutedFragment
    expression: exp.Query


def split(
    expression: exp.Query,
    routing: Sequence[RoutedFragment],
    lacks: Mapping[str, frozenset[str]] = NOTHING,
) -> tuple[tuple[Piece, ...], exp.Query | None]:
    """Return the pieces of a query and the query that combines their views.

    `expression` is consumed. The combining query is None where one piece is the whole query.
    Block fragments are cut before join fragments, so that what is nested in a block leaves
    with it. `lacks` maps a store to the features that no filter sent to it may have.
    """
    if len(routing) == 1 and routing[0].fragment.kind is Capability.QUERY:
        return (Piece(view="fragment_0", routed=routing[0], expression=expression),), None
    tree = QueryTree(expression)
    views = {id(routed): f"fragment_{index}" for index, routed in enumerate(routing)}
    blocks = [routed for routed in routing if routed.fragment.kind is Capability.BLOCK]
    parts = [routed for routed in routing if routed.fragment.kind is not Capability.BLOCK]
    pieces = [_cut_block(tree, views[id(routed)], routed) for routed in blocks]
    by_block: dict[str, list[RoutedFragment]] = {}
    for routed in parts:
        by_block.setdefault(routed.fragment.coverage.block, []).append(routed)
    for name, in_block in by_block.items():
        pieces += _cut_joins(
            tree, tree.nodes[name], [(views[id(routed)], routed) for routed in in_block], lacks
        )
    return tuple(pieces), drop_unread_ctes(tree.expression)


def _cut_block(tree: QueryTree, view: str, routed: RoutedFragment) -> Piece:
    """Replace a block by a selection from `view`, and give the block the CTEs that it reads."""
    node = tree.nodes[routed.fragment.coverage.block]
    whole = node.expression
    names = [projection.alias_or_name for projection in whole.selects]
    alone = copied(whole)
    needed = [tree.nodes[name] for name in tree.below(node.name)]
    definitions = [
        copied(cte)
        for cte in tree.expression.find_all(exp.CTE, bfs=False)
        if any(cte.this is other.expression for other in needed) and cte.this is not whole
    ]
    own = {cte.alias for cte in alone.find_all(exp.CTE)}
    outer = [cte for cte in definitions if cte.alias not in own]
    if outer:
        inner_with = alone.args.get("with_")
        inner = list(inner_with.expressions) if inner_with else []
        alone.set("with_", exp.With(expressions=[*outer, *inner]))
    whole.replace(_selection(names, view))
    return Piece(view=view, routed=routed, expression=unique_outputs(drop_unread_ctes(alone)))


def _selection(names: Sequence[str], view: str) -> exp.Select:
    """Return the columns of a view, whose names are unique, under their own."""
    outputs: list[exp.Expr] = []
    for name, unique in zip(names, unique_names(names), strict=True):
        column = exp.column(unique, table=view, quoted=True)
        outputs.append(column if unique == name else exp.alias_(column, name, quoted=True))
    return exp.select(*outputs).from_(exp.to_table(view))


def _cut_joins(
    tree: QueryTree,
    node: Node,
    routed: Sequence[tuple[str, RoutedFragment]],
    lacks: Mapping[str, frozenset[str]],
) -> list[Piece]:
    """Replace sources of one block by views of their joins."""
    if is_rigid(node):
        return [_cut_in_place(tree, node, view, one) for view, one in routed]
    _conditions_to_where(node)
    pieces = []
    owned = _columns_of(tree, node)
    for view, one in routed:
        aliases = [source.partition(".")[2] for source in one.fragment.sources]
        refused = lacks.get(one.store, frozenset())
        pieces.append(_cut_join(node, view, one, aliases, owned, refused=refused))
    return pieces


def _columns_of(tree: QueryTree, node: Node) -> list[exp.Column]:
    return [
        column
        for column in tree.expression.find_all(exp.Column)
        if (home := tree.home(column)) is not None and home.name == node.name
    ]


def _conditions_to_where(node: Node) -> None:
    """Move the conditions of inner joins to WHERE: the order of joins becomes free."""
    parts = inner_conjuncts(node)
    for join in node.joins:
        if join.side == "":
            join.set("on", None)
            join.set("kind", "CROSS")
    node.expression.set("where", exp.Where(this=exp.and_(*parts, copy=False)) if parts else None)


def _cut_in_place(tree: QueryTree, node: Node, view: str, routed: RoutedFragment) -> Piece:
    """Replace one source of a block whose joins may not be moved; no filter goes with it."""
    (alias,) = (source.partition(".")[2] for source in routed.fragment.sources)
    relation = node.relations[alias]
    columns = sorted({c.name for c in _columns_of(tree, node) if c.table == alias})
    piece = exp.select(*_projections([(alias, name) for name in columns], rename=False))
    piece = piece.from_(relation.copy())
    relation.replace(exp.alias_(exp.to_table(view), alias, table=True))
    return Piece(view=view, routed=routed, expression=piece)


def _cut_join(
    node: Node,
    view: str,
    routed: RoutedFragment,
    aliases: Sequence[str],
    owned: Sequence[exp.Column],
    *,
    refused: frozenset[str],
) -> Piece:
    members = set(aliases)
    nullable = preserved(node)
    pushed = take_filters(node, members, nullable, refused)
    where = exp.Where(this=exp.and_(*pushed, copy=False)) if pushed else None
    inner = [alias for alias in aliases if alias not in nullable or len(members) == 1]
    relations = [node.relations[alias].copy() for alias in inner]
    outer = [
        join.copy()
        for join in node.joins
        if join.side == "LEFT" and join.this.alias_or_name in members and len(members) > 1
    ]
    _replace_relations(node, view, members)
    is_grouped = routed.fragment.reduction.preaggregated
    partials = take_aggregates(node.expression, view, node.inputs) if is_grouped else []
    live = [column for column in owned if column.table in members and _attached(column, node)]
    needed = sorted({(column.table, column.name) for column in live})
    projections = _projections(needed, rename=True) if needed or not partials else []
    piece = exp.select(*projections).from_(relations[0])
    for relation in relations[1:]:
        piece = piece.join(relation, join_type="CROSS", copy=False)
    for join in outer:
        piece.append("joins", join)
    piece.set("where", where)
    if partials or (is_grouped and counts_equal_rows_once(node.expression)):
        grouped(piece, [exp.column(name, table=alias) for alias, name in needed], partials)
    for column in live:
        read = exp.column(view_column(column.table, column.name), table=view)
        read.type = column.type
        column.replace(read)
    return Piece(view=view, routed=routed, expression=piece)


def view_column(alias: str, name: str) -> str:
    """Return the name of a source's column in a view, within PostgreSQL's 63 characters."""
    return short_name(source_column(alias, name))


def _attached(column: exp.Column, node: Node) -> bool:
    """Whether the column is still below the block: its conjunct may have left with a piece."""
    current: exp.Expr | None = column
    while current is not None:
        if current is node.expression:
            return True
        current = current.parent
    return False


def _projections(columns: Sequence[tuple[str, str]], *, rename: bool) -> list[exp.Expr]:
    if not columns:
        return [exp.alias_(exp.Literal.number(1), "one")]
    return [
        exp.alias_(exp.column(name, table=alias), view_column(alias, name) if rename else name)
        for alias, name in columns
    ]


def _replace_relations(node: Node, view: str, members: set[str]) -> None:
    """Put `view` where the first of `members` stood and drop the others."""
    expression = node.expression
    from_ = expression.args["from_"]
    placed = False
    if from_.this.alias_or_name in members:
        from_.set("this", exp.to_table(view))
        placed = True
    remaining = []
    for join in node.joins:
        if join.this.alias_or_name not in members:
            remaining.append(join)
        elif placed:
            join.pop()
        else:
            join.set("this", exp.to_table(view))
            remaining.append(join)
            placed = True
    expression.set("joins", remaining)


def view_reads(combining: exp.Query) -> dict[str, int]:
    """Return how often each view is read when every reader of a CTE reads it anew."""
    tree = QueryTree(combining)
    times = {tree.root.name: 1}

    def count(name: str) -> int:
        if name not in times:
            times[name] = sum(
                count(other.name) * (other.reads.count(name) or 1)
                for other in tree.nodes.values()
                if name in other.children
            )
        return times[name]

    reads: dict[str, int] = {}
    for node in tree.nodes.values():
        for view in node.tables.values():
            reads[view] = reads.get(view, 0) + count(node.name)
    return reads
