"""Decimals of several scales that meet."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sqlglot import exp
from sqlglot.expressions import Expr

from workloads.sql.features.met_values import cut_decimals
from workloads.sql.meaning.replacing import UnlikeError, inner_first, put
from workloads.sql.typing.expression_kinds import Kinds, noted
from workloads.sql.typing.value_kinds import MOST_DIGITS, Kind

_CHOSEN = (exp.Greatest, exp.Least, exp.Coalesce, exp.Case, exp.If)
_COMPARED = (
    exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ, exp.NullSafeNEQ, exp.In,
    exp.Between,
)  # fmt: skip
_TOGETHER = "decimals of more than 38 digits together: cast them to one type of fewer digits"


def met_decimals(tree: exp.Query) -> exp.Query:
    """Keep all places where decimals become one type, whose digits DuckDB takes from the places.

    ``COALESCE(SUM(price), 1.2345)`` is 1.23 to DuckDB. Columns of more digits together than its
    decimals have are refused where one is chosen, and compared in as many as are needed.
    """
    of = Kinds(noted)
    for node in inner_first(tree, *_CHOSEN, *_COMPARED):
        values = list(_values(node))
        kinds = [_kind(each, of) for each in values]
        if not any(cut_decimals(kinds)):
            continue
        if isinstance(node, _CHOSEN):
            _widen(node, values, of)
        else:
            _clip(node, values, kinds)
    for union in inner_first(tree, exp.SetOperation):
        if isinstance(union.parent, exp.SetOperation):
            continue
        sides = [each.selects for each in selects_of(union)]
        for column in zip(*sides, strict=False):
            met = [each.unalias() for each in column]
            if any(cut_decimals([_kind(each, of) for each in met])):
                _widen(union, met, of)
    return tree


def selects_of(query: Expr) -> list[exp.Select]:
    """Return the SELECTs that a set operation combines."""
    if isinstance(query, exp.Select):
        return [query]
    if isinstance(query, exp.SetOperation):
        return [*selects_of(query.this), *selects_of(query.expression)]
    return selects_of(query.this) if isinstance(query, exp.Subquery) else []


def _values(node: Expr) -> Iterator[Expr]:
    if isinstance(node, exp.Case):
        for each in (*(arm.args["true"] for arm in node.args["ifs"]), node.args.get("default")):
            if each is not None:
                yield each
    elif isinstance(node, exp.If):
        if not isinstance(node.parent, exp.Case):
            yield from (each for each in (node.args["true"], node.args.get("false")) if each)
    elif node.args.get("query"):
        yield node.this
        yield node.args["query"]
    else:
        yield from node.iter_expressions()


def _kind(node: Expr, of: Kinds) -> Kind:
    """Return the kind of a value, which a query of one may give: DuckDB gives sums all digits."""
    inner = node.unnest()
    if isinstance(inner, exp.Select) and len(inner.selects) == 1:
        return _kind(inner.selects[0].unalias(), of)
    found = of(node)
    is_sum = found.family == "decimal" and node.find(exp.Sum) is not None
    return replace(found, digits=MOST_DIGITS) if is_sum else found


def _one_of(value: Expr) -> Expr:
    """Return a value, or that which a query of one column gives."""
    inner = value.unnest()
    return inner.selects[0].unalias() if isinstance(inner, exp.Select) else value


def _widen(node: Expr, values: Sequence[Expr], of: Kinds) -> None:
    """Cast to all digits that DuckDB has, with the most places."""
    columns = [each for value in values for each in _columns(value)]
    literals = [each for each in values if isinstance(each, exp.Literal)]
    if any(cut_decimals([of(each) for each in (*columns, *literals)])):
        raise UnlikeError(node, _TOGETHER)
    most = max(of(each).scale for each in values)
    for each in values:
        put(each, exp.cast(each.copy(), f"DECIMAL({MOST_DIGITS}, {most})"))


def _columns(value: Expr) -> Iterator[exp.Column]:
    """Yield the columns whose digits a value has: a sum has as many as DuckDB has."""
    yield from (each for each in value.find_all(exp.Column) if each.find_ancestor(exp.Sum) is None)


def _clip(node: Expr, values: Sequence[Expr], kinds: Sequence[Kind]) -> None:
    """Compare what has too many digits as a number just beyond all that it is compared with."""
    most = max(each.scale for each in kinds)
    whole = [min(each.digits, MOST_DIGITS) - each.scale for each in kinds]
    wide = [number for number, digits in enumerate(whole) if digits + most > MOST_DIGITS]
    others = [digits for number, digits in enumerate(whole) if number not in wide]
    if len(wide) > 1 or max(others) + 1 + most > MOST_DIGITS:
        if any(value.find(exp.Sum) for value in values):
            # Sums have as many digits as DuckDB has, and hardly ever need them.
            return
        raise UnlikeError(node, _TOGETHER)
    value, end = _one_of(values[wide[0]]), 10 ** max(others)
    beyond, below = exp.Literal.number(end), exp.Literal.number(-end)
    clipped = exp.case().when(exp.GT(this=exp.paren(value.copy()), expression=beyond), beyond)
    clipped = clipped.when(exp.LT(this=exp.paren(value.copy()), expression=below), below.copy())
    exact = clipped.else_(value.copy())
    put(value, exp.cast(exact, f"DECIMAL({MOST_DIGITS}, {most})"))
