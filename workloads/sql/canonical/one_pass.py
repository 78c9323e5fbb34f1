"""Aggregations of the same rows by different filters as one, so that these rows are read once."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from workloads.sql.blocks.pushdown import is_plain_relation
from workloads.sql.canonical.read_alone import read_alone
from workloads.sql.features.constructs import may_change
from workloads.sql.resolving.views import cte_of
from workloads.sql.trees.predicates import conjuncts, meaning

_AGGREGATES = (exp.Count, exp.Sum, exp.Avg, exp.Min, exp.Max)
"""Aggregates that ignore NULL: of them a CASE without ELSE leaves out the rows of other filters."""
_CLAUSES = frozenset({"expressions", "from_", "joins", "where", "kind"})
_JOINED = frozenset({"this", "kind"})
_MISSING = frozenset({"RIGHT", "FULL"})
"""Joins that may leave NULLs in place of a row before them, and not of one behind them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Aggregation:
    """A relation of one row: aggregates over the rows of tables that conditions select.

    `relation` is the derived table in FROM, or the table that names a CTE which nothing else reads.
    `names` maps alias → table, `parts` are the conditions.
    """

    relation: exp.Subquery | exp.Table
    select: exp.Select
    names: Mapping[str, str]
    parts: tuple[exp.Expr, ...]

    @property
    def alias(self) -> str:
        return self.relation.alias_or_name


def merged_aggregations(tree: exp.Query) -> exp.Query:
    """Compute relations of one row as one where they differ in filters and aggregates alone.

    Of ``(SELECT count(*) FROM t WHERE x = 1) a, (SELECT sum(y) FROM t WHERE x = 2) b`` remains one
    that reads the rows with 1 or 2 in ``x``, and aggregates ``CASE WHEN x = 1 THEN …``. q9 reads
    its largest table once so, instead of fifteen times, and q88 joins once instead of eight times.

    Conditions that differ have to be of one table each, so that none of them joins. Subqueries and
    functions that may answer otherwise when asked again are left alone.
    """
    reads = Counter(table.name.lower() for table in tree.find_all(exp.Table))
    for parent in list(tree.find_all(exp.Select)):
        waiting = list(_aggregations(parent, reads))
        while waiting:
            first = waiting.pop(0)
            alike = [first, *(_renamed(each, first) for each in waiting if _is_like(each, first))]
            waiting = [each for each in waiting if not _is_like(each, first)]
            if len(alike) > 1:
                _merge(parent, alike)
    return tree


def _aggregations(parent: exp.Select, reads: Mapping[str, int]) -> Iterator[_Aggregation]:
    """Yield the relations of one row that `parent` joins by nothing."""
    from_ = parent.args.get("from_")
    joins = parent.args.get("joins") or ()
    if any(join.side in _MISSING for join in joins):
        return
    relations = [] if from_ is None else [from_.this]
    relations += [each.this for each in joins if _is_cross(each)]
    if len({each.alias_or_name for each in relations}) < len(relations):
        return
    for each in relations:
        select = read_alone(each, reads)
        if isinstance(each, (exp.Subquery, exp.Table)) and isinstance(select, exp.Select):
            found = _aggregation(each, select)
            if found is not None:
                yield found


def _is_cross(join: exp.Join) -> bool:
    return join.kind == "CROSS" and not any(
        value for key, value in join.args.items() if key not in _JOINED
    )


def _aggregation(relation: exp.Subquery | exp.Table, select: exp.Select) -> _Aggregation | None:
    """Return what a relation of FROM aggregates, None where it is something else."""
    if any(value for key, value in select.args.items() if key not in _CLAUSES):
        return None
    from_, joins = select.args.get("from_"), select.args.get("joins") or ()
    if from_ is None or not all(map(_is_cross, joins)):
        return None
    tables = [from_.this, *(each.this for each in joins)]
    if not all(map(_is_base_table, tables)):
        return None
    names = {each.alias_or_name: each.name for each in tables}
    where = select.args.get("where")
    parts = tuple(conjuncts(None if where is None else where.this))
    is_plain = (
        len(set(names.values())) == len(tables)
        and all(map(_is_aggregate, select.selects))
        and not any(each.find(exp.Query) is not None or may_change(each) for each in parts)
        and {column.table for each in parts for column in each.find_all(exp.Column)} <= set(names)
    )
    if not is_plain:
        return None
    return _Aggregation(relation=relation, select=select, names=names, parts=parts)


def _is_base_table(relation: exp.Expr) -> bool:
    """Whether it is a table of the catalog: in two places a CTE's name may mean two things."""
    return (
        isinstance(relation, exp.Table) and is_plain_relation(relation) and cte_of(relation) is None
    )


def _is_aggregate(projection: exp.Expr) -> bool:
    """Whether it has a name, and reads columns in plain aggregates alone."""
    if not isinstance(projection, exp.Alias) or projection.find(exp.Query, exp.Window):
        return False
    aggregates = list(projection.find_all(exp.AggFunc))
    inside = {id(each) for found in aggregates for each in found.find_all(exp.Column)}
    return (
        bool(aggregates)
        and not may_change(projection)
        and all(
            isinstance(each, _AGGREGATES)
            and not isinstance(each.parent, (exp.Filter, exp.IgnoreNulls, exp.RespectNulls))
            and _argument(each) is not None
            for each in aggregates
        )
        and all(id(each) in inside for each in projection.find_all(exp.Column))
        # Whether an unknown function aggregates cannot be told.
        and projection.find(exp.Anonymous, exp.Order) is None
    )


