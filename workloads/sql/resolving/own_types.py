"""Columns that are carried as text, read with the type of their values where that matters.

A UUID, a time or a list has no equal in every store, so that copies and the judge's tables have it
as text (`workloads.measuring.carrying`). Where a statement only hands it on, groups by it or counts
it, the text will do. Everywhere else it is cast back, to what the statement means.
"""

from collections.abc import Mapping
from contextlib import suppress
from datetime import time
from uuid import UUID

from sqlglot import exp

from workloads.catalog import Catalog
from workloads.sql.resolving.views import cte_of

_COMPARED = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.NullSafeNEQ)
_ORDERED = ("UUID", "TIME")
"""Types whose texts are as long as one another, and in the order of their values."""
_TEXT_FOR_STATEMENTS = ("ENUM", "JSON")
_HANDED_ON = (exp.Select, exp.Group, exp.Count, exp.Is)
_IN_ORDER = (exp.Ordered, exp.Min, exp.Max)

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
        type_ = _own_type(column, carried)
        if type_ and not _text_will_do(column, type_, carried):
            column.replace(_cast(column.copy(), type_))
    return tree


def _own_type(node: exp.Expr | None, carried: OwnTypes) -> str:
    """Return the type of a column's values where it is carried as text, else nothing."""
    if not isinstance(node, exp.Column) or not node.table:
        return ""
    alias, select = node.table.lower(), node.parent_select
    while select is not None:
        for relation in _relations(select):
            if relation.alias_or_name.lower() == alias:
                is_table = isinstance(relation, exp.Table) and cte_of(relation) is None
                columns = carried.get(relation.name.lower(), {}) if is_table else {}
                return columns.get(node.name.lower(), "")
        select = select.parent_select
    return ""


def _relations(select: exp.Expr) -> list[exp.Expr]:
    from_ = select.args.get("from_")
    joins = select.args.get("joins") or ()
    return [*([from_.this] if from_ else []), *(join.this for join in joins)]


def _text_will_do(column: exp.Column, type_: str, carried: OwnTypes) -> bool:
    parent = column.parent
    if isinstance(parent, exp.Alias):
        parent = parent.parent
    if isinstance(parent, exp.Distinct) and isinstance(parent.parent, exp.Count):
        return True
    if isinstance(parent, _HANDED_ON):
        return True
    if isinstance(parent, _IN_ORDER):
        return type_ in _ORDERED
    if isinstance(parent, (*_COMPARED, exp.In, exp.Between)):
        return _is_compared_alike(column, parent, type_, carried)
    return False


def _is_compared_alike(
    column: exp.Column, comparison: exp.Expr, type_: str, carried: OwnTypes
) -> bool:
    """Tell whether all operands are such texts; literals are then written as the texts are."""
    if type_ not in _ORDERED or (isinstance(comparison, exp.In) and comparison.args.get("query")):
        return False
    operands = [each for each in comparison.iter_expressions() if each is not column]
    written = []
    for operand in operands:
        if _own_type(operand, carried) == type_:
            continue
        text = _as_carried(operand, type_)
        if text is None:
            return False
        written.append((operand, text))
    for operand, text in written:
        operand.replace(exp.Literal.string(text))
    return True


def _as_carried(operand: exp.Expr, type_: str) -> str | None:
    """Return how the value of a literal is carried; None where it is none of the type."""
    if isinstance(operand, exp.Cast) and operand.to.sql("duckdb") == type_:
        operand = operand.this
    if not isinstance(operand, exp.Literal) or not operand.is_string:
        return None
    with suppress(ValueError):
        if type_ == "UUID":
            return str(UUID(operand.name))
        if type_ == "TIME":
            return time.fromisoformat(operand.name).isoformat("microseconds")
    return None


def _cast(column: exp.Expr, type_: str) -> exp.Expr:
    """Return the value of a carried column: nested ones are JSON."""
    nested = type_.endswith("]") or type_.startswith(("STRUCT", "MAP", "UNION"))
    held = exp.cast(column, "JSON", dialect="duckdb") if nested else column
    return exp.Cast(this=held, to=exp.DataType.build(type_, dialect="duckdb"))
