"""Expressions of a query written over the columns of the one table that they are computed from."""

from collections.abc import Callable
from dataclasses import dataclass

import sqlglot
from sqlglot import exp

from workloads.catalog import Catalog
from workloads.sql.trees.tree import QueryTree

_DEEPEST = 50
_OF_ITS_VALUES = (exp.Sum, exp.Avg, exp.Min, exp.Max, exp.AnyValue, exp.First)
"""Aggregates whose values are near those that they aggregate, or at least of their kind."""
_OTHERWISE = (exp.Query, exp.Parameter, exp.Window, exp.AggFunc, exp.Subquery)


@dataclass(frozen=True, slots=True)
class BaseExpression:
    """An expression over the columns of `table`, read at the place `occurrence` of a query."""

    table: str
    occurrence: str
    sql: str


class BaseColumns:
    """Follows the columns of one query down to tables.

    `suggested` tells the literal that is taken for a parameter inside of an expression, "" where
    there is none.
    """

    def __init__(
        self, tree: QueryTree, catalog: Catalog, suggested: Callable[[exp.Expr], str]
    ) -> None:
        self._tree = tree
        self._catalog = catalog
        self._suggested = suggested

    def of(self, node: exp.Expr) -> BaseExpression | None:
        """Return an expression over the columns of its one table; None where it has not one."""
        written = self._over_tables(node.unnest(), 0)
        if written is None:
            return None
        columns = list(written.find_all(exp.Column))
        places = {(column.meta["table"], column.meta["occurrence"]) for column in columns}
        if len(places) != 1:
            return None
        table, occurrence = places.pop()
        return BaseExpression(table, occurrence, written.sql("duckdb"))

    def _over_tables(self, node: exp.Expr, depth: int) -> exp.Expr | None:
        """Return a copy of an expression with columns of tables in place of its own."""
        while isinstance(node, _OF_ITS_VALUES):
            node = node.this
        if depth > _DEEPEST or node.find(*_OTHERWISE) is not None:
            return None
        if isinstance(node, exp.Column):
            return self._origin(node, depth)
        copy = node.copy()
        kinds = (exp.Column, exp.Placeholder)
        for own, copied in zip(
            list(node.find_all(*kinds)), list(copy.find_all(*kinds)), strict=True
        ):
            if isinstance(own, exp.Column):
                origin = self._origin(own, depth)
            else:
                literal = self._suggested(own)
                origin = sqlglot.parse_one(literal, dialect="duckdb") if literal else None
            if origin is None:
                return None
            copied.replace(origin if isinstance(origin, exp.Column) else exp.paren(origin))
        return copy

    def _origin(self, column: exp.Column, depth: int) -> exp.Expr | None:
        home = self._tree.home(column)
        if home is None:
            return None
        alias = column.table
        if alias in home.tables:
            return self._of_table(home.tables[alias], f"{home.name}.{alias}", column.name)
        block = home.inputs.get(alias) or home.recursive.get(alias)
        if block is None:
            return None
        relation = home.relations[alias].args.get("alias")
        renamed = [
            each.name.lower() for each in (relation.args.get("columns") if relation else None) or ()
        ]
        return self._output(block, column.name.lower(), renamed, depth)

    def _output(self, block: str, name: str, renamed: list[str], depth: int) -> exp.Expr | None:
        """Return what a block returns by a name, of a set operation by its first operand."""
        names = [each.alias_or_name.lower() for each in self._tree.nodes[block].expression.selects]
        cte = self._tree.nodes[block].expression.parent
        if isinstance(cte, exp.CTE) and cte.args["alias"].args.get("columns"):
            names = [each.name.lower() for each in cte.args["alias"].args["columns"]]
        names = renamed or names
        if name not in names:
            return None
        position = names.index(name)
        while isinstance(self._tree.nodes[block].expression, exp.SetOperation):
            block = self._tree.operands(block)[0]
        selects = self._tree.nodes[block].expression.selects
        return self._over_tables(selects[position].unalias(), depth + 1)

    def _of_table(self, name: str, occurrence: str, column: str) -> exp.Expr | None:
        table = self._catalog.tables.get(self._catalog.spelled(name))
        spelled = (
            [each.name for each in table.columns if each.name.lower() == column.lower()]
            if table
            else []
        )
        if table is None or not spelled:
            return None
        found = exp.column(exp.to_identifier(spelled[0], quoted=True))
        found.meta.update(table=table.name, occurrence=occurrence)
        return found
