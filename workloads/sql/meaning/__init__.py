"""A statement of another dialect in DuckDB's SQL, with the meaning that it has in its own.

sqlglot writes one dialect's words in another's. Where these mean something else to DuckDB, a rule
of the dialect rewrites the tree first: one file a rule. `FOREIGN` names the dialects whose
differences are known; statements of others are only written.
"""

from collections.abc import Callable, Mapping

from sqlglot import exp, parse_one
from sqlglot.optimizer.annotate_types import annotate_types

from workloads.sql.meaning.clipped_substrings import clipped_substrings
from workloads.sql.meaning.decimal_quotients import decimal_averages, decimal_quotients
from workloads.sql.meaning.empty_substrings import empty_substrings
from workloads.sql.meaning.escaped_patterns import escaped_patterns
from workloads.sql.meaning.fractions_of_seconds import fractions_of_seconds
from workloads.sql.meaning.half_even_rounding import half_even_rounding
from workloads.sql.meaning.lengths_in_bytes import lengths_in_bytes
from workloads.sql.meaning.plain_rollup import plain_rollup
from workloads.sql.meaning.plain_selects import plain_selects
from workloads.sql.meaning.row_equality import row_equality
from workloads.sql.meaning.weekday_numbers import weekday_numbers
from workloads.sql.meaning.weeks_from_sunday import weeks_from_sunday
from workloads.sql.meaning.whole_months import whole_months
from workloads.sql.meaning.whole_quotients import whole_quotients

__all__ = ["FOREIGN", "in_duckdb"]

Rule = Callable[[exp.Query], exp.Query]

FOREIGN: Mapping[str, tuple[Rule, ...]] = {
    "postgres": (
        whole_quotients,
        escaped_patterns,
        fractions_of_seconds,
        half_even_rounding,
        clipped_substrings,
        row_equality,
    ),
    "mysql": (
        plain_selects,
        half_even_rounding,
        lengths_in_bytes,
        weeks_from_sunday,
        decimal_quotients,
        decimal_averages,
        escaped_patterns,
        weekday_numbers,
        whole_months,
        plain_rollup,
        empty_substrings,
        row_equality,
    ),
}
"""Dialect → what gives a qualified query its meaning in DuckDB's SQL."""


def in_duckdb(tree: exp.Query, schema: Mapping[str, Mapping[str, str]], dialect: str) -> exp.Query:
    """Return a qualified query of a `FOREIGN` dialect as DuckDB's parser would give it.

    `schema` maps tables to their columns and DuckDB's types of them. The tree is consumed.
    """
    lowered: dict[str, object] = {
        table.lower(): {column.lower(): type_ for column, type_ in columns.items()}
        for table, columns in schema.items()
    }
    tree = annotate_types(tree, schema=lowered, dialect="duckdb")
    for rule in FOREIGN[dialect]:
        tree = rule(tree)
    written = parse_one(tree.sql("duckdb", identify=True), dialect="duckdb")
    if not isinstance(written, exp.Query):
        raise TypeError(f"a query became a {written.key}")
    return written
