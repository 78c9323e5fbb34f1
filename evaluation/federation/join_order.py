"""The order in which the combining query joins: connected, and with few rows on the way.

Spark reorders no join that has a hint, and small fragments are hinted to be broadcast. In the order
of FROM it multiplies what has nothing in common yet (q64 joins two date_dims that only the customer
refers to, 73,049 rows each, with 50 sales), or two fact tables by the one of their columns that is
known so early (q72 sales with the inventory of any week).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from sqlglot import exp

from workloads.sql.trees.predicates import conjuncts
from workloads.sql.trees.tree import QueryTree

WORTH = 2.0
"""The order of FROM makes so many times as many rows on the way where another is worth it."""
_TIED = 0.1
"""The share of rows kept by a comparison that is not between two columns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewSize:
    """Predictions for a view: its rows, and the largest number of values of its columns."""

    rows: float
    distinct: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tie:
    """Relations that a condition compares, and the share of their pairs that it keeps."""

    names: frozenset[str]
    share: float


def ordered_joins(tree: exp.Query, sizes: Mapping[str, ViewSize]) -> exp.Query:
    """Reorder the cross joins that each FROM begins with; WHERE says what is compared.

    Each relation comes after one that an equality ties it to, where there is one. Of all such
    orders the one of FROM is kept unless another makes far fewer rows on the way, as `sizes` of
    the views, by their names, predict them.
    """
    for select in list(tree.find_all(exp.Select)):
        joins = list(select.args.get("joins") or ())
        free = _leading(joins)
        from_, where = select.args.get("from_"), select.args.get("where")
        if len(free) < 2 or from_ is None or where is None:  # noqa: PLR2004 - two have one order
            continue
        relations = {each.alias_or_name: each for each in (from_.this, *(j.this for j in free))}
        if len(relations) <= len(free):
            continue
        known = {
            name: sizes[relation.name]
            for name, relation in relations.items()
            if isinstance(relation, exp.Table) and relation.name in sizes
        }
        ties = list(_ties(conjuncts(where.this), known))
        order = _connected(list(relations), ties)
        if len(known) == len(relations):
            order = _cheaper(order, known, ties)
        from_.set("this", relations[order[0]])
        written = [exp.Join(this=relations[name], kind="CROSS") for name in order[1:]]
        select.set("joins", [*written, *joins[len(free) :]])
    return tree


def view_size(
    expression: exp.Query, rows: float, distinct: Mapping[str, Mapping[str, float]]
) -> ViewSize:
    """Return the size of what `expression` hands out; `distinct` is by table and column."""
    tables = QueryTree(expression).root.tables
    found = {}
    for output in expression.selects:
        column = output.unalias()
        if isinstance(column, exp.Column) and column.table in tables:
            known = distinct.get(tables[column.table].lower(), {}).get(column.name.lower())
            if known is not None:
                found[output.alias_or_name] = min(known, rows)
    return ViewSize(rows=rows, distinct=found)


def _leading(joins: Sequence[exp.Join]) -> list[exp.Join]:
    """Return the cross joins of tables and subqueries that come before any other join."""
    found: list[exp.Join] = []
    for join in joins:
        bare = not (join.side or join.method or join.args.get("on") or join.args.get("using"))
        if not bare or join.kind != "CROSS" or not isinstance(join.this, (exp.Table, exp.Subquery)):
            break
        found.append(join)
    return found


def _ties(parts: Sequence[exp.Expr], sizes: Mapping[str, ViewSize]) -> list[_Tie]:
    found = []
    for part in parts:
        if not isinstance(part, exp.EQ) or part.find(exp.Query) is not None:
            continue
        names = frozenset(column.table for column in part.find_all(exp.Column))
        if len(names) > 1:
            sides = (part.left.unnest(), part.right.unnest())
            found.append(_Tie(names=names, share=_share(sides, sizes)))
    return found


def _share(sides: Sequence[exp.Expr], sizes: Mapping[str, ViewSize]) -> float:
    """Return which pairs of rows are equal: of the column with more values each has one."""
    values = [
        sizes[side.table].distinct.get(side.name, sizes[side.table].rows)
        for side in sides
        if isinstance(side, exp.Column) and side.table in sizes
    ]
    return 1.0 / max(1.0, *values) if len(values) == len(sides) else _TIED


def _connected(names: Sequence[str], ties: Sequence[_Tie]) -> list[str]:
    """Return the names, each time the first that an equality ties to what is placed already."""
    placed, left = [names[0]], list(names[1:])
    while left:
        chosen = next(iter(_tied(placed, left, ties)), left[0])
        left.remove(chosen)
        placed.append(chosen)
    return placed


def _tied(placed: Sequence[str], left: Sequence[str], ties: Sequence[_Tie]) -> list[str]:
    return [
        name
        for name in left
        if any(name in each.names and each.names <= {*placed, name} for each in ties)
    ]


def _cheaper(
    order: Sequence[str], sizes: Mapping[str, ViewSize], ties: Sequence[_Tie]
) -> list[str]:
    """Return the cheapest of the greedy orders if it is worth leaving `order` for it."""
    found = [_greedy(first, order, sizes, ties) for first in order]
    best = min(found, key=lambda each: _made(each, sizes, ties))
    worth = WORTH * _made(best, sizes, ties) < _made(order, sizes, ties)
    return best if worth else list(order)


def _greedy(
    first: str, names: Sequence[str], sizes: Mapping[str, ViewSize], ties: Sequence[_Tie]
) -> list[str]:
    """Return an order from `first` on, each time with the tied one that leaves the fewest rows."""
    placed, left = [first], [name for name in names if name != first]
    while left:
        among = _tied(placed, left, ties) or left
        chosen = min(among, key=lambda name: _factor(placed, name, sizes, ties))
        left.remove(chosen)
        placed.append(chosen)
    return placed


def _factor(
    placed: Sequence[str], name: str, sizes: Mapping[str, ViewSize], ties: Sequence[_Tie]
) -> float:
    """Return by how much joining `name` multiplies the rows."""
    shares = (e.share for e in ties if name in e.names and e.names <= {*placed, name})
    return sizes[name].rows * prod(shares)


def _made(order: Sequence[str], sizes: Mapping[str, ViewSize], ties: Sequence[_Tie]) -> float:
    """Return the rows of all joins on the way."""
    rows, made = sizes[order[0]].rows, 0.0
    for place, name in enumerate(order[1:], start=1):
        rows *= _factor(order[:place], name, sizes, ties)
        made += max(rows, 1.0)
    return made
