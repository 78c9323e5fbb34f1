"""The types of a query's columns, written down at each of them."""

from sqlglot import exp

from workloads.catalog import Catalog
from workloads.sql.trees.tree import QueryTree
from workloads.sql.typing.types import Types, typed_in
from workloads.sql.typing.value_kinds import type_of_kind


def note_types(tree: exp.Query, catalog: Catalog) -> exp.Query:
    """Note at each column what DuckDB takes it for, where it is known.

    sqlglot takes decimals that are written out, or computed, for DOUBLE.
    """
    blocks = QueryTree(tree)
    of = Types(blocks, typed_in(catalog)).of
    for found in blocks.occurrences():
        type_ = type_of_kind(of(found.column))
        if type_ is not None:
            found.column.type = exp.DataType.build(type_, dialect="duckdb")
    return tree
