"""Columns called as an earlier version of their table's definition called them."""

from collections.abc import Iterable, Mapping

from sqlglot import exp

from workloads.catalog import Catalog
from workloads.sql.resolving.views import cte_of


def with_present_names(tree: exp.Query, tables: Iterable[str], catalog: Catalog) -> exp.Query:
    """Rename columns of the base tables `tables` that `tree` calls by a former name, in place.

    What a query returns keeps the name that it was asked by.
    """
    former = {
        name.lower(): catalog.tables[name].former_names
        for name in tables
        if catalog.tables[name].former_names
    }
    if former:
        for select in list(tree.find_all(exp.Select)):
            _rename(select, _of_aliases(select, former))
    return tree


def _of_aliases(
    select: exp.Select, former: Mapping[str, Mapping[str, str]]
) -> dict[str, Mapping[str, str]]:
    """Return alias → former names, for the base tables in the FROM of `select`."""
    from_ = select.args.get("from_")
    relations = [from_.this] if from_ else []
    relations += [join.this for join in select.args.get("joins") or ()]
    return {
        relation.alias_or_name.lower(): former[relation.name.lower()]
        for relation in relations
        if isinstance(relation, exp.Table)
        and relation.name.lower() in former
        and cte_of(relation) is None
    }


def _rename(select: exp.Select, names: Mapping[str, Mapping[str, str]]) -> None:
    if not names:
        return
    unqualified = {old: new for of_table in names.values() for old, new in of_table.items()}
    for column in list(select.find_all(exp.Column)):
        if column.parent_select is not select:
            continue
        known = names.get(column.table.lower(), {}) if column.table else unqualified
        present = known.get(column.name.lower())
        if present is None:
            continue
        asked = column.name
        column.set("this", exp.to_identifier(present))
        if column.parent is select and column.arg_key == "expressions":
            column.replace(exp.alias_(column.copy(), asked))
