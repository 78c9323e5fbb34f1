"""Indexes that a fragment's price does not have, told to MariaDB and MySQL not to be read.

Their optimizers read by a chosen index wherever their own estimate says so, also where the rows
that it finds lie in most pages of the table. Then an index that one query gains by makes another
slower, and plans that share copies are measured with one another's indexes.
"""

from collections.abc import Iterator

from sqlglot import exp

from evaluation.federation.store_dialect import StoreDialect
from evaluation.store_protocol.indexes import index_name, named_indexes
from placement.plan import RoutedFragment
from workloads.catalog import Catalog, Table
from workloads.indexes import Index, NamedIndex


def without_unpriced_indexes(
    tree: exp.Query, routed: RoutedFragment, catalog: Catalog, target: StoreDialect
) -> exp.Query:
    """Let no copy in `tree` be read by a chosen index that the fragment's price does not have.

    Copies have their qualified names already (`spell_names`). Indexes that all copies have are
    left to the store, and so are those of tables that it has by itself.
    """
    if routed.read_by is None or not target.indexes:
        return tree
    for relation in tree.find_all(exp.Table):
        made = target.indexes.get(relation.name.lower(), frozenset())
        if relation.db != target.namespace or relation.name in target.own or not made:
            continue
        kept = _kept(catalog.table(relation.name), routed.read_by)
        ignored = [exp.to_identifier(each, quoted=True) for each in sorted(made.difference(kept))]
        if ignored:
            relation.set("hints", [exp.IndexTableHint(this="IGNORE", expressions=ignored)])
    return tree


def _kept(table: Table, read_by: tuple[NamedIndex, ...]) -> Iterator[str]:
    """Yield the names of a copy's indexes that may be read by.

    A primary key of text is an index like others there.
    """
    yield from named_indexes(table)
    yield index_name(table, Index(columns=table.primary_key, unique=True))
    for each in read_by:
        if each.table == table.name:
            yield index_name(table, Index(columns=each.columns))
