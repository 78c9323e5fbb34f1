"""Columns that are carried as text, read with the type of their values where that matters.

A UUID, a time or a list has no equal in every store, so that copies and the judge's tables have it
as text (`workloads.measuring.carrying`). The texts of UUIDs and times are equal where the values
are, and in their order: these columns stay texts where they are handed on, grouped, sorted or
compared with their like, also behind derived tables. Every other use, and every other type, is
cast back to what the statement means.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import time
from uuid import UUID

from sqlglot import exp

from workloads.catalog import Catalog
from workloads.sql.resolving.views import cte_of

_COMPARED = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.NullSafeNEQ)
_LIKE_THEIR_TEXTS = ("UUID", "TIME")
_TEXT_FOR_STATEMENTS = ("ENUM", "JSON")
_HANDED_ON = (exp.Select, exp.Group, exp.Ordered, exp.Order, exp.Count, exp.Is)
_ONE_OF_MANY = (exp.Min, exp.Max)
_AROUND = (exp.Window, exp.Filter)
"""Clauses around a call of an aggregate, which make another one of it."""
_SETTLED = (
    exp.Lateral,
    *(exp.In, exp.Between, exp.Any, exp.All, exp.Exists),
    *(exp.From, exp.Join, exp.CTE, exp.Subquery, exp.SetOperation),
)

_UUID = re.compile(r"[0-9a-fA-F]{8}(-?[0-9a-fA-F]{4}){3}-?[0-9a-fA-F]{12}")
_TIME = re.compile(r"\d\d:\d\d(:\d\d(\.\d{1,6})?)?")

OwnTypes = Mapping[str, Mapping[str, str]]


def carried_as_text(catalog: Catalog) -> OwnTypes:
    """Return table → column → type of the values, for columns that are text only in its place.

    Names are in small letters. JSON is not among them: its functions take text.
    """
    found: dict[str, dict[str, str]] = {}
    for table in catalog.tables.values():
        for column in table.columns:
            own = column.own_type
            if own and column.type == "VARCHAR" and not own.startswith(_TEXT_FOR_STATEMENTS):
                found.setdefault(table.name.lower(), {})[column.name.lower()] = own
    return found


def with_own_types(tree: exp.Query, catalog: Catalog) -> exp.Query:
    """Cast columns that are carried as text to their own types, in place; names are resolved."""
    carried = carried_as_text(catalog)
    if not carried:
        return tree
    for column in list(tree.find_all(exp.Column)):
        type_ = _of_table(column, carried)
        if type_ and type_ not in _LIKE_THEIR_TEXTS and not _only_tested(column):
            _cast_in_place(column, type_)
    types = _Types(carried)
    for operation in list(tree.find_all(exp.SetOperation)):
        types.settle_operands(operation)
    for comparison in list(tree.find_all(*_COMPARED, exp.In, exp.Between)):
        types.settle_comparison(comparison)
    for node in list(tree.find_all(exp.Column, *_ONE_OF_MANY, exp.Subquery)):
        types.settle_use(node)
    return tree


class _Types:
    """The types of values that are written as texts, and whose texts are like them."""

    def __init__(self, carried: OwnTypes) -> None:
        self._carried = carried

    def of(self, node: exp.Expr | None) -> str:
        """Return the type of the values of an expression that is such a text, else nothing."""
        if isinstance(node, (exp.Alias, exp.Paren, *_AROUND, *_ONE_OF_MANY)):
            return self.of(node.this)
        if isinstance(node, (exp.Any, exp.All)):
            return self.of(node.this)
        if isinstance(node, (exp.Subquery, exp.Query)):
            outputs = list(_outputs(node))
            return self.of(outputs[0][0]) if outputs and len(outputs[0]) == 1 else ""
        return self._of_column(node) if isinstance(node, exp.Column) else ""

    def settle_operands(self, operation: exp.SetOperation) -> None:
        """Cast the columns of operands that are not such texts in all of them."""
        operands = list(_outputs(operation))
        for place in zip(*operands, strict=False):
            types = {self.of(each) for each in place}
            if len(types) > 1:
                for each in place:
                    self._cast(each)

    def settle_comparison(self, comparison: exp.Expr) -> None:
        """Write literals as the texts that they are compared with, or cast the texts."""
        if isinstance(comparison, exp.In) and isinstance(comparison.this, exp.Tuple):
            self._settle_rows(comparison, comparison.this)
            return
        operands = _operands(comparison)
        types = {self.of(each) for each in operands} - {""}
        if not types:
            return
        type_ = types.pop()
        texts = {id(each): _as_carried(each, type_) for each in operands if self.of(each) != type_}
        if not types and all(text is not None for text in texts.values()):
            for each in operands:
                if text := texts.get(id(each)):
                    each.replace(exp.Literal.string(text))
            return
        for each in operands:
            self._cast(each)

    def _settle_rows(self, comparison: exp.In, row: exp.Tuple) -> None:
        """Settle ``(a, b) IN (SELECT …)`` place by place; rows beside literals are cast."""
        query = comparison.args.get("query")
        operands = [row.expressions, *(_outputs(query) if query is not None else ())]
        for place in zip(*operands, strict=False):
            if query is None or len({self.of(each) for each in place}) > 1:
                for each in place:
                    self._cast(each)

    def settle_use(self, node: exp.Expr) -> None:
        """Cast such a text where something else is done with it than it can stand for."""
        while isinstance(node.parent, _AROUND) and node.parent.this is node:
            node = node.parent
        above = node.parent
        while isinstance(above, (exp.Alias, exp.Paren)):
            above = above.parent
        if above is None or _may_stay(node, above):
            return
        type_ = self.of(node)
        is_cast = isinstance(above, exp.Cast) and above.to.sql("duckdb") == type_
        if type_ and not is_cast:
            _cast_in_place(node, type_)

    def _cast(self, node: exp.Expr) -> None:
        """Cast an expression where it is such a text; the column of a query of many rows in it."""
        type_ = self.of(node)
        if not type_:
            return
        query = node.this if isinstance(node, (exp.Any, exp.All)) else node
        is_of_many = query is not node or isinstance(node.parent, exp.In)
        if is_of_many and isinstance(query, (exp.Subquery, exp.Query)):
            for (output,) in _outputs(query):
                self._cast(output)
            return
        _cast_in_place(node.this if isinstance(node, exp.Alias) else node, type_)

    def _of_column(self, column: exp.Column) -> str:
        relation = _relation_of(column)
        if relation is None:
            return ""
        if isinstance(relation, exp.Table):
            cte = cte_of(relation)
            if cte is None:
                type_ = _of_table(column, self._carried)
                return type_ if type_ in _LIKE_THEIR_TEXTS else ""
            inner: exp.Expr = cte.this
            names = cte.args["alias"].columns if cte.args.get("alias") else []
        elif isinstance(relation, exp.Subquery) or (
            isinstance(relation, exp.Lateral) and isinstance(relation.this, exp.Subquery)
        ):
            inner = relation.this
            names = relation.args["alias"].columns if relation.args.get("alias") else []
        else:
            return ""
        return self._of_output(inner, column.name, [each.name for each in names], relation)

    def _of_output(self, query: exp.Expr, name: str, names: list[str], relation: exp.Expr) -> str:
        if _is_within(query, relation):
            # A recursive query reads itself.
            return ""
        found = set()
        for outputs in _outputs(query):
            called = names or [each.alias_or_name for each in outputs]
            lowered = [each.lower() for each in called]
            if name.lower() not in lowered:
                return ""
            found.add(self.of(outputs[lowered.index(name.lower())]))
            # Columns of later operands are those of the first by their places.
            names = names or called
        return found.pop() if len(found) == 1 else ""


def _of_table(column: exp.Column, carried: OwnTypes) -> str:
    """Return the type of the values of a base table's column that is carried as text."""
    relation = _relation_of(column)
    if not isinstance(relation, exp.Table) or cte_of(relation) is not None:
        return ""
    return carried.get(relation.name.lower(), {}).get(column.name.lower(), "")


