"""Row look-ups written out: a large table is read in a subquery for each row that leads to it.

PostgreSQL has no other way to do this than its loop through the index of the primary key, which
`OFFSET 0` keeps it from joining with the rest; without nested loops, which are off, it would read
the table whole.
"""

from collections import Counter
from collections.abc import Sequence

from sqlglot import exp

from placement.look_ups import LookUp
from workloads.catalog import Catalog
from workloads.sql.predicates import conjuncts


def with_row_look_ups(tree: exp.Query, wanted: Sequence[LookUp], catalog: Catalog) -> exp.Query:
    """Write those of `wanted` out in `tree`, in place, whose tables' whole keys are compared.

    `tree` has the names that the store has (`spell_names`). Tables are told by their aliases: where
    more blocks have the same ones than look them up, all stay as they are, as do those with
    other than inner joins.
    """
    pairs = Counter((_alias(each.source), _alias(each.by)) for each in wanted if each.whole_key)
    for (alias, by), number in pairs.items():
        found = [
            (select, compared)
            for select in tree.find_all(exp.Select)
            if (compared := _comparisons(select, alias, by, catalog))
        ]
        if len(found) <= number:
            for select, compared in found:
                _write(select, alias, compared, catalog)
    return tree


def _alias(source: str) -> str:
    return source.partition(".")[2]


def _relations(select: exp.Select) -> dict[str, exp.Expr]:
    """Return what a block reads, by alias, in order."""
    joined = [join.this for join in select.args.get("joins") or []]
    return {each.alias_or_name: each for each in (select.args["from_"].this, *joined)}


def _conditions(select: exp.Select) -> list[exp.Expr]:
    """Return the conjuncts of a block of inner joins, wherever they stand."""
    where, joins = select.args.get("where"), select.args.get("joins") or []
    parts = conjuncts(where.this if where else None)
    return parts + [part for join in joins for part in conjuncts(join.args.get("on"))]


def _write(select: exp.Select, alias: str, compared: Sequence[exp.Expr], catalog: Catalog) -> None:
    """Replace the table `alias` of one block by a subquery for each row that has its key."""
    relations = _relations(select)
    table = relations.pop(alias)
    read = {column.name for column in select.find_all(exp.Column) if column.table == alias}
    columns = [
        exp.column(each.name, table=alias, quoted=True)
        for each in catalog.tables[table.name].columns
        if each.name in read
    ]
    rows = exp.select(*columns).from_(table.copy())
    rows = rows.where(*(each.copy() for each in compared), copy=False)
    looked_up = exp.Lateral(
        this=rows.offset(0, copy=False).subquery(),
        alias=exp.TableAlias(this=exp.to_identifier(alias, quoted=True)),
    )
    left = [
        part.copy() for part in _conditions(select) if all(part is not each for each in compared)
    ]
    first, *others = relations.values()
    select.args["from_"].set("this", first)
    select.set("joins", [exp.Join(this=each, kind="CROSS") for each in (*others, looked_up)])
    select.set("where", exp.Where(this=exp.and_(*left)) if left else None)


def _comparisons(select: exp.Select, alias: str, by: str, catalog: Catalog) -> list[exp.Expr]:
    """Return the conditions that compare the whole key of the table `alias` with columns of `by`.

    Empty where one of the two is no table of the block, or the block has other than inner joins.
    """
    if select.args.get("from_") is None or not all(map(_is_inner, select.args.get("joins") or [])):
        return []
    relations = _relations(select)
    table = relations.get(alias)
    known = catalog.tables.get(table.name) if isinstance(table, exp.Table) else None
    if known is None or not isinstance(relations.get(by), exp.Table):
        return []
    found: dict[str, exp.Expr] = {}
    for part in _conditions(select):
        match part.unnest_operands() if isinstance(part, exp.EQ) else ():
            case (exp.Column() as left, exp.Column() as right):
                key, other = (left, right) if left.table == alias else (right, left)
                if key.table == alias and other.table == by:
                    found.setdefault(key.name, part)
    if not set(known.primary_key) <= found.keys():
        return []
    return [found[column] for column in known.primary_key]


def _is_inner(join: exp.Join) -> bool:
    """Whether a join's condition may as well stand in WHERE."""
    special = any(join.args.get(key) for key in ("using", "side", "method"))
    return not special and join.kind in ("", "CROSS", "INNER")
