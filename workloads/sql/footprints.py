"""Canonical queries as footprints."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace

from sqlglot import exp

from workloads.catalog import Catalog
from workloads.footprint import (
    Block,
    ColumnRef,
    Filter,
    Footprint,
    Join,
    Output,
    OutputColumn,
    Source,
)
from workloads.sql.canonical import canonical
from workloads.sql.predicates import columns_of, conjuncts, filter_of, join_of
from workloads.sql.tree import Node, QueryTree
from workloads.workload import Query

DEFAULT_WIDTH_BYTES = 8.0
"""Width of a computed column: a number."""

ALONE = frozenset({"*"})
"""`Source.needs` of a source that no fragment may join: no alias is called so."""

_SET_OPERATORS = {exp.Union: "union", exp.Intersect: "intersect", exp.Except: "except"}


def footprint(query: Query, catalog: Catalog, dialect: str) -> Footprint:
    """Return what `query` touches.

    Raises:
        SqlError: As `workloads.sql.canonical.canonical`.
    """
    tree = QueryTree(canonical(query, catalog, dialect))
    needed = _needed_columns(tree)
    blocks = tuple(_block(tree, node, needed, catalog) for node in tree.nodes.values())
    return Footprint(query=query.name, executions=query.executions, blocks=blocks)


def is_rigid(node: Node) -> bool:
    """Whether the block has a join that is neither inner nor left: nothing in it may be moved."""
    return any(
        join.side not in ("", "LEFT")
        or join.kind in ("SEMI", "ANTI", "FULL")
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
        if join.side == "":
            found += conjuncts(join.args.get("on"))
    return found


def _block(
    tree: QueryTree, node: Node, needed: Mapping[str, Mapping[str, set[str]]], catalog: Catalog
) -> Block:
    expression = node.expression
    operator = None
    if isinstance(expression, exp.SetOperation):
        operator = _SET_OPERATORS[type(expression)]
        if operator == "union" and not expression.args.get("distinct"):
            operator = "union all"
        joins: tuple[Join, ...] = ()
        filters: tuple[Filter, ...] = ()
    else:
        joins, filters = _conditions(node)
    needs = preserved(node) if operator is None else {}
    rigid = operator is None and is_rigid(node)
    sources = tuple(
        Source(
            block=node.name,
            alias=alias,
            table=catalog.spelled(table),
            columns=tuple(sorted(needed[node.name].get(alias, ()))),
            needs=ALONE if rigid else needs.get(alias, frozenset()),
        )
        for alias, table in node.tables.items()
    )
    return Block(
        name=node.name,
        kind="select" if operator is None else "set",
        role=node.role,
        children=tuple(node.children),
        closed=tree.closed(node.name),
        sources=sources,
        inputs=dict(node.inputs),
        filters=filters,
        joins=joins,
        output=_output(node, catalog),
        features=_features(node),
        set_operator=operator,  # type: ignore[arg-type]
    )


def _conditions(node: Node) -> tuple[tuple[Join, ...], tuple[Filter, ...]]:
    joins: list[Join] = []
    filters: list[Filter] = []
    for conjunct in inner_conjuncts(node):
        join = join_of(conjunct)
        if join is not None:
            joins.append(join)
        else:
            filters.append(filter_of(conjunct))
    for outer in node.joins:
        kind = {"LEFT": "left", "RIGHT": "right", "FULL": "full"}.get(outer.side)
        if kind is None:
            continue
        for conjunct in conjuncts(outer.args.get("on")):
            join = join_of(conjunct, kind)
            if join is not None:
                joins.append(join)
            else:
                filters.append(replace(filter_of(conjunct), outer=True))
    return tuple(joins), tuple(filters)


def _needed_columns(tree: QueryTree) -> dict[str, dict[str, set[str]]]:
    needed: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for column in tree.expression.find_all(exp.Column):
        home = tree.home(column)
        if home is not None:
            needed[home.name][column.table].add(column.name)
    return needed


def _output(node: Node, catalog: Catalog) -> Output:
    expression = node.expression
    selects = expression.selects
    width = sum((_width(node, projection, catalog) for projection in selects), 0.0)
    limit = expression.args.get("limit")
    limit_rows = None
    if limit is not None and isinstance(limit.expression, exp.Literal):
        limit_rows = int(limit.expression.this)
    if isinstance(expression, exp.SetOperation):
        first = node.children[0] if node.children else node.name
        handed_on = tuple(
            OutputColumn(name=select.alias_or_name, origin=(first, select.alias_or_name))
            for select in selects
        )
        return Output(columns=handed_on, width_bytes=width, limit=limit_rows)
    group_by, sets = _grouping(node)
    return Output(
        columns=tuple(_output_column(select) for select in selects),
        width_bytes=width,
        group_by=group_by,
        grouping_sets=sets,
        having=tuple(_having(expression)),
        distinct=expression.args.get("distinct") is not None,
        limit=limit_rows,
    )


def _output_column(projection: exp.Expr) -> OutputColumn:
    inner = projection.unalias().unnest()
    reads = columns_of(inner)
    origin = reads[0] if isinstance(inner, exp.Column) and reads else None
    return OutputColumn(name=projection.alias_or_name, origin=origin, reads=reads)


def _having(select: exp.Query) -> Iterator[Filter]:
    """Yield the conjuncts of HAVING, with the aggregate that each compares to a constant."""
    having = select.args.get("having")
    for conjunct in conjuncts(having.this if having else None):
        aggregate = next((side for side in conjunct.iter_expressions() if _aggregates(side)), None)
        name = aggregate.key if aggregate is not None else None
        yield replace(filter_of(conjunct, computed=aggregate), aggregate=name)


def _aggregates(node: exp.Expr) -> bool:
    return isinstance(node, exp.AggFunc)


def _width(node: Node, projection: exp.Expr, catalog: Catalog) -> float:
    inner = projection.unalias()
    if isinstance(inner, exp.Column) and inner.table in node.tables:
        table = catalog.tables.get(catalog.spelled(node.tables[inner.table]))
        for column in table.columns if table else ():
            if column.name.lower() == inner.name.lower():
                return column.width_bytes
    return DEFAULT_WIDTH_BYTES


def _grouping(node: Node) -> tuple[tuple[ColumnRef, ...] | None, int]:
    group = node.expression.args.get("group")
    if group is None:
        aggregates = any(
            isinstance(found, exp.AggFunc) and found.find_ancestor(exp.Window) is None
            for projection in node.expression.selects
            for found in _own(projection)
        )
        return ((), 1) if aggregates else (None, 1)
    columns = tuple(dict.fromkeys((c.table, c.name) for c in group.find_all(exp.Column) if c.table))
    if group.find(exp.Cube):
        return columns, 2 ** len(columns)
    if group.find(exp.Rollup):
        return columns, len(columns) + 1
    sets = group.find(exp.GroupingSets)
    return columns, len(sets.expressions) if sets else 1


def _features(node: Node) -> frozenset[str]:
    expression = node.expression
    features: set[str] = set()
    if isinstance(expression, exp.SetOperation):
        if not isinstance(expression, exp.Union):
            features.add(_SET_OPERATORS[type(expression)])
        return frozenset(features)
    group = expression.args.get("group")
    if group is not None and group.find(exp.Rollup, exp.Cube, exp.GroupingSets):
        features.add("rollup")
    if any(join.side == "FULL" for join in node.joins):
        features.add("full_join")
    for projection in expression.selects:
        for found in _own(projection):
            if isinstance(found, exp.Window):
                features.add("window")
                if _sorts_nulls_last(found):
                    features.add("window_nulls_last")
    if list(expression.find_all(exp.Grouping)):
        features.add("grouping")
    return frozenset(features)


def _sorts_nulls_last(window: exp.Window) -> bool:
    """Whether the window sorts upwards with nulls last: there MySQL sorts them first."""
    order = window.args.get("order")
    return order is not None and any(
        not term.args.get("desc") and not term.args.get("nulls_first") for term in order.expressions
    )


def _own(node: exp.Expr) -> list[exp.Expr]:
    """Return the nodes below `node` that are not in a nested query."""
    return list(node.walk(prune=lambda n: isinstance(n, exp.Query)))
