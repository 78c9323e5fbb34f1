"""A statement of DuckDB with what ties in it in other orders, each as right as that of another.

Ties decide which rows a LIMIT within a statement takes, which row DISTINCT ON keeps, which one an
ASOF JOIN finds, which number a window gives, and in which order an aggregate has its values.
DuckDB's own choice need not change with the order of the tables' rows: groups come out of their
table by their keys.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from workloads.sql.asof_ties import ordered_asof
from workloads.sql.parsing.door import door
from workloads.sql.parsing.parse import parse
from workloads.workload import Query

_NUMBERING = (exp.RowNumber, exp.Ntile, exp.Lag, exp.Lead, exp.FirstValue)
"""Windows that tell rows apart that tie, whatever their frame."""
_IN_ORDER = (exp.GroupConcat, exp.ArrayAgg, exp.First, exp.Last, exp.AnyValue, exp.Mode)
_OF_EXTREME = (exp.ArgMax, exp.ArgMin)


@dataclass(frozen=True, slots=True, kw_only=True)
class TieOrder:
    """An order of what ties: up or down, or with a `seed` by chance."""

    descending: bool = False
    seed: int | None = None


TIE_ORDERS = (
    TieOrder(),
    TieOrder(descending=True),
    *(TieOrder(seed=seed) for seed in (17, 2021, 4711, 90001)),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TieTexts:
    """The text of a statement as it was read, and those that put ties in order, one an order."""

    plain: str
    ordered: tuple[str, ...] = ()


def tie_texts(query: Query) -> TieTexts:
    """Return the texts of a statement in DuckDB's SQL; none in order where nothing can tie.

    The outermost ORDER BY and LIMIT stay as they are.

    Raises:
        SqlError: It cannot be read.
    """
    with door(query):
        plain = parse(query, "duckdb").sql("duckdb")
        texts = (_text(query, order) for order in TIE_ORDERS)
        return TieTexts(plain=plain, ordered=tuple(text for text in texts if text != plain))


def _text(query: Query, order: TieOrder) -> str:
    tree = parse(query, "duckdb")
    kinds = (exp.Query, exp.Window, exp.AggFunc, exp.Join)
    found = [node for node in tree.walk() if isinstance(node, kinds)]
    for number, node in enumerate(found):
        if isinstance(node, exp.Query):
            _order_rows(node, order, number)
        elif isinstance(node, exp.Window):
            _order_window(node, order, number)
        elif isinstance(node, exp.Join):
            _order_asof(node, order, number)
        else:
            _order_values(node, order, number)
    return tree.sql("duckdb")


def _order_rows(query: exp.Query, order: TieOrder, number: int) -> None:
    """Order the rows of a query of which some are left out by all its outputs in the end."""
    distinct = query.args.get("distinct")
    picks = isinstance(distinct, exp.Distinct) and distinct.args.get("on") is not None
    is_cut = query.args.get("limit") is not None or query.args.get("offset") is not None
    if not (picks or (is_cut and not _is_outermost(query))):
        return
    sort = query.args.get("order") or exp.Order(expressions=[])
    terms = _terms(query, order, number)
    query.set("order", exp.Order(expressions=[*sort.expressions, *terms]))


def _order_asof(join: exp.Join, order: TieOrder, number: int) -> None:
    """Order the rows that an ASOF JOIN finds equally near by all that they have."""
    if join.method == "ASOF":
        row = exp.column(exp.to_identifier(join.this.alias_or_name, quoted=True))
        lateral = ordered_asof(join, _ordered([row], order, number))
        if lateral is not None:
            join.replace(lateral)


def _is_outermost(query: exp.Query) -> bool:
    node = query.parent
    while isinstance(node, exp.Subquery) and not (node.args.get("limit") or node.args.get("order")):
        node = node.parent
    return node is None


def _terms(query: exp.Query, order: TieOrder, number: int) -> list[exp.Ordered]:
    outputs = list(query.selects)
    is_star = any(each.is_star for each in outputs)
    places = range(1, len(outputs) + 1)
    keys: list[exp.Expr]
    if order.seed is None:
        keys = [exp.Columns(this=exp.Star())] if is_star else list(map(_number, places))
    elif isinstance(query, exp.Select):
        keys = _sources(query) if is_star else [each.unalias().copy() for each in outputs]
    else:
        # A set operation is ordered by its outputs alone.
        turned = (order.seed + number) % 2 == 1
        return [_by(_number(place), descending=turned) for place in reversed(places)]
    return _ordered(keys, order, number)


def _order_window(window: exp.Window, order: TieOrder, number: int) -> None:
    """Order the rows of a window that tie by all that they have."""
    select = window.find_ancestor(exp.Select)
    spec = window.args.get("spec")
    by_rows = spec is not None and spec.args.get("kind") == "ROWS"
    inner = window.this.this if isinstance(window.this, exp.IgnoreNulls) else window.this
    if select is None or window.args.get("alias") or not (by_rows or isinstance(inner, _NUMBERING)):
        return
    group = select.args.get("group")
    keys = [_written(each, select) for each in group.expressions] if group else _sources(select)
    sort = window.args.get("order") or exp.Order(expressions=[])
    terms = _ordered(keys, order, number)
    if terms:
        window.set("order", exp.Order(expressions=[*sort.expressions, *terms]))


def _order_values(call: exp.AggFunc, order: TieOrder, number: int) -> None:
    """Order the values of an aggregate that has them in any order, or takes one of those."""
    select = call.find_ancestor(exp.Select)
    if select is None or call.find_ancestor(exp.Window) or _is_fed_in_order(select):
        return
    place = "expression" if isinstance(call, _OF_EXTREME) else "this"
    held = call.args.get(place)
    if not isinstance(call, (*_IN_ORDER, *_OF_EXTREME)) or not isinstance(held, exp.Expression):
        return
    sort = held if isinstance(held, exp.Order) else exp.Order(this=held.copy(), expressions=[])
    value = call.this.this if isinstance(call.this, exp.Order) else call.this
    if isinstance(value, exp.Distinct):
        value = value.expressions[0]
    # Values that are DISTINCT can be ordered by themselves alone.
    if isinstance(sort.this, exp.Distinct):
        order = TieOrder(descending=order.descending)
    terms = _ordered([value.copy()], order, number)
    call.set(place, exp.Order(this=sort.this, expressions=[*sort.expressions, *terms]))


def _is_fed_in_order(select: exp.Select) -> bool:
    """Whether the rows come from a derived table with an order, which users rely on."""
    return any(
        isinstance(each, exp.Subquery) and each.this.args.get("order") is not None
        for each in _tables(select)
    )


def _tables(select: exp.Select) -> Iterator[exp.Expr]:
    first = select.args.get("from_")
    if first is not None:
        yield first.this
    for join in select.args.get("joins") or ():
        yield join.this


def _sources(select: exp.Select) -> list[exp.Expr]:
    """Return the whole rows of the tables, each as a value by the table's name."""
    names = (each.alias_or_name for each in _tables(select))
    return [exp.column(exp.to_identifier(name, quoted=True)) for name in names if name]


def _written(key: exp.Expr, select: exp.Select) -> exp.Expr:
    """Return a key of GROUP BY, which may be the number of an output."""
    if isinstance(key, exp.Literal) and key.is_int:
        return select.selects[int(key.this) - 1].unalias().copy()
    return key.copy()


def _ordered(keys: list[exp.Expr], order: TieOrder, number: int) -> list[exp.Ordered]:
    if order.seed is not None:
        keys = [exp.Anonymous(this="hash", expressions=[*keys, _number(order.seed + number)])]
    return [_by(key, descending=order.descending) for key in keys]


def _by(key: exp.Expr, *, descending: bool) -> exp.Ordered:
    return exp.Ordered(this=key, desc=descending, nulls_first=not descending)


def _number(value: int) -> exp.Expr:
    return exp.Literal.number(value)
