"""Differences of each store's SQL from DuckDB's: one module a dialect, with its rewrites.

A kind's description says which of them its stores need.
"""

from collections.abc import Mapping

from sqlglot import exp
from sqlglot.optimizer.annotate_types import annotate_types

from evaluation.federation.dialects import spark, trino
from evaluation.federation.store_dialect import Rule
from workloads.catalog import Catalog

__all__ = [
    "ENGINE_LACKS",
    "ENGINE_RULES",
    "WHOLE_QUERY_LACKS",
    "WHOLE_QUERY_RULES",
    "annotated",
]

ENGINE_LACKS: frozenset[str] = spark.LACKS
"""Features of a combining query that the engine does not run as DuckDB does."""
ENGINE_RULES: tuple[Rule, ...] = spark.RULES
"""Rules that keep the meaning of the combining query in the engine."""
WHOLE_QUERY_RULES: Mapping[str, tuple[Rule, ...]] = {
    "spark": spark.WHOLE_QUERY_RULES,
    "trino": trino.RULES,
}
"""The same for engines that are given the query as a whole."""
WHOLE_QUERY_LACKS: Mapping[str, frozenset[str]] = {"spark": spark.LACKS}
"""Features that such engines do not run as DuckDB does, where they are known."""


def annotated(tree: exp.Query, catalog: Catalog) -> exp.Query:
    """Tell the nodes of a query over the catalog's tables their types, where they are known."""
    schema: dict[str, object] = {
        name.lower(): {column.lower(): type_ for column, type_ in columns.items()}
        for name, columns in catalog.schema().items()
    }
    return annotate_types(tree, schema=schema, dialect="duckdb")