def _argument(aggregate: exp.Expr) -> exp.Expr | None:
    """Return the one argument of an aggregate, None where it has others."""
    if any(value for key, value in aggregate.args.items() if key not in {"this", "big_int"}):
        return None
    found = aggregate.this
    if isinstance(found, exp.Distinct):
        alone = len(found.expressions) == 1 and not found.args.get("on")
        return found.expressions[0] if alone else None
    return found if isinstance(found, exp.Expr) else None


def _is_like(one: _Aggregation, first: _Aggregation) -> bool:
    """Whether it aggregates rows of the same tables, joined alike."""
    if set(one.names.values()) != set(first.names.values()):
        return False
    common = _joining(_renamed(one, first)), _joining(first)
    return common[0] == common[1]


def _joining(one: _Aggregation) -> set[object]:
    """Return the conditions that are not of one table."""
    return {meaning(each) for each in one.parts if len(_tables(each)) != 1}


def _tables(part: exp.Expr) -> set[str]:
    return {column.table for column in part.find_all(exp.Column)}


def _renamed(one: _Aggregation, first: _Aggregation) -> _Aggregation:
    """Return `one` with copies of its conditions and projections that have the aliases of `first`.

    The derived table itself stays as it is.
    """
    aliases = {table: alias for alias, table in first.names.items()}
    known = {alias: aliases[table] for alias, table in one.names.items()}
    select = one.select.copy()
    for column in select.find_all(exp.Column):
        column.set("table", exp.to_identifier(known[column.table]))
    where = select.args.get("where")
    parts = tuple(conjuncts(None if where is None else where.this))
    return _Aggregation(relation=one.relation, select=select, names=first.names, parts=parts)


def _merge(parent: exp.Select, alike: Sequence[_Aggregation]) -> None:
    """Compute all of `alike` in the first, and let `parent` read them from there."""
    first = alike[0]
    meanings = [{meaning(part) for part in each.parts} for each in alike]
    shared = set.intersection(*meanings)
    common = [part for part in first.parts if meaning(part) in shared]
    filters = [
        exp.and_(*(part for part in each.parts if meaning(part) not in shared), copy=True)
        if means > shared
        else None
        for each, means in zip(alike, meanings, strict=True)
    ]
    new: dict[tuple[str, str], str] = {}
    taken: set[str] = set()
    projections = []
    for each, condition in zip(alike, filters, strict=True):
        for projection in each.select.selects:
            # Which aliases the relations have must not matter.
            name = projection.alias
            while name.lower() in taken:
                name = f"{projection.alias}_{len(taken)}"
            taken.add(name.lower())
            new[each.alias, projection.alias.lower()] = name
            value = _within(projection.this.copy(), condition)
            projections.append(exp.alias_(value, name, copy=False))
    first.select.set("expressions", projections)
    arms = [each for each in filters if each is not None]
    if arms and len(arms) == len(filters):
        different = dict.fromkeys(exp.paren(each.copy(), copy=False) for each in arms)
        common.append(exp.paren(exp.or_(*different, copy=False), copy=False))
    where = exp.Where(this=exp.and_(*common, copy=True)) if common else None
    first.select.set("where", where)
    _drop(parent, [each.relation for each in alike[1:]])
    for column in list(parent.find_all(exp.Column)):
        found = new.get((column.table, column.name.lower()))
        if found is not None and not _is_hidden(column, parent):
            column.set("table", exp.to_identifier(first.alias))
            column.set("this", exp.to_identifier(found))


def _is_hidden(column: exp.Column, parent: exp.Select) -> bool:
    """Whether a query between the column and `parent` has a relation of the column's alias."""
    query = column.parent_select
    while query is not None and query is not parent:
        from_, joins = query.args.get("from_"), query.args.get("joins") or ()
        own = [each.this for each in (from_, *joins, *(query.args.get("laterals") or ())) if each]
        if any(each.alias_or_name == column.table for each in own):
            return True
        query = query.parent_select
    return False


def _within(value: exp.Expr, condition: exp.Expr | None) -> exp.Expr:
    """Return a value of aggregates over the rows alone that meet `condition`."""
    if condition is None:
        return value
    for aggregate in list(value.find_all(exp.AggFunc)):
        argument = _argument(aggregate)
        if argument is None:
            raise TypeError(f"{aggregate.key} has no argument")
        counted = exp.Literal.number(1) if isinstance(argument, exp.Star) else argument.copy()
        argument.replace(exp.Case(ifs=[exp.If(this=condition.copy(), true=counted)]))
    return value


def _drop(parent: exp.Select, relations: Sequence[exp.Expr]) -> None:
    """Take relations out of FROM, and CTEs that they name out of WITH."""
    for each in relations:
        cte = cte_of(each) if isinstance(each, exp.Table) else None
        if cte is not None:
            with_ = cte.parent
            cte.pop()
            if isinstance(with_, exp.With) and not with_.expressions:
                with_.pop()
    dropped = {id(each) for each in relations}
    joins = [each for each in parent.args["joins"] if id(each.this) not in dropped]
    parent.set("joins", joins)
