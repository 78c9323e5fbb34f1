"""Operators and comparisons that mean the same in every system, by their operands' types."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from sqlglot import exp

from workloads.sql.features.arithmetic import ARITHMETIC
from workloads.sql.features.met_values import compared, cut_decimals, known, mixed, tests
from workloads.sql.typing.expression_kinds import Of, branches
from workloads.sql.typing.value_kinds import Kind


def _comparison(node: exp.Expr, of: Of) -> Iterator[str]:
    yield from compared([node.this, node.expression], of)


def _between(node: exp.Expr, of: Of) -> Iterator[str]:
    if node.args.get("symmetric") is not None:
        yield "symmetric_between"
    yield from compared([node.this, node.args["low"], node.args["high"]], of)


def _in(node: exp.Expr, of: Of) -> Iterator[str]:
    query = node.args.get("query")
    if node.args.get("unnest") or node.args.get("field"):
        yield "function"
    elif query is None:
        yield from compared([node.this, *node.expressions], of)
    else:
        yield from compared([node.this, query], of)
        yield from cut_decimals([of(node.this), of(query)])
        if not is_filter(node):
            yield "in_as_value"
        if _is_narrower_whole(of(query), of(node.this)) and not _is_positive(node):
            yield "narrower_subquery"


def _is_narrower_whole(kind: Kind, other: Kind) -> bool:
    return kind.family == other.family == "whole" and kind.digits < other.digits


def _is_positive(node: exp.Expr) -> bool:
    """Whether a test is one of a filter, and nothing negates it."""
    around = node.find_ancestor(exp.Not, exp.Select)
    return is_filter(node) and not isinstance(around, exp.Not)


def is_filter(node: exp.Expr) -> bool:
    """Whether a test only decides which rows are kept: NULL and false are the same there.

    A negation is one where it is a conjunct.
    """
    negated = False
    below, above = node, node.parent
    while isinstance(above, (exp.And, exp.Or, exp.Paren, exp.Not)):
        if isinstance(above, exp.Or) and negated:
            return False
        if isinstance(above, exp.Not):
            if negated or isinstance(below.unnest(), (exp.And, exp.Or)):
                return False
            negated = True
        below, above = above, above.parent
    if isinstance(above, exp.Join):
        return not above.side
    return isinstance(above, exp.Where)


def _exists(node: exp.Expr, _: Of) -> Iterator[str]:
    if not is_filter(node):
        yield "exists_as_value"


def _truth(node: exp.Expr, of: Of) -> Iterator[str]:
    yield from tests([each for key in ("this", "expression") if (each := node.args.get(key))], of)


def _is(node: exp.Expr, of: Of) -> Iterator[str]:
    right = node.expression
    if isinstance(right, exp.Null):
        if isinstance(node.this.unnest(), exp.Tuple):
            yield "row_comparison"
    elif isinstance(right, exp.Boolean):
        yield from tests([node.this], of)
    else:
        yield from compared([node.this, right], of)


def _like(node: exp.Expr, of: Of) -> Iterator[str]:
    yield from _text_only([node.this, node.expression], of)
    pattern = node.expression.unnest()
    if not isinstance(pattern, exp.Literal) and of(pattern).family != "any":
        yield "like_pattern"


def _ilike(_node: exp.Expr, _of: Of) -> Iterator[str]:
    yield "case_insensitive_like"


def _text_only(nodes: Sequence[exp.Expr], of: Of) -> Iterator[str]:
    families = known([of(each) for each in nodes])
    if families - {"text"}:
        yield "unknown_type" if "unknown" in families else "mixed_types"


def _escape(_node: exp.Expr, _of: Of) -> Iterator[str]:
    yield "like_escape"


def _choice(node: exp.Expr, of: Of) -> Iterator[str]:
    yield from mixed(branches(node), of)
    if isinstance(node, exp.Case) and node.this is not None:
        yield from compared([node.this, *(each.this for each in node.args["ifs"])], of)
    elif isinstance(node, exp.Case):
        yield from tests([each.this for each in node.args["ifs"]], of)
    elif isinstance(node, exp.If) and not isinstance(node.parent, exp.Case):
        yield from tests([node.this], of)


def _first_or_null(node: exp.Expr, of: Of) -> Iterator[str]:
    yield from compared([node.this, node.expression], of)


def _bits(_node: exp.Expr, _of: Of) -> Iterator[str]:
    yield "bit_operation"


def _nothing(_node: exp.Expr, _of: Of) -> Iterator[str]:
    return iter(())


def _tuple(node: exp.Expr, _: Of) -> Iterator[str]:
    if isinstance(node.parent, exp.Distinct):
        yield "row_value"
    elif not isinstance(node.parent, (exp.GroupingSets, exp.Rollup, exp.Cube, exp.Group, exp.In)):
        yield "row_comparison"


OPERATORS: Mapping[type[exp.Expr], Callable[[exp.Expr, Of], Iterator[str]]] = {
    **dict.fromkeys(
        (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.NullSafeNEQ),
        _comparison,
    ),
    exp.Between: _between,
    exp.In: _in,
    exp.Exists: _exists,
    **dict.fromkeys((exp.And, exp.Or, exp.Not), _truth),
    exp.Is: _is,
    exp.Like: _like,
    exp.ILike: _ilike,
    exp.Escape: _escape,
    **ARITHMETIC,
    **dict.fromkeys((exp.Case, exp.If, exp.Coalesce, exp.Greatest, exp.Least), _choice),
    exp.Nullif: _first_or_null,
    exp.Tuple: _tuple,
    **dict.fromkeys((exp.Any, exp.All), _nothing),
    **dict.fromkeys(
        (
            exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseXor, exp.BitwiseNot,
            exp.BitwiseLeftShift, exp.BitwiseRightShift,
        ),
        _bits,
    ),
}  # fmt: skip
