"""Hash joins told to MySQL 8, which joins through an index wherever there is one.

A row of a small table that is looked up through its primary key takes about a microsecond, and each
row of a large table looks one up: several times as long as the whole join by hashes. MySQL only
hashes where no index can be used, so it is told not to use those of small tables in a block
(`NO_JOIN_INDEX`), which keeps what the block means. MariaDB joins by hashes and in batches of keys
without being told.
"""

from collections.abc import Collection

from sqlglot import exp

from placement.plan import RoutedFragment
from workloads.catalog import Catalog

FEWEST_ROWS = 100_000
"""Rows of a block's largest table below which no join takes time worth saving."""
TIMES = 4.0
"""The rows of the largest table for each row of one that is hashed, at least: a table that most of
its own rows are looked up in is read faster as a whole."""


def with_hash_joins(
    tree: exp.Query, routed: RoutedFragment, catalog: Catalog, *, own: Collection[str] = ()
) -> exp.Query:
    """Tell MySQL, in each block of `tree`, which tables not to join through their indexes.

    Those stay as they are that the fragment looks up or may read by an index, by their aliases, and
    `own` tables of users, whose indexes are theirs. Of indexes that were chosen only those count
    that its price has, where the plan says so.
    """
    fragment, chosen = routed.fragment, routed.read_by
    looked_up = [each.source for each in fragment.reduction.look_ups]
    read_by_index = [
        each.source
        for each in fragment.work.index_reads
        if each.index is None or chosen is None or each.index in chosen
    ]
    by_index = {source.partition(".")[2] for source in (*looked_up, *read_by_index)}
    rows = {name.lower(): table.rows for name, table in catalog.tables.items()}
    kept = {name.lower() for name in own}
    for select in tree.find_all(exp.Select):
        tables = _tables(select)
        largest = max((rows.get(name, 0) for name in tables.values()), default=0)
        hashed = [
            alias
            for alias, name in tables.items()
            if name in rows
            and name not in kept
            and alias.lower() not in by_index
            and rows[name] * TIMES <= largest
        ]
        if hashed and largest >= FEWEST_ROWS:
            select.set("hint", exp.Hint(expressions=[_without_index(each) for each in hashed]))
    return tree


def _tables(select: exp.Select) -> dict[str, str]:
    """Return alias → table, in lower case, of those that a block joins."""
    from_, joins = select.args.get("from_"), select.args.get("joins") or []
    relations = ([from_.this] if from_ else []) + [join.this for join in joins]
    return {
        each.alias_or_name: each.name.lower() for each in relations if isinstance(each, exp.Table)
    }


def _without_index(alias: str) -> exp.Expr:
    name = exp.to_identifier(alias, quoted=True)
    return exp.Anonymous(this="NO_JOIN_INDEX", expressions=[name])
