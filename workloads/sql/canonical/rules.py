"""A query in the form in which it is split into fragments: equal results, plainer shape.

Each rewrite is a function of the tree; `BEFORE` and `AFTER` are those of all statements, before and
after aggregations are merged and moved.
"""

from collections.abc import Callable

from sqlglot import exp

from workloads.catalog import Catalog
from workloads.sql.canonical.aggregated_operands import aggregated_operands
from workloads.sql.canonical.bare_exists import bare_exists
from workloads.sql.canonical.cte_filters import filtered_ctes, filtered_derived_tables
from workloads.sql.canonical.empty_keys import empty_keys
from workloads.sql.canonical.explicit_groups import explicit_groups
from workloads.sql.canonical.flat_joins import flat_joins, misread_merge
from workloads.sql.canonical.implied import distinct_operands, implied_filters
from workloads.sql.canonical.joins import plain_joins
from workloads.sql.canonical.listed_columns import (
    order_by_places,
    unwrap_listed_columns,
    wrap_listed_columns,
)
from workloads.sql.canonical.one_pass import merged_aggregations
from workloads.sql.canonical.order_by import wrap_order_by
from workloads.sql.canonical.outer_joins import strict_joins
from workloads.sql.canonical.plain_grouping import plain_grouping
from workloads.sql.canonical.positional_unions import positional_unions
from workloads.sql.canonical.unnest import unnest
from workloads.sql.meaning import FOREIGN, UnlikeError, in_duckdb
from workloads.sql.parsing.door import error_at, through_door
from workloads.sql.parsing.parse import no_pivot, parse, start_of
from workloads.sql.parsing.peculiar import order_by_all
from workloads.sql.resolving.inheritance import without_only
from workloads.sql.resolving.own_types import with_own_types
from workloads.sql.resolving.resolve import qualified
from workloads.sql.resolving.spelling import distinct_aliases, recursive_ctes
from workloads.sql.resolving.table_functions import qualify_arguments
from workloads.sql.resolving.views import expanded
from workloads.sql.trees.predicates import conjuncts, meaning
from workloads.workload import Query


@through_door
def canonical(query: Query, catalog: Catalog, dialect: str, *, as_asked: bool = False) -> exp.Query:
    """Parse, qualify and rewrite `query`; what it means is said in DuckDB's SQL.

    Aggregations that are `as_asked` stay where they are: those that could be made in one pass
    apart, and those of a union above it.

    Statements of dialects whose differences from it are not known (`meaning.FOREIGN`) are in
    sqlglot's own tree, as they were read.

    Raises:
        SqlError: As `parse` and `qualified`.
    """
    tree = resolved(query, catalog, dialect)
    for rule in BEFORE:
        tree = rule(tree)
    for pushing in (filtered_ctes, filtered_derived_tables):
        tree = pushing(tree, catalog)
    if not as_asked:
        tree = merged_aggregations(tree)
        # An average of other dialects may be no DOUBLE.
        if dialect == "duckdb" or dialect in FOREIGN:
            tree = aggregated_operands(tree, catalog)
    for rule in AFTER:
        tree = rule(tree)
    return tree


def resolved(query: Query, catalog: Catalog, dialect: str) -> exp.Query:
    """Return `query` in DuckDB's meaning, with every name resolved and plain joins.

    Raises:
        SqlError: As `parse` and `qualified`, or a construct of another dialect has no such meaning.
    """
    tree = without_only(expanded(parse(query, dialect), query, catalog), query, catalog)
    _refuse_pivots(tree, query)
    tree = recursive_ctes(flat_joins(distinct_aliases(tree, dialect)), dialect)
    _refuse_merges(tree, query)
    tree = wrap_listed_columns(order_by_places(tree), catalog)
    tree = qualify_arguments(qualified(tree, query, catalog, dialect), catalog)
    tree = _without_schemas(unwrap_listed_columns(plain_joins(drop_unread_ctes(tree))))
    tree = with_own_types(tree, catalog)
    if dialect not in FOREIGN:
        return tree
    try:
        return in_duckdb(tree, catalog.schema(), dialect)
    except UnlikeError as error:
        raise error_at(query, start_of(error.node), error.reason) from error


