"""Row look-ups written out: a large table is read in a subquery for each row that leads to it.

PostgreSQL has no other way to do this than its loop through the index of the primary key, which
`OFFSET 0` keeps it from joining with the rest; without nested loops, which are off, it would read
the table whole.
"""

from collections.abc import Sequence

from sqlglot import exp

from placement.look_ups import LookUp
from workloads.catalog import Catalog, Table
from workloads.sql.predicates import conjuncts


def with_row_look_ups(tree: exp.Query, wanted: Sequence[LookUp], catalog: Catalog) -> exp.Query:
    """Write those of `wanted` out in `tree`, in place, whose tables' whole keys are compared.

    `tree` has the names that the store has (`spell_names`). Blocks with other than inner joins
    stay as they are.
    """
    for each in wanted:
        if each.whole_key:
            for select in list(tree.find_all(exp.Select)):
                _write(select, _alias(each.source), _alias(each.by), catalog)
    return tree


def _alias(source: str) -> str:
    return source.partition(".")[2]


def _write(select: exp.Select, alias: str, by: str, catalog: Catalog) -> None:
    """Replace the table `alias` of one block by a subquery of `by`'s rows."""
    from_, joins = select.args.get("from_"), select.args.get("joins") or []
    if from_ is None or not all(_is_inner(join) for join in joins):
        return
    relations = {each.alias_or_name: each for each in (from_.this, *(j.this for j in joins))}
    table = relations.get(alias)
    known = catalog.tables.get(table.name) if isinstance(table, exp.Table) else None
    where = select.args.get("where")
    parts = conjuncts(where.this if where else None)
    parts += [part for join in joins for part in conjuncts(join.args.get("on"))]
    compared = _comparisons(parts, alias, by, known) if known is not None else []
    if known is None or not compared or not isinstance(relations.get(by), exp.Table):
        return
    read = {column.name for column in select.find_all(exp.Column) if column.table == alias}
    columns = [
        exp.column(each.name, table=alias, quoted=True)
        for each in known.columns
        if each.name in read
    ]
    rows = exp.select(*columns).from_(relations[alias].copy())
    rows = rows.where(*(each.copy() for each in compared), copy=False)
    others = [each for each in (from_.this, *(j.this for j in joins)) if each is not table]
    looked_up = exp.Lateral(
        this=rows.offset(0, copy=False).subquery(),
        alias=exp.TableAlias(this=exp.to_identifier(alias, quoted=True)),
    )
    left = [part.copy() for part in parts if all(part is not each for each in compared)]
    from_.set("this", others[0])
    select.set("joins", [exp.Join(this=each, kind="CROSS") for each in (*others[1:], looked_up)])
    select.set("where", exp.Where(this=exp.and_(*left)) if left else None)


def _comparisons(parts: Sequence[exp.Expr], alias: str, by: str, table: Table) -> list[exp.Expr]:
    """Return the conjuncts that compare all columns of the key with `by`'s; [] if some lack."""
    found: dict[str, exp.Expr] = {}
    for part in parts:
        match part.unnest_operands() if isinstance(part, exp.EQ) else ():
            case (exp.Column() as left, exp.Column() as right):
                key, other = (left, right) if left.table == alias else (right, left)
                if key.table == alias and other.table == by:
                    found.setdefault(key.name, part)
    if not table.primary_key or not set(table.primary_key) <= found.keys():
        return []
    return [found[column] for column in table.primary_key]


def _is_inner(join: exp.Join) -> bool:
    """Whether a join's condition may as well stand in WHERE."""
    special = any(join.args.get(key) for key in ("using", "side", "method"))
    return not special and join.kind in ("", "CROSS", "INNER")
