"""Queries that one relation of FROM alone reads."""

from collections.abc import Mapping

from sqlglot import exp

from workloads.sql.blocks.pushdown import is_plain_relation
from workloads.sql.resolving.views import cte_of


def read_alone(relation: exp.Expr, reads: Mapping[str, int]) -> exp.Query | None:
    """Return the query that a derived table is, or a CTE that nothing else reads; None without one.

    Its columns have their own names there. `reads` counts how often tables are named, in lower
    case.
    """
    if not isinstance(relation, (exp.Subquery, exp.Table)) or not is_plain_relation(relation):
        return None
    if relation.alias_column_names:
        return None
    query: exp.Expr | None = None
    if isinstance(relation, exp.Subquery):
        query = relation.this
    elif reads[relation.name.lower()] == 1:
        cte = cte_of(relation)
        if cte is not None and not _is_recursive(cte) and not cte.alias_column_names:
            query = cte.this
    return query if isinstance(query, exp.Query) else None


def _is_recursive(cte: exp.CTE) -> bool:
    return bool(cte.parent and cte.parent.args.get("recursive"))