def _without_schemas(tree: exp.Query) -> exp.Query:
    """Take the schemas off the names of tables, which are known by their unique names.

    They are still written where the catalog gives none.
    """
    for table in tree.find_all(exp.Table):
        if isinstance(table.this, exp.Identifier):
            table.set("db", None)
            table.set("catalog", None)
    return tree


def _refuse_pivots(tree: exp.Query, query: Query) -> None:
    """Raise SqlError for what makes columns of values: which ones depends on the data."""
    pivot = tree.find(exp.Pivot)
    if pivot is not None:
        word = "UNPIVOT" if pivot.args.get("unpivot") else "PIVOT"
        raise error_at(query, start_of(pivot), no_pivot(word))


def _refuse_merges(tree: exp.Query, query: Query) -> None:
    """Raise SqlError for columns that would be merged with those of other tables than is meant."""
    found = misread_merge(tree)
    if found is not None:
        join, before = found
        reason = f"USING or NATURAL JOIN behind {before}: write ON, or put it before that"
        raise error_at(query, start_of(join.this), reason)


def drop_unread_ctes(tree: exp.Query) -> exp.Query:
    """Drop CTEs that nothing but themselves reads: they add nothing to the footprint."""
    while True:
        ctes = list(tree.find_all(exp.CTE))
        if not ctes:
            return tree
        read = _read_tables(tree, ctes)
        unread = [cte for cte in ctes if cte.alias not in read]
        if not unread:
            return tree
        for cte in unread:
            with_ = cte.parent
            cte.pop()
            if isinstance(with_, exp.With) and not with_.expressions:
                with_.pop()


def _read_tables(tree: exp.Query, ctes: list[exp.CTE]) -> set[str]:
    """Return the names read as tables, but for what recursive CTEs read of themselves."""
    reads = [table for table in tree.find_all(exp.Table) if not table.db]
    recursive = {
        id(cte.this): cte for cte in ctes if cte.parent and cte.parent.args.get("recursive")
    }
    if not recursive:
        return {table.name for table in reads}
    return {table.name for table in reads if not _reads_itself(table, recursive)}


def _reads_itself(table: exp.Table, recursive: dict[int, exp.CTE]) -> bool:
    above = table.parent
    while above is not None:
        cte = recursive.get(id(above))
        if cte is not None and cte.alias == table.name:
            return True
        above = above.parent
    return False


def factor_disjunctions(tree: exp.Query) -> exp.Query:
    """Hoist the conjuncts that all arms of an OR share: joins and filters hide in there."""
    for disjunction in list(tree.find_all(exp.Or)):
        if isinstance(disjunction.parent, exp.Or):
            continue
        arms = [conjuncts(arm) for arm in disjunction.flatten()]
        meanings = [[meaning(conjunct) for conjunct in arm] for arm in arms]
        shared = set.intersection(*map(set, meanings))
        if not shared:
            continue
        first = dict(zip(meanings[0], arms[0], strict=True))
        parts = [conjunct for means, conjunct in first.items() if means in shared]
        rests = [
            [conjunct for means, conjunct in zip(*arm, strict=True) if means not in shared]
            for arm in zip(meanings, arms, strict=True)
        ]
        if all(rests):
            arms_left = (exp.and_(*rest, copy=False) for rest in rests)
            parts.append(exp.paren(exp.or_(*arms_left, copy=False), copy=False))
        target: exp.Expr = disjunction
        while isinstance(target.parent, exp.Paren):
            target = target.parent
        hoisted = exp.and_(*parts, copy=False) if len(parts) > 1 else parts[0]
        target.replace(exp.paren(hoisted, copy=False) if len(parts) > 1 else hoisted)
    return tree


def explicit_orders(tree: exp.Query) -> exp.Query:
    """Write ORDER BY ALL behind a star, which has its columns by now, as their numbers."""
    for order in list(tree.find_all(exp.Order)):
        order_by_all(order)
    return tree


BEFORE: tuple[Callable[[exp.Query], exp.Query], ...] = (
    positional_unions,
    bare_exists,
    explicit_groups,
    empty_keys,
    plain_grouping,
    explicit_orders,
    factor_disjunctions,
    strict_joins,
    unnest,
)
AFTER: tuple[Callable[[exp.Query], exp.Query], ...] = (
    implied_filters,
    distinct_operands,
    wrap_order_by,
)
