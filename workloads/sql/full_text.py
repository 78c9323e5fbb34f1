"""The FULLTEXT indexes without which MySQL and MariaDB run no ``MATCH … AGAINST``."""

from collections.abc import Iterator, Mapping

from sqlglot import exp

from workloads.catalog import Catalog, Table
from workloads.sql.parsing.as_checked import as_checked
from workloads.sql.parsing.door import through_door
from workloads.sql.parsing.parse import statement
from workloads.workload import Query


@through_door
def full_text_columns(
    query: Query, tables: Mapping[str, Table], catalog: Catalog
) -> frozenset[tuple[str, tuple[str, ...]]]:
    """Return (table, columns) of each index that a statement of MySQL needs.

    `tables` are those that it reads. A server that ran it has an index on exactly the columns of
    each MATCH, in any order. Views within the statement are looked through.

    Raises:
        SqlError: It does not parse.
    """
    tree = statement(as_checked(query, "mysql"), "mysql", complete=False)
    found = set(_needed(tree, tables))
    for view in _views(tree, catalog):
        of_view = Query(name=view, sql=catalog.views[view].sql, origin=view)
        found |= full_text_columns(of_view, tables, catalog)
    return frozenset(found)


def _needed(tree: exp.Expr, tables: Mapping[str, Table]) -> Iterator[tuple[str, tuple[str, ...]]]:
    aliases = {each.alias_or_name.lower(): each.name.lower() for each in tree.find_all(exp.Table)}
    for match in tree.find_all(exp.MatchAgainst):
        columns = [each for each in match.expressions if isinstance(each, exp.Column)]
        names = [column.name.lower() for column in columns]
        named = {aliases.get(column.table.lower(), "") for column in columns if column.table}
        for table in tables.values():
            own = {column.name.lower(): column.name for column in table.columns}
            is_named = not named or {table.own_name.lower(), table.name.lower()} & named
            if names and is_named and all(name in own for name in names):
                yield table.name, tuple(sorted(own[name] for name in names))


def _views(tree: exp.Expr, catalog: Catalog) -> Iterator[str]:
    read = {each.name.lower() for each in tree.find_all(exp.Table)}
    for name, view in catalog.views.items():
        if {name.lower(), view.own_name.lower()} & read and view.dialect in ("", "mysql"):
            yield name
