"""Comparisons of a fragment's columns with columns outside it."""

from collections.abc import Collection, Iterator, Sequence

from sqlglot import exp

from placement.fragments.key_types import KEY_TYPES, compare_alike
from workloads.catalog import Catalog
from workloads.footprint import ColumnRef
from workloads.semi_joins import SemiJoin
from workloads.sql.footprints import inner_conjuncts, preserved
from workloads.sql.trees.predicates import conjuncts, orderings
from workloads.sql.trees.tree import Node
from workloads.sql.typing.types import typed_in

_MIRRORED = {"IN": "IN", ">": "<", ">=": "<=", "<": ">", "<=": ">="}


def comparisons(
    node: Node, own: Collection[str], catalog: Catalog
) -> Iterator[tuple[ColumnRef, str, ColumnRef]]:
    """Yield what must hold for a row to stay: a column of `own` sources, how, one outside.

    Sources that are joined by keys may be joined by text as well, which is not sent. The types of
    derived tables are known when their values are.
    """
    type_of = typed_in(catalog)
    nullable = preserved(node)
    for conjunct in (*inner_conjuncts(node), *_tested_conjuncts(node)):
        compared = [*orderings(conjunct)]
        if isinstance(conjunct, exp.EQ):
            left, right = conjunct.unnest_operands()
            if isinstance(left, exp.Column) and isinstance(right, exp.Column):
                compared = [(left, "IN", right)]
        compared += [(right, _MIRRORED[operator], left) for left, operator, right in compared]
        for mine, operator, theirs in compared:
            if mine.table not in own or theirs.table in own or mine.table in nullable:
                continue
            pair = [(node.tables.get(each.table, ""), each.name.lower()) for each in (mine, theirs)]
            types = [(type_of(*each) or "").upper() for each in pair]
            valued = theirs.table in node.inputs and types[0] in KEY_TYPES
            if valued or (operator == "IN" and compare_alike(types)):
                yield (mine.table, mine.name), operator, (theirs.table, theirs.name)


def from_above(
    inherited: Sequence[SemiJoin], own: Collection[str], catalog: Catalog
) -> Iterator[tuple[ColumnRef, str, str]]:
    """Yield what sources above have to hold: a column of `own` sources, a source, its column."""
    for each in inherited:
        source, key = each.key
        types = [catalog.table(one.table).type_of(name) for one, name in each.beside]
        if each.column[0] in own and compare_alike(types):
            yield each.column, source.name, key


def _tested_conjuncts(node: Node) -> Iterator[exp.Expr]:
    """Yield the conditions of LEFT JOINs whose added relation must not be NULL."""
    tested = {
        conjunct.this.this.table
        for conjunct in inner_conjuncts(node)
        if isinstance(conjunct, exp.Not)
        and isinstance(conjunct.this, exp.Is)
        and isinstance(conjunct.this.expression, exp.Null)
        and isinstance(conjunct.this.this, exp.Column)
    }
    for join in node.joins:
        if join.side == "LEFT" and join.this.alias_or_name in tested:
            yield from conjuncts(join.args.get("on"))
