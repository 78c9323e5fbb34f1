"""The blocks of a canonical query, with the syntax nodes that they stand for."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from workloads.footprint import BlockRole
from workloads.sql.trees.subqueries import use_of


@dataclass(slots=True)
class Node:
    """One block and its syntax: `expression` is its SELECT or set operation.

    `relations` maps each alias of the FROM clause to its syntax (a table, a subquery, a table
    function), in order; `tables` the aliases of base tables, `inputs` those of derived tables and
    CTEs, `recursive` those of a recursive CTE inside its own text. `compared` are the expressions
    that the block above compares this one's output with by equality, position by position.
    """

    name: str
    expression: exp.Query
    parent: str | None
    role: BlockRole
    compared: tuple[exp.Expr, ...] = ()
    children: list[str] = field(default_factory=list)
    relations: dict[str, exp.Expr] = field(default_factory=dict)
    tables: dict[str, str] = field(default_factory=dict)
    inputs: dict[str, str] = field(default_factory=dict)
    recursive: dict[str, str] = field(default_factory=dict)
    reads: list[str] = field(default_factory=list)

    @property
    def joins(self) -> list[exp.Join]:
        """The joins of the FROM clause, in order."""
        return list(self.expression.args.get("joins") or ())


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A column in the text: the block that it stands in and the one whose alias it names."""

    column: exp.Column
    block: Node
    home: Node


class QueryTree:
    """All blocks of one canonical query by name, the outermost first.

    Names are given in the order of reading, so that equal queries have equal names: a plan
    made in one process can be compiled in another.
    """

    def __init__(self, expression: exp.Query) -> None:
        self.expression = expression
        self.nodes: dict[str, Node] = {}
        self._by_id: dict[int, Node] = {}
        self._finished: set[str] = set()
        self._defined_in: dict[str, str] = {}
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

    def operands(self, name: str) -> tuple[str, ...]:
        """Return the two operands of the set operation `name`."""
        blocks = self.nodes[name].children
        return tuple(block for block in blocks if self.nodes[block].role == "operand")

    def home(self, column: exp.Column) -> Node | None:
        """Return the nearest enclosing block in which the column's qualifier is an alias."""
        found = self.occurrence(column)
        return found.home if found else None

    def occurrence(self, column: exp.Column) -> Occurrence | None:
        """Return where a qualified column stands and belongs; None for one of no block."""
        alias = column.table
        if not alias:
            return None
        inner: Node | None = None
        node: exp.Expr | None = column.parent
        while node is not None:
            block = self._by_id.get(id(node))
            if block is not None:
                inner = inner or block
                if alias in block.relations:
                    return Occurrence(column, inner, block)
            node = node.parent
        return None

    def occurrences(self) -> list[Occurrence]:
        """Return every column of the text that belongs to a block."""
        columns = self.expression.find_all(exp.Column)
        return [found for column in columns if (found := self.occurrence(column)) is not None]

    def closed(self, occurrences: list[Occurrence]) -> frozenset[str]:
        """Return the blocks that can run alone with all that is below them.

        A block cannot if something in it refers to an enclosing block, or reads a recursive CTE
        that is defined outside, or if a CTE below it (other than the block itself) is read from
        outside too: its sources would be covered twice.
        """
        outward: dict[str, set[str]] = {name: set() for name in self.nodes}
        for found in occurrences:
            if found.block is not found.home:
                outward[found.block.name].add(found.home.name)
        readers: dict[str, set[str]] = {name: set() for name in self.nodes}
        for node in self.nodes.values():
            outward[node.name] |= {self._defined_in[cte] for cte in node.recursive.values()}
            for read in node.reads:
                readers[read].add(node.name)
        return frozenset(
            name
            for name in self.nodes
            if self._is_closed(set(self.below(name)), name, outward, readers)
        )

    @staticmethod
    def _is_closed(
        below: set[str],
        name: str,
        outward: Mapping[str, set[str]],
        readers: Mapping[str, set[str]],
    ) -> bool:
        return all(
            outward[block] <= below and (block == name or readers[block] <= below)
            for block in below
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
            if with_ is not None and with_.args.get("recursive"):
                visible[cte.alias] = f"b{len(self.nodes)}"
            visible[cte.alias] = self._visit(_query(cte), None, "from", visible).name
            self._defined_in[visible[cte.alias]] = node.name
        if isinstance(expression, exp.SetOperation):
            for operand in (expression.left, expression.right):
                self._child(node, _query(operand), "operand", visible)
        else:
            self._relations(node, visible)
            for query in _subqueries(node):
                role, compared = use_of(query)
                name = self._child(node, query, role, visible)
                self.nodes[name].compared = compared
        self._finished.add(node.name)
        return node

    def _child(
        self, node: Node, query: exp.Query, role: BlockRole, visible: Mapping[str, str]
    ) -> str:
        name = f"b{len(self.nodes)}"
        node.children.append(name)
        self._visit(query, node, role, visible)
        return name

    def _relations(self, node: Node, visible: Mapping[str, str]) -> None:
        from_ = node.expression.args.get("from_")
        relations = [from_.this] if from_ else []
        relations += [join.this for join in node.joins]
        relations += node.expression.args.get("laterals") or []
        for relation in relations:
            alias = relation.alias_or_name
            node.relations[alias] = relation
            if isinstance(relation, exp.Table) and isinstance(relation.this, exp.Identifier):
                self._table(node, alias, relation, visible)
            elif isinstance(inner := _inner(relation), exp.Query):
                node.inputs[alias] = self._child(node, inner, "from", visible)

    def _table(
        self, node: Node, alias: str, relation: exp.Table, visible: Mapping[str, str]
    ) -> None:
        block = visible.get(relation.name) if not relation.db else None
        if block is None:
            node.tables[alias] = relation.name
        elif block not in self._finished:
            node.recursive[alias] = block
        else:
            node.inputs[alias] = block
            node.reads.append(block)
            if block not in node.children:
                node.children.append(block)


def _query(node: exp.Expr) -> exp.Query:
    """Return the SELECT or set operation in a CTE or an operand."""
    inner = _inner(node)
    if not isinstance(inner, exp.Query):
        raise TypeError(f"not a query: {node.sql()}")
    return inner


def _inner(node: exp.Expr) -> object:
    inner: object = node
    while isinstance(inner, (exp.CTE, exp.Lateral, exp.Subquery, exp.Paren)):
        inner = inner.this
    return inner


def _subqueries(node: Node) -> Iterator[exp.Query]:
    """Yield the outermost queries in the expressions of a block: not those that FROM or WITH hold.

    The arguments of table functions in FROM are such expressions too.
    """
    for key, value in node.expression.args.items():
        if key in ("with_", "from_", "laterals", "joins"):
            continue
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, exp.Expr):
                yield from _outermost(item)
    for alias, relation in node.relations.items():
        if alias not in node.tables.keys() | node.inputs.keys() | node.recursive.keys():
            yield from _outermost(relation)
    for join in node.joins:
        for key in ("on", "match_condition"):
            if (condition := join.args.get(key)) is not None:
                yield from _outermost(condition)


def _outermost(node: exp.Expr) -> Iterator[exp.Query]:
    inside: list[exp.Query] = []

    def stop(found: exp.Expr) -> bool:
        if isinstance(found, (exp.Select, exp.SetOperation)):
            inside.append(found)
            return True
        return False

    for _ in node.walk(bfs=False, prune=stop):
        pass
    return iter(inside)
