"""Grand totals of no rows."""

from collections.abc import Iterator

from sqlglot import exp

from workloads.sql.features.grand_totals import grouping_keys, has_grand_total, is_markable

_OVER_GROUPS = ("expressions", "group", "having", "qualify", "order")
_OVER_ROWS = ("from_", "joins", "laterals", "where")
_STRICT = (
    *(exp.Column, exp.Identifier, exp.Literal, exp.Add, exp.Sub, exp.Mul, exp.Neg, exp.Paren),
    *(exp.Cast, exp.DataType, exp.DataTypeParam, exp.Distinct),
)
_MARKED = "marked_rows"
_MARK = "is_row"


def total_of_no_rows(tree: exp.Query) -> exp.Query:
    """Give grouping sets with an empty one a row that no group counts: Spark makes none of no rows.

    The row is NULL in each column, so that aggregates of columns leave it out; others are filtered.
    A group of that row alone is dropped, but for the grand total.
    """
    for select in list(tree.find_all(exp.Select)):
        if has_grand_total(select) and is_markable(select) and _is_closed(select):
            _mark(select)
    return tree


def _is_closed(select: exp.Select) -> bool:
    """Whether what is computed of groups reads this block's relations alone."""
    relations = [select.args["from_"].this] if select.args.get("from_") else []
    relations += [join.this for join in select.args.get("joins") or ()]
    relations += select.args.get("laterals") or []
    own = {relation.alias_or_name for relation in relations}
    columns = [each for part in _parts(select) for each in part.find_all(exp.Column)]
    return bool(own) and all(each.table in own for each in columns if each.table)


def _parts(select: exp.Select) -> Iterator[exp.Expr]:
    for key in _OVER_GROUPS:
        part = select.args.get(key)
        yield from part if isinstance(part, list) else [part] if part is not None else []


def _mark(select: exp.Select) -> None:
    read: dict[tuple[str, str], str] = {}
    for part in list(_parts(select)):
        for column in list(part.find_all(exp.Column)):
            if column.table:
                name = read.setdefault((column.table, column.name), f"c{len(read)}")
                inner: exp.Expr = exp.column(name, table=_MARKED)
                inner.type = column.type
                if column.parent is select:
                    inner = exp.alias_(inner, column.name)
                column.replace(inner)
    for part in list(_parts(select)):
        for aggregate in list(part.find_all(exp.AggFunc)):
            _leave_out(aggregate)
    select.set("having", exp.Having(this=_kept(select)))
    names = [*read.values(), _MARK]
    columns = [exp.alias_(exp.column(name, table=table), to) for (table, name), to in read.items()]
    rows = exp.select(*columns, exp.alias_(exp.Literal.number(1), _MARK))
    for key in _OVER_ROWS:
        rows.set(key, select.args.get(key))
        select.set(key, None)
    none = exp.select(*(exp.alias_(exp.null(), name) for name in names))
    select.set("from_", exp.From(this=exp.union(rows, none, distinct=False).subquery(_MARKED)))


def _leave_out(aggregate: exp.Expr) -> None:
    """Have an aggregate of rows leave out the row that is none."""
    if isinstance(aggregate, exp.Grouping) or isinstance(aggregate.parent, exp.Window):
        return
    if isinstance(aggregate.parent, exp.Filter) and isinstance(aggregate.parent.parent, exp.Window):
        return
    if isinstance(aggregate.this, exp.Star):
        aggregate.set("this", _mark_of_row())
    elif not _is_null_of_nulls(aggregate.this):
        is_row = exp.Not(this=exp.Is(this=_mark_of_row(), expression=exp.null()))
        if isinstance(aggregate.parent, exp.Filter):
            where = aggregate.parent.expression
            where.set("this", exp.and_(where.this, is_row))
        else:
            aggregate.replace(exp.Filter(this=aggregate.copy(), expression=exp.Where(this=is_row)))


def _is_null_of_nulls(argument: exp.Expr) -> bool:
    nodes = list(argument.walk())
    return any(isinstance(each, exp.Column) for each in nodes) and all(
        isinstance(each, _STRICT) for each in nodes
    )


def _kept(select: exp.Select) -> exp.Expr:
    """Return what keeps groups of rows and the grand total: HAVING has no GROUPING(x) in Spark."""
    keys = len(grouping_keys(select.args["group"]))
    grouping = exp.Anonymous(this="GROUPING_ID")
    total = exp.EQ(this=grouping, expression=exp.Literal.number(2**keys - 1))
    counted = exp.GT(this=exp.Count(this=_mark_of_row()), expression=exp.Literal.number(0))
    kept = exp.or_(counted, total)
    having = select.args.get("having")
    return exp.and_(having.this, kept) if having is not None else kept


def _mark_of_row() -> exp.Column:
    return exp.column(_MARK, table=_MARKED)
