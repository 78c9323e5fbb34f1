"""Columns of a statement whose names were not resolved: all that its words tell of them."""

import re
from collections.abc import Iterable, Sequence

from sqlglot import exp

from workloads.catalog import Catalog, Table, View
from workloads.sql.incomparable import SYSTEM_COLUMNS
from workloads.workload import Query


def uncopied_columns(
    query: Query, tree: exp.Expr | None, tables: Iterable[str], catalog: Catalog
) -> tuple[str, ...]:
    """Return the columns that the catalog leaves out of the tables, and that the text names."""
    left_out = {name.lower() for table in tables for name in catalog.tables[table].left_out}
    if not left_out:
        return ()
    named = tree.find_all(exp.Identifier) if tree is not None else ()
    words = {each.name.lower() for each in named} or set(re.findall(r"\w+", query.sql.lower()))
    return tuple(sorted(left_out & words))


def has_unknown_columns(tree: exp.Expr, found: Sequence[Table | View]) -> bool:
    """Tell whether a column is surely none of what the statement reads or makes."""
    if any(isinstance(each, View) or not each.columns for each in found) or has_functions(tree):
        return False
    known = set(SYSTEM_COLUMNS)
    for each in found:
        if isinstance(each, Table):
            known.update(column.name.lower() for column in each.columns)
            known.update(name.lower() for name in (*each.former_names, *each.left_out))
    for alias in tree.find_all(exp.Alias, exp.TableAlias):
        known.add(alias.alias.lower() if isinstance(alias, exp.Alias) else alias.name.lower())
        known.update(each.name.lower() for each in alias.args.get("columns") or ())
    known.update(table.name.lower() for table in tree.find_all(exp.Table))
    return any(
        column.name.lower() not in known
        for column in tree.find_all(exp.Column)
        if isinstance(column.this, exp.Identifier) and not isinstance(column.parent, exp.Partition)
    )


def has_functions(tree: exp.Expr) -> bool:
    """Tell whether a function stands in a FROM clause: nothing tells its columns."""
    if any(tree.find_all(exp.Unnest, exp.Lateral)):
        return True
    return any(not isinstance(each.this, exp.Identifier) for each in tree.find_all(exp.Table))
