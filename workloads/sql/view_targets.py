"""The tables that a statement writes by the name of a view."""

from collections.abc import Collection, Iterator, Mapping

from sqlglot import exp

from workloads.catalog import View
from workloads.sql.resolving.views import cte_of


def written_through(
    view: View, body: exp.Query, assigned: Collection[str]
) -> Mapping[exp.Table, frozenset[str]]:
    """Return the tables of a view's query that are written through it → their columns assigned.

    UPDATE writes those whose columns it assigns. Where that is not told (`assigned` is empty), or
    its columns are none of tables, it is the first that the view selects from.
    """
    named = {each.alias_or_name.lower(): each for each in _relations(body)}
    found: dict[exp.Table, set[str]] = {}
    for column in _outputs(view, body, assigned):
        alone = next(iter(named.values())) if len(named) == 1 else None
        table = named.get(column.table.lower(), alone)
        if table is not None:
            found.setdefault(table, set()).add(column.name.lower())
    if not found:
        first = next(iter(named.values()), None)
        return {} if first is None else {first: frozenset()}
    return {table: frozenset(columns) for table, columns in found.items()}


def _relations(body: exp.Query) -> Iterator[exp.Table]:
    """Yield the tables of FROM and its joins; nothing where the first is no table."""
    from_ = body.args.get("from_")
    if from_ is None:
        return
    relations = list(_flat(from_.this))
    for join in body.args.get("joins") or ():
        relations += _flat(join.this)
    if relations and not isinstance(relations[0], exp.Table):
        return
    for each in relations:
        if isinstance(each, exp.Table) and cte_of(each) is None:
            yield each


def _flat(relation: exp.Expr) -> Iterator[exp.Expr]:
    """Yield a relation and what is joined to it; MySQL keeps joins in parentheses."""
    if isinstance(relation, exp.Subquery) and isinstance(relation.this, (exp.Table, exp.Subquery)):
        yield from _flat(relation.this)
    else:
        yield relation
    for join in relation.args.get("joins") or ():
        yield from _flat(join.this)


def _outputs(view: View, body: exp.Query, assigned: Collection[str]) -> Iterator[exp.Column]:
    """Yield the columns of tables that assigned columns of a view are."""
    for index, output in enumerate(body.selects):
        named = view.columns[index] if index < len(view.columns) else output.alias_or_name
        inner = output.unalias()
        if named.lower() in assigned and isinstance(inner, exp.Column):
            yield inner
