"""The blocks of a canonical query, with the syntax nodes that they stand for."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from workloads.footprint import BlockRole


@dataclass(slots=True)
class Node:
    """One block and its syntax: `expression` is its SELECT or set operation.

    `relations` maps each alias of the FROM clause to its syntax (a table or a subquery), in
    order; `tables` the aliases of base tables, `inputs` those of derived tables and CTEs.
    """

    name: str
    expression: exp.Query
    parent: str | None
    role: BlockRole
    children: list[str] = field(default_factory=list)
    relations: dict[str, exp.Expr] = field(default_factory=dict)
    tables: dict[str, str] = field(default_factory=dict)
    inputs: dict[str, str] = field(default_factory=dict)
    reads: list[str] = field(default_factory=list)

    @property
    def joins(self) -> list[exp.Join]:
        """The joins of the FROM clause, in order."""
        return list(self.expression.args.get("joins") or ())


class QueryTree:
    """All blocks of one canonical query by name, the outermost first.

    Names are given in the order of reading, so that equal queries have equal names: a plan
    made in one process can be compiled in another.
    """

    def __init__(self, expression: exp.Query) -> None:
        self.expression = expression
        self.nodes: dict[str, Node] = {}
        self._by_id: dict[int, Node] = {}
        self._visit(expression, None, "root", {})

    @property
    def root(self) -> Node:
        """The outermost block."""
        return next(iter(self.nodes.values()))

    def below(self, name: str) -> tuple[str, ...]:
        """Return `name` and all blocks below it or read by it, each once, in order of names."""
        seen: set[str] = set()
        stack = [name]
        while stack:
            current = stack.pop()
            if current not in seen:
                seen.add(current)
                stack.extend(self.nodes[current].children)
        return tuple(block for block in self.nodes if block in seen)

    def home(self, column: exp.Column) -> Node | None:
        """Return the nearest enclosing block in which the column's qualifier is an alias."""
        if not column.table:
            return None
        node: exp.Expr | None = column
        while node is not None:
            block = self._by_id.get(id(node))
            if block is not None and column.table in block.relations:
                return block
            node = node.parent
        return None

    def columns(self, name: str) -> Iterator[tuple[exp.Column, Node]]:
        """Yield each column in the text of block `name` with the block that it belongs to."""
        for column in self.nodes[name].expression.find_all(exp.Column):
            home = self.home(column)
            if home is not None:
                yield column, home

    def closed(self, name: str) -> bool:
        """Whether the block can run alone with all that is below it.

        It cannot if something in it refers to an enclosing block, or if a CTE below it (other
        than the block itself) is read from outside too: its sources would be covered twice.
        """
        below = set(self.below(name))
        for block in below:
            if any(home.name not in below for _, home in self.columns(block)):
                return False
        return not any(
            reader.name not in below and set(reader.reads) & (below - {name})
            for reader in self.nodes.values()
        )

    def _visit(
        self, expression: exp.Query, parent: Node | None, role: BlockRole, ctes: Mapping[str, str]
    ) -> Node:
        node = Node(
            name=f"b{len(self.nodes)}",
            expression=expression,
            parent=parent.name if parent else None,
            role=role,
        )
        self.nodes[node.name] = node
        self._by_id[id(expression)] = node
        visible = dict(ctes)
        with_ = expression.args.get("with_")
        for cte in with_.expressions if with_ else ():
            visible[cte.alias] = self._visit(cte.this, None, "from", visible).name
        if isinstance(expression, exp.SetOperation):
            for operand in (expression.left, expression.right):
                self._child(node, _query(operand), "operand", visible)
        else:
            self._relations(node, visible)
            for query in _subqueries(expression):
                self._child(node, query, _role(query), visible)
        return node

    def _child(
        self, node: Node, query: exp.Query, role: BlockRole, visible: Mapping[str, str]
    ) -> str:
        name = self._visit(query, node, role, visible).name
        node.children.append(name)
        return name

    def _relations(self, node: Node, visible: Mapping[str, str]) -> None:
        from_ = node.expression.args.get("from_")
        relations = [from_.this] if from_ else []
        relations += [join.this for join in node.joins]
        for relation in relations:
            alias = relation.alias_or_name
            node.relations[alias] = relation
            if isinstance(relation, exp.Table):
                block = visible.get(relation.name) if not relation.db else None
                if block is None:
                    node.tables[alias] = relation.name
                    continue
                node.inputs[alias] = block
                node.reads.append(block)
                if block not in node.children:
                    node.children.append(block)
            elif isinstance(relation, exp.Subquery):
                node.inputs[alias] = self._child(node, _query(relation), "from", visible)


def _query(node: exp.Expr) -> exp.Query:
    inner: object = node.unnest() if isinstance(node, (exp.Subquery, exp.Paren)) else node
    if not isinstance(inner, exp.Query):
        raise TypeError(f"not a query: {node.sql()}")
    return inner


def _role(query: exp.Query) -> BlockRole:
    """Return how the expression around `query` uses it."""
    user = query.parent
    while isinstance(user, (exp.Subquery, exp.Paren)):
        user = user.parent
    if not isinstance(user, (exp.Exists, exp.In, exp.Any, exp.All)):
        return "scalar"
    above = user.parent
    while isinstance(above, exp.Paren):
        above = above.parent
    return "anti" if isinstance(above, exp.Not) else "semi"


def _subqueries(select: exp.Query) -> Iterator[exp.Query]:
    """Yield the outermost queries in the expressions of `select`: not in FROM, not in WITH."""
    for key, value in select.args.items():
        if key in ("with_", "from_"):
            continue
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, exp.Join):
                condition = item.args.get("on")
                if condition is not None:
                    yield from _outermost(condition)
            elif isinstance(item, exp.Expr):
                yield from _outermost(item)


def _outermost(node: exp.Expr) -> Iterator[exp.Query]:
    if isinstance(node, (exp.Select, exp.SetOperation)):
        yield node
        return
    for child in node.iter_expressions():
        yield from _outermost(child)
