"""Look-ups written out: a large table's key is compared with an array of a filtered table's keys.

PostgreSQL computes the array first and reads the table through its primary key, whatever it
estimates; without nested loops, which are off, it would read the whole table.
"""

from collections.abc import Sequence

from sqlglot import exp

from placement.fragment import LookUp
from workloads.catalog import Catalog
from workloads.sql.footprints import inner_conjuncts, is_rigid, preserved
from workloads.sql.trees.tree import Node, QueryTree


def with_look_ups(tree: exp.Query, wanted: Sequence[LookUp], catalog: Catalog) -> exp.Query:
    """Add to `tree`, in place, the filters of `wanted`, which drop no row that the joins keep.

    A source is told by its alias: where another block has the same ones, joined and filtered
    alike, it gets the filter too.
    """
    wanted = [each for each in wanted if not each.whole_key]
    if not wanted:
        return tree
    for node in list(QueryTree(tree).nodes.values()):
        if isinstance(node.expression, exp.Select) and not is_rigid(node):
            for each in wanted:
                found = _filter(node, _alias(each.source), _alias(each.by), catalog)
                if found is not None:
                    node.expression.where(found, copy=False)
    return tree


def _alias(source: str) -> str:
    return source.partition(".")[2]


def _filter(node: Node, alias: str, by: str, catalog: Catalog) -> exp.Expr | None:
    """Return the filter of one source by another; None where the block does not have it."""
    nullable = preserved(node)
    if not {alias, by} <= node.tables.keys() - nullable.keys():
        return None
    parts = inner_conjuncts(node)
    filters = [part.copy() for part in parts if _is_of(part, by)]
    (first, *_) = catalog.table(catalog.spelled(node.tables[alias])).primary_key or ("",)
    for part in parts:
        match part.unnest_operands() if isinstance(part, exp.EQ) else ():
            case (exp.Column() as left, exp.Column() as right):
                key, other = (left, right) if left.table == alias else (right, left)
                is_key = key.table == alias and key.name.lower() == first.lower()
                if filters and is_key and other.table == by:
                    keys = exp.select(other.copy()).from_(node.relations[by].copy())
                    keys.where(*filters, copy=False)
                    array = exp.Array(expressions=[keys])
                    return exp.EQ(this=key.copy(), expression=exp.Any(this=exp.paren(array)))
    return None


def _is_of(part: exp.Expr, alias: str) -> bool:
    """Whether a conjunct reads nothing but columns of one source."""
    columns = list(part.find_all(exp.Column))
    return bool(columns) and all(c.table == alias for c in columns) and not part.find(exp.Query)
