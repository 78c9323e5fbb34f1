"""Window functions, and what surrounds aggregates."""

from collections.abc import Callable, Iterator, Mapping

from sqlglot import exp

from workloads.sql.typing.expression_kinds import Of

_RANKING = (exp.RowNumber, exp.Rank, exp.DenseRank, exp.PercentRank, exp.CumeDist)
_OVER_WINDOWS = (
    *_RANKING,
    *(exp.Ntile, exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue),
    *(exp.Count, exp.Sum, exp.Avg, exp.Min, exp.Max),
)
_ENDS = frozenset({"UNBOUNDED", "CURRENT ROW"})


def _window(node: exp.Expr, of: Of) -> Iterator[str]:
    yield "window"
    if node.args.get("alias") is not None or not isinstance(node.this, exp.Expr):
        yield "named_window"
    function = node.this
    if isinstance(function, (exp.IgnoreNulls, exp.RespectNulls)):
        return
    if isinstance(function, exp.Filter):
        yield "window_filter"
        function = function.this
    if isinstance(function.this, exp.Distinct):
        yield "window_distinct"
    elif not isinstance(function, _OVER_WINDOWS):
        yield "window_function"
    yield from _frame(node.args.get("spec"))
    if isinstance(function, exp.Avg) or of(function.this).family == "double":
        yield from _sliding(node.args.get("spec"))
    if _sorts_nulls_last(node):
        yield "window_nulls_last"


def _frame(spec: exp.Expr | None) -> Iterator[str]:
    if spec is None:
        return
    ends = [spec.args.get("start"), spec.args.get("end")]
    named = all(each is None or each in _ENDS for each in ends)
    rows = spec.text("kind").upper() == "ROWS"
    counted = all(each is None or each in _ENDS or _is_count(each) for each in ends)
    if (
        spec.args.get("exclude")
        or spec.text("kind").upper() == "GROUPS"
        or not (named or (rows and counted))
    ):
        yield "window_frame"


def _sliding(spec: exp.Expr | None) -> Iterator[str]:
    """Yield what MySQL lacks: it subtracts from sums what leaves a frame, and loses digits so."""
    if spec is not None and spec.args.get("start") != "UNBOUNDED":
        yield "sliding_frame"


def _is_count(node: object) -> bool:
    return isinstance(node, exp.Literal) and not node.is_string and str(node.this).isdigit()


def _sorts_nulls_last(window: exp.Expr) -> bool:
    """Whether the window sorts upwards with nulls last: there MySQL sorts them first."""
    order = window.args.get("order")
    return order is not None and any(
        not term.args.get("desc") and not term.args.get("nulls_first") for term in order.expressions
    )


def _ranking(node: exp.Expr, _: Of) -> Iterator[str]:
    if node.expressions:
        yield "ordered_aggregate"


def _moved(node: exp.Expr, _: Of) -> Iterator[str]:
    offset = node.args.get("offset")
    if (offset is not None and not _is_count(offset)) or node.args.get("default") is not None:
        yield "window_function"


def _tiles(node: exp.Expr, _: Of) -> Iterator[str]:
    if not _is_count(node.this):
        yield "window_function"


def _ignoring(node: exp.Expr, _: Of) -> Iterator[str]:
    yield "function" if not isinstance(node.parent, exp.Window) else "ignore_nulls"


def _order(node: exp.Expr, _: Of) -> Iterator[str]:
    if isinstance(node.parent, exp.AggFunc):
        yield "ordered_aggregate"


def _nothing(_node: exp.Expr, _of: Of) -> Iterator[str]:
    return iter(())


WINDOWS: Mapping[type[exp.Expr], Callable[[exp.Expr, Of], Iterator[str]]] = {
    exp.Window: _window,
    **dict.fromkeys(_RANKING, _ranking),
    exp.Ntile: _tiles,
    **dict.fromkeys((exp.Lag, exp.Lead), _moved),
    **dict.fromkeys((exp.FirstValue, exp.LastValue, exp.Filter), _nothing),
    **dict.fromkeys((exp.IgnoreNulls, exp.RespectNulls), _ignoring),
    exp.Order: _order,
}
