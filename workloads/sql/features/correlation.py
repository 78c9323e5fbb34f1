"""Correlated blocks: those that refer to the blocks around them, and how."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from sqlglot import exp

from workloads.sql.trees.predicates import conjuncts
from workloads.sql.trees.tree import Node, Occurrence, QueryTree
from workloads.sql.typing.types import Types

_SHAPED = ("group", "having", "distinct", "qualify", "limit", "offset", "laterals", "windows")


def correlation_features(
    tree: QueryTree, types: Types, occurrences: Sequence[Occurrence]
) -> Mapping[str, frozenset[str]]:
    """Return block → the features of its references to blocks around it."""
    found: dict[str, set[str]] = defaultdict(set)
    referring: dict[str, list[Occurrence]] = defaultdict(list)
    for each in occurrences:
        if each.block is each.home:
            continue
        path = _between(tree, each)
        referring[each.block.name].append(each)
        if len(path) > 1:
            found[each.block.name].add("nested_correlation")
        for node in path:
            if node.expression.args.get("limit") or node.expression.args.get("offset"):
                found[node.name].add("correlated_limit")
    for name, outward in referring.items():
        if not _is_plain(tree.nodes[name], outward, types):
            found[name].add("correlated_block")
    return {name: frozenset(features) for name, features in found.items()}


def _between(tree: QueryTree, occurrence: Occurrence) -> list[Node]:
    """Return the blocks from the one in which a column stands up to the one that it belongs to."""
    path: list[Node] = []
    node: Node | None = occurrence.block
    while node is not None and node is not occurrence.home:
        path.append(node)
        node = tree.nodes[node.parent] if node.parent is not None else None
    return path


def _is_plain(node: Node, outward: Sequence[Occurrence], types: Types) -> bool:
    """Whether Spark makes a join of a correlated subquery: a filter's, or one aggregate's."""
    select = node.expression
    if not isinstance(select, exp.Select) or any(select.args.get(key) for key in _SHAPED):
        return False
    where = select.args.get("where")
    parts = conjuncts(where.this if where else None)
    outer = {id(each.column): each for each in outward}
    holding = [[c for c in part.find_all(exp.Column) if id(c) in outer] for part in parts]
    if sum(map(len, holding)) != len(outer):
        return False
    if node.role in ("semi", "anti"):
        return not any(each.find(exp.AggFunc, exp.Window) for each in select.selects)
    if node.role != "scalar" or not all(each.find(exp.AggFunc) for each in select.selects):
        return False
    return all(
        not columns or _is_equality(part, types)
        for part, columns in zip(parts, holding, strict=True)
    )


def _is_equality(part: exp.Expr, types: Types) -> bool:
    if not isinstance(part, exp.EQ):
        return False
    left, right = part.left.unnest(), part.right.unnest()
    columns = isinstance(left, exp.Column) and isinstance(right, exp.Column)
    return columns and types.of(left) == types.of(right)
