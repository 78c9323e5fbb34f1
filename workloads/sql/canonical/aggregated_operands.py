"""Aggregates over UNION ALL as aggregates over those of each operand: few rows leave each store."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from workloads.catalog import Catalog
from workloads.sql.blocks.aggregation import partials_of, splittable_aggregates
from workloads.sql.blocks.combined_aggregates import combined
from workloads.sql.blocks.pushdown import is_plain_relation, is_plain_set
from workloads.sql.canonical.read_alone import read_alone
from workloads.sql.features.constructs import may_change
from workloads.sql.trees.clauses import given
from workloads.sql.trees.tree import QueryTree
from workloads.sql.typing.expression_kinds import PARTIAL, Kinds
from workloads.sql.typing.types import TypeOf, Types, typed_in
from workloads.sql.typing.value_kinds import NUMBERS, UNKNOWN, Kind

_OPERAND = frozenset({"expressions", "from_", "joins", "where"})
_AGGREGATION = frozenset({"with_", "expressions", "from_", "having", "order", "limit", "offset"})
_ORDERED = NUMBERS | {"text", "date", "timestamp"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Union:
    """A UNION ALL in FROM; its `operands` have their columns in the order of `names`."""

    relation: exp.Expr
    operands: tuple[exp.Select, ...]
    names: tuple[str, ...]

    @property
    def alias(self) -> str:
        return self.relation.alias_or_name

    def partial(self, name: str) -> exp.Column:
        """Return a column with partial totals.

        It is marked: its wide type does not mean that its values have as many digits.
        """
        alias = self.relation.args.get("alias")
        table = self.relation.this if alias is None else alias.this
        found = exp.Column(this=exp.to_identifier(name), table=table.copy())
        found.meta[PARTIAL] = True
        return found

    def values(self, name: str) -> Iterator[exp.Expr]:
        """Yield what each operand has for a column."""
        position = self.names.index(name)
        return (each.selects[position].unalias() for each in self.operands)


def aggregated_operands(tree: exp.Query, catalog: Catalog) -> exp.Query:
    """Aggregate the rows of each operand of UNION ALL, and combine what comes of them.

    ``SELECT sum(x) FROM (SELECT x FROM t UNION ALL SELECT x FROM u)`` becomes
    ``SELECT sum(p) FROM (SELECT sum(x) AS p FROM t UNION ALL SELECT sum(x) AS p FROM u)``.
    The operands' tables often lie in several stores, which then hand out a row each.

    It is done where nothing groups the union, is joined with it or filters it, and all values of an
    argument have one type. So no operand is left with more than one row.
    """
    if tree.find(exp.Union) is None:
        return tree
    reads = Counter(table.name.lower() for table in tree.find_all(exp.Table))
    for select in list(tree.find_all(exp.Select)):
        union = _union_of(select, reads)
        if union is None:
            continue
        aggregates = splittable_aggregates(select)
        if not aggregates or not _is_all_of(union, select, aggregates):
            continue
        kinds = _kinds(union, aggregates, tree, typed_in(catalog))
        if kinds is not None:
            _push(union, aggregates, kinds)
    return tree


def _union_of(select: exp.Select, reads: Mapping[str, int]) -> _Union | None:
    """Return the UNION ALL of plain SELECTs that a SELECT aggregates, and nothing else does."""
    if given(select) - _AGGREGATION or not isinstance(select.args.get("from_"), exp.From):
        return None
    relation = select.args["from_"].this
    query = read_alone(relation, reads)
    operands = None if query is None else _operands(query)
    if query is None or operands is None or len(operands) < 2:  # noqa: PLR2004 - a union of two
        return None
    names = tuple(each.lower() for each in query.named_selects)
    widths = {len(each.selects) for each in operands}
    if len(set(names)) < len(names) or widths != {len(names)}:
        return None
    return _Union(relation=relation, operands=tuple(operands), names=names)


def _operands(query: exp.Expr) -> list[exp.Select] | None:
    """Return the operands of unions of all rows, in order; None where one is no plain SELECT."""
    if isinstance(query, exp.Subquery) and is_plain_relation(query) and not query.alias:
        return _operands(query.this)
    if isinstance(query, exp.Union) and not given(query) & {"distinct", "order"}:
        left, right = _operands(query.left), _operands(query.right)
        is_whole = left is not None and right is not None and is_plain_set(query)
        return [*(left or ()), *(right or ())] if is_whole else None
    return [query] if isinstance(query, exp.Select) and _is_plain(query) else None


def _is_plain(select: exp.Select) -> bool:
    """Whether each row of an operand is one of its relations' rows, with values of its own."""
    if given(select) - _OPERAND or select.args.get("from_") is None or may_change(select):
        return False
    own = {each.alias_or_name for each in _relations(select)}
    return not any(
        each.find(exp.AggFunc, exp.Window, exp.Query, exp.UDTF, exp.Star)
        # An aggregate of an outer query's columns would be that query's own.
        or any(column.table not in own for column in each.find_all(exp.Column))
        for each in select.selects
    )


