"""The types of a query's nodes, as DuckDB infers them."""

from collections.abc import Mapping

from sqlglot import exp
from sqlglot.optimizer.annotate_types import annotate_types

Schema = Mapping[str, Mapping[str, str]]
"""Relation → column → DuckDB's type."""


def annotated(tree: exp.Query, schema: Schema) -> exp.Query:
    """Tell the nodes of a query over the relations of `schema` their types, where they are known."""
    lowered: dict[str, object] = {
        name.lower(): {column.lower(): type_ for column, type_ in columns.items()}
        for name, columns in schema.items()
    }
    return annotate_types(tree, schema=lowered, dialect="duckdb")
