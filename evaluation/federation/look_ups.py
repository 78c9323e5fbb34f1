"""Look-ups written out: a large table's key is compared with an array of a filtered table's keys.

PostgreSQL computes the array first and reads the table through its primary key, whatever it
estimates; without nested loops, which are off, it would read the whole table.
"""

from sqlglot import exp

from placement.fragment import NamedColumn, Reduction
from workloads.footprint import ColumnRef
from workloads.sql.footprints import inner_conjuncts, is_rigid, preserved
from workloads.sql.trees.tree import Node, QueryTree


def with_look_ups(tree: exp.Query, reduction: Reduction) -> exp.Query:
    """Add to `tree`, in place, the filters of look-ups, which drop no row that the joins keep.

    A source is told by its alias: where another block has the same ones, joined and filtered
    alike, it gets the filter too.
    """
    wanted = [
        match
        for each in reduction.look_ups
        if not each.whole_key
        for match in reduction.matched(each.source, each.by)
    ]
    if not wanted:
        return tree
    for node in list(QueryTree(tree).nodes.values()):
        if isinstance(node.expression, exp.Select) and not is_rigid(node):
            for each in wanted:
                found = _filter(node, aliased(each.column), aliased(each.key))
                if found is not None:
                    node.expression.where(found, copy=False)
    return tree


def aliased(column: NamedColumn) -> ColumnRef:
    """Return a column by the alias of its source, in lower case as names are compared."""
    source, name = column
    return source.partition(".")[2], name.lower()


def equated(
    part: exp.Expr, mine: ColumnRef, theirs: ColumnRef
) -> tuple[exp.Column, exp.Column] | None:
    """Return two columns of a conjunct that says no more than that they are equal; None of none."""
    sides = part.unnest_operands() if isinstance(part, exp.EQ) else ()
    found = {
        (side.table, side.name.lower()): side for side in sides if isinstance(side, exp.Column)
    }
    return (found[mine], found[theirs]) if found.keys() == {mine, theirs} else None


def _filter(node: Node, mine: ColumnRef, theirs: ColumnRef) -> exp.Expr | None:
    """Return the filter of one source by another; None where the block does not have it."""
    (alias, _), (by, _) = mine, theirs
    nullable = preserved(node)
    if not {alias, by} <= node.tables.keys() - nullable.keys():
        return None
    parts = inner_conjuncts(node)
    filters = [part.copy() for part in parts if _is_of(part, by)]
    joined = [found for part in parts if (found := equated(part, mine, theirs)) is not None]
    if not (filters and joined):
        return None
    key, other = joined[0]
    keys = exp.select(other.copy()).from_(node.relations[by].copy())
    keys.where(*filters, copy=False)
    array = exp.Array(expressions=[keys])
    return exp.EQ(this=key.copy(), expression=exp.Any(this=exp.paren(array)))


def _is_of(part: exp.Expr, alias: str) -> bool:
    """Whether a conjunct reads nothing but columns of one source."""
    columns = list(part.find_all(exp.Column))
    return bool(columns) and all(c.table == alias for c in columns) and not part.find(exp.Query)
