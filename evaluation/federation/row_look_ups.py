"""Row look-ups written out: a large table is read in a subquery for each row that leads to it.

PostgreSQL has no other way to do this than its loop through the index of the primary key; without
nested loops, which are off, it would read the table whole. Each `OFFSET 0` keeps it from joining
others within that loop, once for every row, as it does where it takes thousands of rows for
hundreds (q29 took 118 s so instead of 2).
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import count

from sqlglot import exp

from evaluation.federation.look_ups import aliased, equated
from placement.fragment import Reduction
from workloads.catalog import Catalog
from workloads.footprint import ColumnRef
from workloads.sql.trees.predicates import conjuncts


def with_row_look_ups(
    tree: exp.Query, reduction: Reduction, catalog: Catalog, *, restricted: bool = False
) -> exp.Query:
    """Write the look-ups of tables whose whole keys are compared out in `tree`, in place.

    Where rows are going to be `restricted` from outside, by keys or by a range, PostgreSQL is left
    to move that to the tables, and with it to join what it likes in the loop.
    `tree` has the names that the store has (`spell_names`). Tables are told by their aliases: where
    more blocks have the same ones than look them up, all stay as they are, as do those with
    other than inner joins.
    """
    numbers = count()
    wanted = Counter(
        tuple(
            (aliased(match.column), aliased(match.key))
            for match in reduction.matched(each.source, each.by)
        )
        for each in reduction.look_ups
        if each.whole_key and reduction.matched(each.source, each.by)
    )
    for pairs, number in wanted.items():
        (alias, _), (by, _) = pairs[0]
        found = [
            (select, compared)
            for select in tree.find_all(exp.Select)
            if (compared := _comparisons(select, pairs, catalog))
        ]
        if len(found) <= number:
            # Inner blocks first: the conditions of an outer one are copied with what is in them.
            for select, compared in reversed(found):
                _replace(select, alias, compared, catalog)
                if not restricted and not _is_correlated(select):
                    _set_apart(select, by, alias, next(numbers))
    return tree


def _relations(select: exp.Select) -> dict[str, exp.Expr]:
    """Return what a block reads, by alias, in order."""
    from_, joins = select.args.get("from_"), select.args.get("joins") or []
    found = ([from_.this] if from_ else []) + [join.this for join in joins]
    return {each.alias_or_name: each for each in found}


def _conditions(select: exp.Select) -> list[exp.Expr]:
    """Return the conjuncts of a block of inner joins, wherever they stand."""
    where, joins = select.args.get("where"), select.args.get("joins") or []
    parts = conjuncts(where.this if where else None)
    return parts + [part for join in joins for part in conjuncts(join.args.get("on"))]


def _replace(
    select: exp.Select, alias: str, compared: Sequence[exp.Expr], catalog: Catalog
) -> None:
    """Replace the table `alias` of one block by a subquery for each row that has its key."""
    relations = _relations(select)
    parts = [part for part in _conditions(select) if all(part is not each for each in compared)]
    row = _row_of(select, relations.pop(alias), compared, catalog)
    _set(select, [*relations.values(), row], parts)


def _set_apart(select: exp.Select, by: str, alias: str, number: int) -> None:
    """Join the rows `alias` after what leads to the rows of `by`, and before all else.

    `number` is no other's of the tree: a subquery may read what an outer block has looked up.
    """
    leading = _leading(by, alias, select)
    _join_apart(select, leading, f" leading {number}")
    _join_apart(select, {f" leading {number}", alias}, f" looked up {number}")


def _join_apart(select: exp.Select, names: AbstractSet[str], name: str) -> None:
    """Move some relations of a block, with what compares these alone, to a subquery `name`."""
    relations = _relations(select)
    parts = [(part, _read(part, select)) for part in _conditions(select)]
    within = [part for part, read in parts if read and read <= names]
    after = [part for part, read in parts if not (read and read <= names)]
    _set(select, [each for key, each in relations.items() if key not in names], after)
    rows = exp.select(*_handed_out(select, names, name))
    _set(rows, [each for key, each in relations.items() if key in names], within)
    subquery = exp.Subquery(this=rows.offset(0, copy=False), alias=_named(name))
    _set(select, [subquery, *_relations(select).values()], _conditions(select))


def _set(select: exp.Select, relations: Sequence[exp.Expr], parts: Sequence[exp.Expr]) -> None:
    """Make a block read relations, in this order, where all of its conditions hold."""
    select.set("where", exp.Where(this=exp.and_(*parts)) if parts else None)
    select.set("from_", exp.From(this=relations[0]) if relations else None)
    select.set("joins", [exp.Join(this=each, kind="CROSS") for each in relations[1:]])


def _row_of(
    select: exp.Select, table: exp.Expr, compared: Sequence[exp.Expr], catalog: Catalog
) -> exp.Lateral:
    """Return the subquery for what `select` reads of the rows of `table` with a key."""
    alias = table.alias_or_name
    read = {column.name for column in select.find_all(exp.Column) if column.table == alias}
    columns = [
        exp.column(each.name, table=alias, quoted=True)
        for each in catalog.tables[table.name].columns
        if each.name in read
    ]
    rows = exp.select(*columns).from_(table).where(*compared)
    return exp.Lateral(this=rows.offset(0, copy=False).subquery(), alias=_named(alias))


def _leading(by: str, alias: str, select: exp.Select) -> set[str]:
    """Return `by` and what equalities tie to it but through `alias`, as its price was estimated."""
    found = {by}
    tied = [_read(part, select) for part in _conditions(select) if isinstance(part, exp.EQ)]
    left = [names for names in tied if alias not in names]
    while more := [names for names in left if names & found and not names <= found]:
        found.update(*more)
    return found


def _handed_out(select: exp.Select, names: Collection[str], table: str) -> list[exp.Expr]:
    """Return what `select` reads of `names`, and make it read columns of `table` for these.

    They are numbered: what they are called is the same under any aliases.
    """
    outputs = [
        exp.alias_(each, each.name, quoted=True) if isinstance(each, exp.Column) else each
        for each in select.expressions
    ]
    select.set("expressions", outputs)
    numbers: dict[exp.Column, str] = {}
    for column in list(_columns(select, select, names)):
        number = numbers.setdefault(column.copy(), f"c{len(numbers)}")
        column.replace(exp.column(number, table=table, quoted=True))
    found = [exp.alias_(column, number, quoted=True) for column, number in numbers.items()]
    return found or [exp.Literal.number(1)]


def _read(part: exp.Expr, select: exp.Select) -> set[str]:
    """Return the aliases of those relations of a block that one of its conditions reads."""
    return {column.table for column in _columns(part, select, _relations(select))}


def _columns(node: exp.Expr, select: exp.Select, names: Collection[str]) -> Iterator[exp.Column]:
    """Yield the columns in a part of `select` that are of its own relations `names`."""
    for column in node.find_all(exp.Column):
        if column.table in names and not _is_of_another(column, select):
            yield column


def _is_of_another(column: exp.Column, select: exp.Select) -> bool:
    """Whether a subquery of `select` that a column is in has a relation of the same alias."""
    return any(column.table in _relations(each) for each in _within(column, select))


def _is_correlated(select: exp.Select) -> bool:
    """Whether a block reads what is no column of its own, or of its subqueries.

    That is a column of an outer block, by which PostgreSQL is left to join the two, or a table's
    name for its whole row.
    """
    relations = _relations(select)
    return any(
        column.name in relations
        if not column.table
        else column.table not in relations and not _is_of_another(column, select)
        for column in select.find_all(exp.Column)
    )


def _within(column: exp.Column, select: exp.Select) -> Iterator[exp.Select]:
    """Yield the subqueries of `select` that a column is in, from the inside."""
    inner = column.find_ancestor(exp.Select)
    while inner is not None and inner is not select:
        yield inner
        inner = inner.find_ancestor(exp.Select)


def _named(alias: str) -> exp.TableAlias:
    return exp.TableAlias(this=exp.to_identifier(alias, quoted=True))


def _comparisons(
    select: exp.Select, pairs: Sequence[tuple[ColumnRef, ColumnRef]], catalog: Catalog
) -> list[exp.Expr]:
    """Return the conditions that compare `pairs`, the columns of a whole key with those of another.

    Empty where one of the two is no table of the block, or the block has other than inner joins.
    """
    if select.args.get("from_") is None or not all(map(_is_inner, select.args.get("joins") or [])):
        return []
    relations, conditions = _relations(select), _conditions(select)
    (alias, _), (by, _) = pairs[0]
    table = relations.get(alias)
    known = isinstance(table, exp.Table) and table.name in catalog.tables
    if not known or not isinstance(relations.get(by), exp.Table):
        return []
    found = [next((part for part in conditions if equated(part, *pair)), None) for pair in pairs]
    compared = [part for part in found if part is not None]
    return compared if len(compared) == len(found) else []


def _is_inner(join: exp.Join) -> bool:
    """Whether a join's condition may as well stand in WHERE."""
    special = any(join.args.get(key) for key in ("using", "side", "method"))
    return not special and join.kind in ("", "CROSS", "INNER")
