"""Canonical queries as footprints."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from sqlglot import exp

from workloads.catalog import Catalog
from workloads.footprint import (
    Aggregation,
    Block,
    Filter,
    Footprint,
    Join,
    JoinKind,
    Output,
    SetOperator,
    Source,
)
from workloads.sql.blocks.aggregation import aggregation_of
from workloads.sql.blocks.outputs import (
    computations_of,
    select_output,
    set_output,
)
from workloads.sql.blocks.pushdown import plainly_read, pushed_through_select, pushed_through_set
from workloads.sql.canonical.rules import canonical
from workloads.sql.features import block_features, condition_features
from workloads.sql.parsing.door import through_door
from workloads.sql.trees.predicates import (
    carried_column,
    conjuncts,
    filter_of,
    join_of,
    merged_joins,
)
from workloads.sql.trees.tree import Node, Occurrence, QueryTree
from workloads.sql.typing.days import days_in
from workloads.sql.typing.types import Types, typed_in
from workloads.workload import Query

ALONE = frozenset({"*"})
"""`Source.needs` of a source that no fragment may join: no alias is called so."""

_KINDS: Mapping[str, JoinKind] = {
    "LEFT": "left",
    "RIGHT": "right",
    "FULL": "full",
    "SEMI": "semi",
    "ANTI": "anti",
}


@through_door
def footprint(query: Query, catalog: Catalog, dialect: str) -> Footprint:
    """Return what `query` touches.

    Raises:
        SqlError: As `workloads.sql.canonical.rules.canonical`.
    """
    tree = QueryTree(canonical(query, catalog, dialect))
    occurrences = tree.occurrences()
    read: dict[str, list[Occurrence]] = defaultdict(list)
    for found in occurrences:
        read[found.home.name].append(found)
    closed, plain = tree.closed(occurrences), plainly_read(tree)
    types = Types(tree, typed_in(catalog), days_in(catalog))
    features = block_features(tree, types, occurrences)
    blocks = tuple(
        _block(
            tree,
            node,
            read[node.name],
            closed=node.name in closed,
            plain=node.name in plain,
            features=features[node.name],
            types=types,
            catalog=catalog,
        )
        for node in tree.nodes.values()
    )
    return Footprint(query=query.name, executions=query.executions, blocks=blocks)


def is_rigid(node: Node) -> bool:
    """Whether the block has a join that is neither inner nor left: nothing in it may be moved."""
    return bool(node.expression.args.get("laterals")) or any(
        join.side not in ("", "LEFT")
        or join.kind in ("SEMI", "ANTI", "FULL")
        or join.method in ("ASOF", "POSITIONAL")
        or not isinstance(join.this, (exp.Table, exp.Subquery))
        for join in node.joins
    )


def preserved(node: Node) -> dict[str, frozenset[str]]:
    """Return alias → the aliases that its LEFT JOIN's condition refers to beside itself."""
    needs: dict[str, frozenset[str]] = {}
    for join in node.joins:
        if join.side == "LEFT":
            alias = join.this.alias_or_name
            condition = join.args.get("on")
            columns = condition.find_all(exp.Column) if condition else ()
            needs[alias] = frozenset(c.table for c in columns if c.table != alias) or ALONE
    return needs


def inner_conjuncts(node: Node) -> list[exp.Expr]:
    """Return the conjuncts of WHERE and of inner joins' ON."""
    where = node.expression.args.get("where")
    found = conjuncts(where.this if where else None)
    for join in node.joins:
        if _join_kind(join) == "inner":
            found += conjuncts(join.args.get("on"))
    return found


def _is_true(conjunct: exp.Expr) -> bool:
    return isinstance(conjunct, exp.Boolean) and bool(conjunct.this)


def _join_kind(join: exp.Join) -> JoinKind:
    return _KINDS.get(join.kind) or _KINDS.get(join.side, "inner")


