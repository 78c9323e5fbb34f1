"""The features of expressions: one check for each kind of node that is known."""

from collections.abc import Callable, Iterator, Mapping

from sqlglot import exp

from workloads.sql.features.functions import FUNCTIONS
from workloads.sql.features.operators import OPERATORS
from workloads.sql.features.windows import WINDOWS
from workloads.sql.typing.expression_kinds import Kinds, Of, noted

_STRUCTURE = (
    *(exp.Select, exp.From, exp.Join, exp.Where, exp.Having, exp.Group, exp.Order, exp.Ordered),
    *(exp.Limit, exp.Offset, exp.With, exp.CTE, exp.Table, exp.TableAlias, exp.Identifier),
    *(exp.Alias, exp.Column, exp.Subquery, exp.Paren, exp.Star, exp.Var, exp.DataType),
    *(
        exp.DataTypeParam,
        exp.Literal,
        exp.Null,
        exp.Boolean,
        exp.Union,
        exp.Intersect,
        exp.Except,
        exp.Distinct,
    ),
    *(exp.WindowSpec, exp.Rollup, exp.Cube, exp.GroupingSets, exp.Placeholder, exp.Parameter),
    *(exp.Lateral, exp.Qualify, exp.Fetch, exp.Values, exp.TableSample),
)
"""Nodes that are looked at with their block (`blocks`), or are parts of others."""
Check = Callable[[exp.Expr, Of], Iterator[str]]
_CHECKS: Mapping[type[exp.Expr], Check | None] = {
    **dict.fromkeys(_STRUCTURE),
    **OPERATORS,
    **FUNCTIONS,
    **WINDOWS,
}


def _unknown(_node: exp.Expr, _of: Of) -> Iterator[str]:
    yield "function"


def features_within(node: exp.Expr, of: Of | None = None) -> frozenset[str]:
    """Return the features of an expression, or of a block without the queries nested in it.

    `of` tells the kinds of values; without it they are those that sqlglot has noted at columns, and
    a column without a note is of any kind.
    """
    kinds = of or Kinds(noted)
    nodes = list(node.walk(prune=lambda each: each is not node and isinstance(each, exp.Query)))
    found: set[str] = set()
    # Operands before what is made of them: their kinds are told once.
    for each in reversed(nodes):
        check = _CHECKS.get(type(each), _unknown)
        if check is not None:
            found.update(check(each, kinds))
    return frozenset(found)


def condition_features(condition: exp.Expr | None, of: Of | None = None) -> frozenset[str]:
    """Return the features of a join's condition; none where there is no condition."""
    return features_within(condition, of) if condition is not None else frozenset()


def may_change(node: exp.Expr) -> bool:
    """Whether a value may differ when it is computed once more: no function of it is known."""
    return "function" in features_within(node)
