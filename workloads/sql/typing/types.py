"""The types of a query's columns, as DuckDB infers them."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from sqlglot import exp

from workloads.catalog import Catalog
from workloads.sql.trees.tree import Node, QueryTree
from workloads.sql.typing.days import DaysOf, unknown_days
from workloads.sql.typing.expression_kinds import Kinds
from workloads.sql.typing.value_kinds import UNKNOWN, Kind, named, unified

Schema = Mapping[str, Mapping[str, str]]
"""Relation → column → DuckDB's type, all names in lower case."""
TypeOf = Callable[[str, str], str | None]


def typed_by(schema: Schema) -> TypeOf:
    """Return what tells the type of a relation's column, None where it is not known."""
    return lambda relation, column: schema.get(relation.lower(), {}).get(column)


def typed_in(catalog: Catalog) -> TypeOf:
    """Return what tells the type of a table's column, None where it is not known."""
    read: dict[str, dict[str, str]] = {}

    def type_of(relation: str, column: str) -> str | None:
        if relation not in read:
            table = catalog.tables.get(catalog.spelled(relation))
            columns = table.columns if table is not None else ()
            read[relation] = {each.name.lower(): each.type for each in columns}
        return read[relation].get(column)

    return type_of


class Types:
    """Tells the kinds of a query's values; each expression is looked at once."""

    def __init__(self, tree: QueryTree, type_of: TypeOf, days_of: DaysOf = unknown_days) -> None:
        self._tree = tree
        self._type_of = type_of
        self._days_of = days_of
        self._columns: dict[tuple[str, str, str], Kind] = {}
        self._outputs: dict[str, tuple[tuple[str, Kind], ...]] = {}
        self.of = Kinds(self.column)

    def column(self, column: exp.Column) -> Kind:
        """Return the kind of a qualified column, wherever in the query it stands."""
        home = self._tree.home(column)
        if home is None:
            return UNKNOWN
        key = home.name, column.table, column.name.lower()
        if key not in self._columns:
            self._columns[key] = UNKNOWN  # Of a recursive one.
            self._columns[key] = self._in_block(home, column.table, key[2])
        return self._columns[key]

    def _in_block(self, home: Node, alias: str, name: str) -> Kind:
        if alias in home.tables:
            type_ = self._type_of(home.tables[alias], name)
            kind = named(type_) if type_ else UNKNOWN
            is_moment = kind.family in ("date", "timestamp")
            return (
                replace(kind, days=self._days_of(home.tables[alias], name)) if is_moment else kind
            )
        if isinstance(home.relations.get(alias), exp.Values):
            return self._in_values(home.relations[alias], name)
        if alias not in home.inputs:
            return UNKNOWN
        relation = home.relations[alias].args.get("alias")
        renamed = (
            [each.name.lower() for each in relation.args.get("columns") or ()] if relation else []
        )
        outputs = self._of_block(home.inputs[alias])
        names = renamed or [output for output, _ in outputs]
        return dict(zip(names, (kind for _, kind in outputs), strict=False)).get(name) or UNKNOWN

    def _in_values(self, relation: exp.Expr, name: str) -> Kind:
        """Return the kind of a column of rows that are written out."""
        alias = relation.args.get("alias")
        names = [each.name.lower() for each in alias.args.get("columns") or ()] if alias else []
        rows = [row.expressions for row in relation.expressions if isinstance(row, exp.Tuple)]
        kinds = [
            unified([self.of(value) for value in column]) for column in zip(*rows, strict=False)
        ]
        return dict(zip(names, kinds, strict=False)).get(name) or UNKNOWN

    def columns(self, block: str) -> tuple[Kind, ...]:
        """Return the kinds of a block's columns, in order."""
        return tuple(kind for _, kind in self._of_block(block))

    def _of_block(self, block: str) -> tuple[tuple[str, Kind], ...]:
        if block not in self._outputs:
            self._outputs[block] = ()  # Of a recursive one.
            names, kinds = self._selected(self._tree.nodes[block])
            self._outputs[block] = tuple(zip(names, kinds, strict=False))
        return self._outputs[block]

    def _selected(self, node: Node) -> tuple[list[str], list[Kind]]:
        names = [each.alias_or_name.lower() for each in node.expression.selects]
        cte = node.expression.parent
        if isinstance(cte, exp.CTE) and cte.args["alias"].args.get("columns"):
            names = [each.name.lower() for each in cte.args["alias"].args["columns"]]
        if isinstance(node.expression, exp.SetOperation):
            sides = [self.columns(name) for name in self._tree.operands(node.name)]
            return names, [unified(pair) for pair in zip(*sides, strict=False)]
        return names, [self.of(each) for each in node.expression.selects]