def _relations(select: exp.Select) -> list[exp.Expr]:
    return [select.args["from_"].this, *(each.this for each in select.args.get("joins") or ())]


def _is_all_of(union: _Union, select: exp.Select, aggregates: Sequence[exp.Expr]) -> bool:
    """Whether a SELECT computes its row of these aggregates alone, and the same each time."""
    inside = {id(column) for each in aggregates for column in each.find_all(exp.Column)}
    order = select.args.get("order")
    clauses = filter(None, (select.args.get("having"), order))
    if not all(isinstance(each, exp.Alias) for each in select.selects):
        return False
    for part in (*select.selects, *clauses):
        if part.find(exp.Query, exp.UDTF) is not None or may_change(part):
            return False
        for column in part.find_all(exp.Column):
            # ORDER BY names what the SELECT returns.
            is_output = part is order and not column.table
            is_argument = id(column) in inside and column.table == union.alias
            if not is_output and not (is_argument and column.name.lower() in union.names):
                return False
    return True


def _kinds(
    union: _Union, aggregates: Sequence[exp.Expr], tree: exp.Query, type_of: TypeOf
) -> Mapping[str, Kind] | None:
    """Return the kind of each column in an argument; None where partial aggregates might differ.

    They do where operands have other types, and where values are no numbers that are added up.
    """
    types = Types(QueryTree(tree), type_of)
    found: dict[str, Kind] = {}
    for name in {each.name.lower() for one in aggregates for each in one.find_all(exp.Column)}:
        kinds = {types.of(value) for value in union.values(name)}
        if len(kinds) > 1 or UNKNOWN in kinds:
            return None
        (found[name],) = kinds
    of = Kinds(lambda column: found[column.name.lower()])
    for aggregate in aggregates:
        inner = aggregate.this if isinstance(aggregate, exp.Filter) else aggregate
        wanted = NUMBERS if isinstance(inner, (exp.Sum, exp.Avg)) else _ORDERED
        if not isinstance(inner, exp.Count) and of(inner.this).family not in wanted:
            return None
        is_bare = inner is aggregate and isinstance(inner.this, (exp.Column, exp.Star))
        read = {each.name.lower() for each in aggregate.find_all(exp.Column)}
        whole = [name for name in read if found[name].family == "whole"]
        # INTEGER and UINTEGER have as many digits. Their union is a BIGINT, which overflows later.
        if not is_bare and not all(_have_one_type(union, name, type_of) for name in whole):
            return None
    return found


def _have_one_type(union: _Union, name: str, type_of: TypeOf) -> bool:
    """Whether a column has one type in the tables that all operands have it of."""
    found = set()
    for operand, value in zip(union.operands, union.values(name), strict=True):
        tables = {each.alias_or_name: each.name for each in _relations(operand)}
        if not isinstance(value, exp.Column) or value.table not in tables:
            return False
        found.add(type_of(tables[value.table], value.name.lower()))
    return len(found) == 1 and None not in found


def _push(union: _Union, aggregates: Sequence[exp.Expr], kinds: Mapping[str, Kind]) -> None:
    of = Kinds(lambda column: kinds[column.name.lower()])
    names: dict[exp.Expr, str] = {}
    for aggregate in aggregates:
        partials = []
        for partial in partials_of(aggregate, of):
            name = names.setdefault(partial.copy(), _unused(union.names, len(names)))
            partials.append(union.partial(name))
        aggregate.replace(combined(aggregate, partials, of))
    for operand in union.operands:
        selects = zip(union.names, operand.selects, strict=True)
        values = {name: each.unalias() for name, each in selects}
        computed = [exp.alias_(_of(values, each), name) for each, name in names.items()]
        operand.set("expressions", computed)


def _unused(taken: Sequence[str], number: int) -> str:
    name = f"partial_{number}"
    while name in taken:
        name = f"_{name}"
    return name


def _of(values: Mapping[str, exp.Expr], partial: exp.Expr) -> exp.Expr:
    """Return a partial aggregate of what an operand has for the union's columns."""
    found = partial.copy()
    for column in list(found.find_all(exp.Column)):
        value = values[column.name.lower()].copy()
        column.replace(value if isinstance(value, exp.Column) else exp.paren(value, copy=False))
    return found