def _relation_of(column: exp.Column) -> exp.Expr | None:
    """Return what a resolved column is of, in the FROM of its query or of one around it."""
    alias, select = column.table.lower(), column.parent_select
    while alias and select is not None:
        from_ = select.args.get("from_")
        joins = select.args.get("joins") or ()
        for relation in (*((from_.this,) if from_ else ()), *(join.this for join in joins)):
            if relation.alias_or_name.lower() == alias:
                return relation  # type: ignore[no-any-return]
        select = select.parent_select
    return None


def _outputs(query: exp.Expr) -> Iterator[list[exp.Expr]]:
    """Yield the columns of a query, for each operand of a set operation."""
    while isinstance(query, exp.Subquery):
        query = query.this
    if isinstance(query, exp.SetOperation):
        yield from _outputs(query.left)
        yield from _outputs(query.right)
    elif isinstance(query, exp.Select):
        yield list(query.expressions)


def _operands(comparison: exp.Expr) -> list[exp.Expr]:
    if isinstance(comparison, exp.In):
        query = comparison.args.get("query")
        return [comparison.this, *comparison.expressions, *([query] if query else [])]
    if isinstance(comparison, exp.Between):
        return [comparison.this, comparison.args["low"], comparison.args["high"]]
    return [comparison.this, comparison.expression]


def _may_stay(node: exp.Expr, above: exp.Expr) -> bool:
    """Tell whether a text stands for its value in `above`, or was settled there before."""
    if isinstance(above, exp.Order) and above.this is node:
        # What an aggregate collects in an order.
        return False
    if isinstance(above, (*_HANDED_ON, *_COMPARED, *_ONE_OF_MANY, *_SETTLED)):
        return True
    if isinstance(above, exp.Tuple):
        return isinstance(above.parent, exp.In)
    if isinstance(above, exp.Distinct):
        return isinstance(above.parent, (exp.Count, exp.Select))
    return isinstance(above, exp.Window) and above.this is not node


def _is_within(query: exp.Expr, relation: exp.Expr) -> bool:
    above: exp.Expr | None = relation
    while above is not None and above is not query:
        above = above.parent
    return above is query


def _only_tested(column: exp.Column) -> bool:
    """Tell whether a column is only counted, or tested for NULL."""
    return isinstance(column.parent, (exp.Count, exp.Is))


def _as_carried(operand: exp.Expr, type_: str) -> str | None:
    """Return how the value of a literal is carried; None where it is none of the type."""
    if isinstance(operand, exp.Cast) and not operand.to.expressions:
        if operand.to.sql("duckdb") != type_:
            return None
        operand = operand.this
    if not isinstance(operand, exp.Literal) or not operand.is_string:
        return None
    # Python reads more than DuckDB does.
    with suppress(ValueError):
        if type_ == "UUID" and _UUID.fullmatch(operand.name):
            return str(UUID(operand.name))
        if type_ == "TIME" and _TIME.fullmatch(operand.name):
            return time.fromisoformat(operand.name).isoformat("microseconds")
    return None


def _cast_in_place(node: exp.Expr, type_: str) -> None:
    """Put the value of a carried expression in its place: nested ones are JSON."""
    nested = type_.endswith("]") or type_.startswith(("STRUCT", "MAP", "UNION"))
    copy = node.copy()
    held = exp.cast(copy, "JSON", dialect="duckdb") if nested else copy
    node.replace(exp.Cast(this=held, to=exp.DataType.build(type_, dialect="duckdb")))
