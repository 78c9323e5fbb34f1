"""Indexes that a fragment's price does not have, told to MariaDB and MySQL not to be read.

Their optimizers read by a chosen index wherever their own estimate says so, also where the rows
that it finds lie in most pages of the table. Then an index that one query gains by makes another
slower, and plans that share copies are measured with one another's indexes.
"""

from sqlglot import exp

from evaluation.federation.store_dialect import StoreDialect
from placement.plan import RoutedFragment
from workloads.catalog import Catalog
from workloads.copied_indexes import copied_indexes


def without_unpriced_indexes(
    tree: exp.Query, routed: RoutedFragment, catalog: Catalog, target: StoreDialect
) -> exp.Query:
    """Let no table of `tree` be read by a chosen index that the fragment's price does not have.

    Indexes that all copies have are left to the store, and those of tables that it has by itself.
    """
    if routed.read_by is None or not target.indexes:
        return tree
    priced = {(each.table.lower(), _lower(each.columns)) for each in routed.read_by}
    everywhere = {
        (table.name.lower(), _lower(each.columns))
        for table in catalog.tables.values()
        for each in copied_indexes(table)
    }
    own = {name.lower() for name in target.own}
    for relation in tree.find_all(exp.Table):
        table = relation.name.lower()
        ignored = [
            exp.to_identifier(name, quoted=True)
            for name, columns in sorted(target.indexes.get(table, {}).items())
            if (table, columns) not in priced | everywhere
        ]
        if ignored and table not in own:
            relation.set("hints", [exp.IndexTableHint(this="IGNORE", expressions=ignored)])
    return tree


def _lower(columns: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name.lower() for name in columns)
