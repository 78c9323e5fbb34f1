"""Names as the store has them."""

from sqlglot import exp

from evaluation.store_protocol.backend import view_name
from workloads.catalog import Catalog
from workloads.sql.trees.tree import QueryTree


def spell_names(
    tree: exp.Query, catalog: Catalog, namespace: str | None, *, one_part: bool = False
) -> exp.Query:
    """Qualify base tables by `namespace`, and spell tables and columns as the catalog does.

    Resolution lowers unquoted names; stores that compare quoted names exactly need the catalog's.
    With `one_part` the qualified name is a single identifier, as those of Spark's views are.
    """
    tables = {name.lower(): table for name, table in catalog.tables.items()}
    blocks = QueryTree(tree)
    for column in list(tree.find_all(exp.Column)):
        home = blocks.home(column)
        if home is None or column.table not in home.tables:
            continue
        table = tables[home.tables[column.table].lower()]
        for known in table.columns:
            if known.name.lower() == column.name.lower():
                column.set("this", exp.to_identifier(known.name, quoted=True))
                break
    for node in blocks.nodes.values():
        for alias, name in node.tables.items():
            relation = node.relations[alias]
            spelled = tables[name.lower()].name
            if namespace and one_part:
                spelled = view_name(namespace, spelled)
            relation.set("this", exp.to_identifier(spelled, quoted=True))
            if namespace and not one_part:
                relation.set("db", exp.to_identifier(namespace, quoted=True))
            if not relation.alias:
                relation.set("alias", exp.TableAlias(this=exp.to_identifier(alias)))
    return tree
