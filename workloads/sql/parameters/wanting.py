"""The values that parameters want: by the column that they are compared with, or by their place."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlglot import exp

from workloads.catalog import Catalog
from workloads.paths import shortened
from workloads.sql.parameters.base_columns import BaseColumns
from workloads.sql.parameters.places import PREFIX, Parameter, named
from workloads.sql.parameters.suggested import MONTH, as_written, of_kind, suggested
from workloads.sql.parsing.door import through_door
from workloads.sql.parsing.parse import parse
from workloads.sql.resolving.resolve import qualified
from workloads.sql.trees.tree import QueryTree
from workloads.sql.typing.types import Types, typed_in
from workloads.wanted import Compared, Role, Wanted
from workloads.workload import Query

_EQUAL = (exp.EQ, exp.NullSafeEQ)
_UNEQUAL = (exp.NEQ, exp.NullSafeNEQ)
_MORE, _LESS = (exp.GT, exp.GTE), (exp.LT, exp.LTE)
_COMPARISONS = (*_EQUAL, *_UNEQUAL, *_MORE, *_LESS)
_PATTERNS = (exp.Like, exp.ILike)
_JOINED = (exp.Concat, exp.DPipe, exp.ConcatWs)
_UNTOLD = "the column that it is compared with cannot be told"
# As dialects write a named parameter.
_MARKED = re.compile(rf"[%:@$]?\(?{PREFIX}\d+(?:\)s)?")


@through_door
def wanted(
    query: Query, found: Sequence[Parameter], catalog: Catalog, dialect: str
) -> tuple[Wanted, ...]:
    """Return what each of the parameters that were `found` in a statement wants.

    Raises:
        SqlError: The text does not parse, or has a name that the catalog does not know.
    """
    parsed = parse(named(query, found, dialect), dialect)
    tree = QueryTree(qualified(parsed, query, catalog, dialect))
    asking = _Asking(tree, catalog, dialect)
    nodes: dict[int, exp.Placeholder] = {}
    for node in tree.expression.find_all(exp.Placeholder):
        name = node.name.lower()
        if name.startswith(PREFIX):
            nodes.setdefault(int(name.removeprefix(PREFIX)), node)
    return tuple(asking.wanted(place, nodes.get(place), each) for place, each in enumerate(found))


class _Asking:
    """Asks of one query what its parameters are compared with."""

    def __init__(self, tree: QueryTree, catalog: Catalog, dialect: str) -> None:
        self._dialect = dialect
        self._types = Types(tree, typed_in(catalog))
        self._bases = BaseColumns(tree, catalog, lambda node: suggested(node, self._types.of))

    def wanted(self, place: int, node: exp.Placeholder | None, parameter: Parameter) -> Wanted:
        """Return what the parameter at a place wants, of which `node` is in the tree."""
        if node is None:
            return Wanted(place=place, lacks="its place is not understood")
        around = _around(node)
        child, is_quoted = around.node, parameter.before is not None or around.cast is not None
        lacks = _UNTOLD
        for told, others, row in _comparisons(child):
            is_one = parameter.is_one and isinstance(child.parent, exp.In) and len(others) == 1
            role: Role = "equal" if told == "among" and is_one else told
            bases = [self._bases.of(each) for each in others]
            places = {(each.table, each.occurrence) for each in bases if each is not None}
            if None not in bases and len(places) == 1:
                ((table, occurrence),) = places
                compared = Compared(
                    role=role,
                    table=table,
                    occurrence=occurrence,
                    sqls=tuple(
                        f"-({each.sql})" if around.is_negated else each.sql
                        for each in bases
                        if each is not None
                    ),
                    row=row,
                )
                return Wanted(
                    place=place,
                    compared=compared,
                    is_quoted=is_quoted,
                    is_computed=around.is_moved,
                )
            if len(others) == 1 and (default := self._default(others[0])):
                return Wanted(place=place, default=default, is_quoted=is_quoted)
            return Wanted(place=place, lacks=lacks)
        if around.cast is not None and around.cast.is_type(exp.DType.INTERVAL):
            return Wanted(place=place, default=MONTH, is_quoted=True)
        default = suggested(child, self._types.of)
        if not default:
            lacks = f"nothing tells what may stand in {_described(child, self._dialect)}"
        return Wanted(
            place=place,
            default=as_written(default, self._dialect),
            lacks="" if default else lacks,
            is_quoted=is_quoted,
        )

    def _default(self, other: exp.Expr) -> str:
        """Return a literal to be compared with what is no column of one table."""
        return of_kind(self._types.of(other.unnest()))


@dataclass(frozen=True, slots=True)
class _Around:
    """A parameter as `node` with the casts, signs and parentheses around it.

    `cast` is the innermost type that it is cast to. A moment that an interval is added to is
    `is_moved`.
    """

    node: exp.Expr
    cast: exp.DataType | None = None
    is_negated: bool = False
    is_moved: bool = False


def _around(node: exp.Expr) -> _Around:
    found = _Around(node)
    while (parent := found.node.parent) is not None:
        if isinstance(parent, (exp.Cast, exp.TryCast)):
            found = replace(found, node=parent, cast=found.cast or parent.to)
        elif isinstance(parent, exp.Neg):
            found = replace(found, node=parent, is_negated=not found.is_negated)
        elif isinstance(parent, exp.Paren):
            found = replace(found, node=parent)
        elif isinstance(parent, (exp.Add, exp.Sub)) and _adds_interval(parent, found.node):
            found = replace(found, node=parent, is_moved=True)
        else:
            break
    return found


def _adds_interval(parent: exp.Binary, node: exp.Expr) -> bool:
    added = parent.right.unnest()
    is_interval = isinstance(added, exp.Interval) or (
        isinstance(added, exp.Cast) and added.to.is_type(exp.DType.INTERVAL)
    )
    return is_interval and node is not parent.right


_Found = Iterator[tuple[Role, Sequence[exp.Expr], int]]
"""A comparison of a value: its kind, its operand, and the row of it."""


def _comparisons(child: exp.Expr) -> _Found:
    """Yield how a value is compared, with what, and with which row of it, if it is compared."""
    parent = child.parent
    if parent is None:
        return
    if _is_quantifier(parent):
        yield from _quantified(parent)
    for types, rule in _RULES:
        if isinstance(parent, types):
            yield from rule(child, parent)
            return


def _beside(child: exp.Expr, parent: exp.Binary) -> _Found:
    other = parent.right if child is parent.left else parent.left
    if not _is_quantifier(other.unnest()):
        yield _role(parent, is_right=child is parent.right), [other], 0


def _between(child: exp.Expr, parent: exp.Between) -> _Found:
    if child.arg_key == "this":
        yield "equal", [parent.args["low"]], 0
    else:
        yield "low" if child.arg_key == "low" else "high", [parent.this], 0


def _in_array(child: exp.Expr, parent: exp.Array) -> _Found:
    around = parent.parent
    while isinstance(around, (exp.Paren, exp.Cast)):
        around = around.parent
    if _is_quantifier(around):
        for role, others, _ in _quantified(around):
            yield "equal" if role == "among" else "unequal", others, child.index or 0


def _like(child: exp.Expr, parent: exp.Binary) -> _Found:
    is_text = child.arg_key == "this"
    yield ("equal", [parent.expression], 0) if is_text else ("prefix", [parent.this], 0)


def _when(child: exp.Expr, parent: exp.If) -> _Found:
    case = parent.parent
    if child.arg_key == "this" and isinstance(case, exp.Case) and case.this is not None:
        yield "equal", [case.this], 0


def _in_pattern(child: exp.Expr, parent: exp.Expr) -> _Found:
    """Yield the column of a pattern that is put together of texts.

    Where all of them are parameters, so that no wildcard is told, the first is the pattern.
    """
    around = parent
    while isinstance(around.parent, (*_JOINED, exp.Paren, exp.Cast)):
        around = around.parent
    if not isinstance(around.parent, _PATTERNS) or around.arg_key != "expression":
        return
    told = [each for each in around.walk() if isinstance(each, (exp.Literal, exp.Column))]
    first = next(around.find_all(exp.Placeholder, bfs=False), None)
    if told:
        yield "part", [around.parent.this], 0
    elif first is child.unnest():
        yield "prefix", [around.parent.this], 0


def _role(comparison: exp.Expr, *, is_right: bool) -> Role:
    if isinstance(comparison, _EQUAL):
        return "equal"
    if isinstance(comparison, _UNEQUAL):
        return "unequal"
    return "low" if isinstance(comparison, _MORE) == is_right else "high"


def _within(child: exp.Expr, parent: exp.In) -> _Found:
    """Yield what an IN list is compared with, or for ``$1 IN (SELECT …)`` what is selected."""
    if child.arg_key == "this":
        query = parent.args.get("query")
        selects = query.unnest().selects if query is not None else parent.expressions
        yield "equal", [selects[0].unalias()], 0
        return
    role: Role = "unequal" if isinstance(parent.parent, exp.Not) else "equal"
    row = parent.this.unnest()
    alone = len(parent.expressions) == 1
    if isinstance(row, exp.Tuple):
        yield "among", row.expressions, 0
    else:
        yield "among" if alone and role == "equal" else role, [parent.this], child.index or 0


def _is_quantifier(node: exp.Expr | None) -> bool:
    """Whether it is ANY or ALL of values, which sqlglot takes for a function of that name."""
    is_named = isinstance(node, exp.Anonymous) and node.name.lower() in {"any", "some", "all"}
    return is_named or isinstance(node, (exp.Any, exp.All))


def _quantified(parent: exp.Expr | None) -> _Found:
    comparison = None if parent is None else parent.parent
    if isinstance(comparison, (*_EQUAL, *_UNEQUAL)):
        other = comparison.left if parent is comparison.right else comparison.right
        yield "among" if isinstance(comparison, _EQUAL) else "unequal", [other], 0


def _in_row(child: exp.Expr, parent: exp.Tuple) -> _Found:
    """Yield the column beside a parameter where rows of values are compared."""
    around = parent.parent
    number = 0
    if isinstance(around, exp.In):
        other, number = around.this, parent.index or 0
    elif isinstance(around, _COMPARISONS):
        other = around.right if parent is around.left else around.left
    else:
        return
    row = other.unnest()
    if (
        isinstance(row, exp.Tuple)
        and child.index is not None
        and child.index < len(row.expressions)
    ):
        role: Role = "equal"
        if isinstance(around, _COMPARISONS):
            role = _role(around, is_right=parent is around.right)
        yield role, [row.expressions[child.index]], number


def _described(child: exp.Expr, dialect: str) -> str:
    parent = child.parent
    if parent is None:
        return "its place"
    return f"'{shortened(_MARKED.sub('?', parent.sql(dialect)))}'"


_RULES: Sequence[tuple[tuple[type[exp.Expr], ...], Callable[[Any, Any], _Found]]] = (
    (_COMPARISONS, _beside),
    ((exp.Between,), _between),
    ((exp.In,), _within),
    ((exp.Array,), _in_array),
    ((exp.Tuple,), _in_row),
    (_PATTERNS, _like),
    (_JOINED, _in_pattern),
    ((exp.If,), _when),
)
"""Syntax around a value → the comparison that it makes."""