def _block(
    tree: QueryTree,
    node: Node,
    read: Sequence[Occurrence],
    *,
    closed: bool,
    plain: bool,
    features: frozenset[str],
    types: Types,
    catalog: Catalog,
) -> Block:
    expression = node.expression
    is_set = isinstance(expression, exp.SetOperation)
    computations = [] if is_set else computations_of(expression)
    needs = {} if is_set else preserved(node)
    rigid = not is_set and is_rigid(node)
    needed: dict[str, set[str]] = defaultdict(set)
    for found in read:
        needed[found.column.table].add(found.column.name)
    aggregation = None if is_set else _aggregation(node, read, features, types)
    added = {} if is_set else _outer_conditions(node, types)
    joins, filters = ((), ()) if is_set else _conditions(node)  # This consumes the conditions.
    sources = tuple(
        Source(
            block=node.name,
            alias=alias,
            table=catalog.spelled(table),
            columns=tuple(sorted(needed.get(alias, ()))),
            needs=ALONE if rigid else needs.get(alias, frozenset()),
            condition_features=added.get(alias, frozenset()),
        )
        for alias, table in node.tables.items()
    )
    anchors = {alias: _first_operand(tree, cte) for alias, cte in node.recursive.items()}
    output = set_output(tree, node) if is_set else select_output(node, computations, catalog)
    if plain and not rigid:
        output = _with_pushdowns(node, output, computations, features, needs)
    return Block(
        name=node.name,
        kind="set" if is_set else "select",
        role=node.role,
        children=tuple(node.children),
        closed=closed,
        sources=sources,
        inputs={**node.inputs, **anchors},
        filters=filters,
        joins=joins,
        output=output,
        features=features,
        set_operator=_set_operator(expression),
        compared=tuple(carried_column(side) for side in node.compared),
        recursive=dict(node.recursive),
        aggregation=aggregation,
        outer_inputs=frozenset(alias for alias in node.inputs if alias in needs),
    )


def _with_pushdowns(
    node: Node,
    output: Output,
    computations: Sequence[exp.Expr],
    features: frozenset[str],
    nullable: Collection[str],
) -> Output:
    """Return a block's output with the columns that filters of its columns may be pushed to."""
    if isinstance(node.expression, exp.SetOperation):
        pushed = [pushed_through_set(node, column) for column in output.columns]
    else:
        pushed = [
            pushed_through_select(
                node,
                output,
                column,
                computations=computations,
                features=features,
                nullable=nullable,
            )
            for column in output.columns
        ]
    columns = zip(output.columns, pushed, strict=True)
    return replace(output, columns=tuple(replace(each, pushdown=to) for each, to in columns))


def _aggregation(
    node: Node, read: Sequence[Occurrence], features: frozenset[str], types: Types
) -> Aggregation | None:
    conditions = [(each, frozenset[str]()) for each in inner_conjuncts(node)]
    for join in node.joins:
        if _join_kind(join) != "inner":
            added = frozenset({join.this.alias_or_name})
            conditions += [(each, added) for each in conjuncts(join.args.get("on"))]
    return aggregation_of(node, read, conditions, features, types)


def _outer_conditions(node: Node, types: Types) -> dict[str, frozenset[str]]:
    """Return alias → the features of the condition of the LEFT JOIN that adds it."""
    return {
        join.this.alias_or_name: condition_features(join.args.get("on"), types.of)
        for join in node.joins
        if join.side == "LEFT"
    }


def _first_operand(tree: QueryTree, name: str) -> str:
    while isinstance(tree.nodes[name].expression, exp.SetOperation):
        name = tree.operands(name)[0]
    return name


def _set_operator(expression: exp.Query) -> SetOperator | None:
    if isinstance(expression, exp.Union):
        return "union" if expression.args.get("distinct") else "union all"
    if isinstance(expression, exp.Intersect):
        return "intersect"
    return "except" if isinstance(expression, exp.Except) else None


def _conditions(node: Node) -> tuple[tuple[Join, ...], tuple[Filter, ...]]:
    joins: list[Join] = []
    filters: list[Filter] = []
    for conjunct in inner_conjuncts(node):
        join = join_of(conjunct)
        if join is not None:
            joins.append(join)
        elif not _is_true(conjunct):
            merges = merged_joins(conjunct)
            filters.append(replace(filter_of(conjunct), merges=merges))
    for outer in node.joins:
        kind = _join_kind(outer)
        if kind == "inner":
            continue
        for conjunct in conjuncts(outer.args.get("on")):
            join = _added(join_of(conjunct, kind), outer.this.alias_or_name)
            if join is not None:
                joins.append(join)
            elif not _is_true(conjunct):
                merges = merged_joins(conjunct, kind)
                filters.append(replace(filter_of(conjunct), outer=True, merges=merges))
    return tuple(joins), tuple(filters)


def _added(join: Join | None, alias: str) -> Join | None:
    """Return `join` with the relation that it adds on the right; None if that is not in it."""
    if join is None or alias not in (join.left[0], join.right[0]):
        return None
    if join.left[0] == alias:
        return replace(join, left=join.right, right=join.left)
    return join
