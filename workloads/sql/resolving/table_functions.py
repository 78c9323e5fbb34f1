"""Arguments of functions in FROM, which sqlglot does not resolve."""

from collections.abc import Collection

from sqlglot import exp

from workloads.catalog import Catalog
from workloads.sql.resolving.views import cte_of


def qualify_arguments(tree: exp.Query, catalog: Catalog) -> exp.Query:
    """Qualify the columns that a function in FROM takes from the relations before it."""
    for table in list(tree.find_all(exp.Table)):
        select = table.parent_select
        if isinstance(table.this, exp.Identifier) or select is None:
            continue
        unresolved = [column for column in table.find_all(exp.Column) if not column.table]
        for column in unresolved:
            for relation in _before(select, table):
                if column.name in _columns(relation, catalog):
                    column.set("table", exp.to_identifier(relation.alias_or_name))
                    break
    return tree


def _before(select: exp.Select, table: exp.Table) -> list[exp.Expr]:
    """Return the relations of FROM that stand before `table`."""
    from_ = select.args["from_"]
    relations = [from_.this, *(join.this for join in select.args.get("joins") or ())]
    places = [place for place, relation in enumerate(relations) if relation is table]
    return relations[: places[0]] if places else []


def _columns(relation: exp.Expr, catalog: Catalog) -> Collection[str]:
    """Return the names of a relation's columns, in lower case."""
    if isinstance(relation, exp.Table) and isinstance(relation.this, exp.Identifier):
        cte = cte_of(relation)
        if cte is not None:
            return [name.lower() for name in cte.this.named_selects]
        known = catalog.tables.get(catalog.spelled(relation.name))
        return [column.name.lower() for column in known.columns] if known else []
    if isinstance(relation, exp.Subquery) and isinstance(relation.this, exp.Query):
        return [name.lower() for name in relation.this.named_selects]
    return [name.lower() for name in relation.alias_column_names]
