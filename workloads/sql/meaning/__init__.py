"""A statement of another dialect in DuckDB's SQL, with the meaning that it has in its own.

sqlglot writes one dialect's words in another's. Where these mean something else to DuckDB, a rule
of the dialect rewrites the tree first: one file a rule. `FOREIGN` names the dialects whose
differences are known; statements of others are only written.
"""

from collections.abc import Callable, Mapping

from sqlglot import MappingSchema, exp, parse_one
from sqlglot.optimizer.annotate_types import annotate_types

from workloads.sql.meaning.bytewise_texts import bytewise_texts
from workloads.sql.meaning.clipped_casts import clipped_casts
from workloads.sql.meaning.clipped_substrings import clipped_substrings
from workloads.sql.meaning.constant_groups import constant_groups
from workloads.sql.meaning.constant_orders import constant_orders
from workloads.sql.meaning.cut_texts import cut_texts, unpadded_texts
from workloads.sql.meaning.day_numbers import day_numbers
from workloads.sql.meaning.decimal_quotients import decimal_quotients
from workloads.sql.meaning.distinct_rows import distinct_rows
from workloads.sql.meaning.empty_arrays import empty_arrays
from workloads.sql.meaning.empty_substrings import empty_substrings
from workloads.sql.meaning.escaped_patterns import escaped_patterns
from workloads.sql.meaning.exact_literals import exact_literals
from workloads.sql.meaning.first_bytes import first_bytes
from workloads.sql.meaning.formatted_moments import formatted_moments
from workloads.sql.meaning.formatted_texts import formatted_texts
from workloads.sql.meaning.found_parts import found_parts
from workloads.sql.meaning.fractions_of_seconds import fractions_of_seconds
from workloads.sql.meaning.grouped_digits import grouped_digits
from workloads.sql.meaning.half_even_rounding import half_even_rounding
from workloads.sql.meaning.half_up_casts import half_up_casts
from workloads.sql.meaning.joined_arrays import joined_arrays
from workloads.sql.meaning.joined_texts import joined_texts
from workloads.sql.meaning.known_correlations import known_correlations
from workloads.sql.meaning.late_starts import late_starts
from workloads.sql.meaning.leading_numbers import leading_numbers
from workloads.sql.meaning.lengths_in_bytes import lengths_in_bytes
from workloads.sql.meaning.letter_classes import letter_classes
from workloads.sql.meaning.listed_arrays import listed_arrays
from workloads.sql.meaning.met_decimals import met_decimals
from workloads.sql.meaning.microseconds import microseconds
from workloads.sql.meaning.mixed_texts import mixed_texts
from workloads.sql.meaning.moments_as_text import moments_as_text
from workloads.sql.meaning.no_negative_lengths import no_negative_lengths
from workloads.sql.meaning.null_outside_domain import null_outside_domain
from workloads.sql.meaning.numbered_weeks import numbered_weeks
from workloads.sql.meaning.own_functions import mysql_functions, postgresql_functions
from workloads.sql.meaning.plain_bytes import plain_bytes
from workloads.sql.meaning.plain_having import plain_having
from workloads.sql.meaning.plain_rollup import plain_rollup
from workloads.sql.meaning.plain_selects import plain_selects
from workloads.sql.meaning.plain_timestamps import plain_timestamps
from workloads.sql.meaning.quantified_queries import quantified_queries
from workloads.sql.meaning.refused import unlike_in_mysql, unlike_in_postgresql
from workloads.sql.meaning.replacing import UnlikeError
from workloads.sql.meaning.row_equality import row_equality
from workloads.sql.meaning.short_truths import short_truths
from workloads.sql.meaning.signed_numbers import signed_numbers
from workloads.sql.meaning.signed_shifts import signed_shifts
from workloads.sql.meaning.similar_patterns import similar_patterns
from workloads.sql.meaning.stripped_words import stripped_spaces, stripped_words
from workloads.sql.meaning.texts_of_numbers import texts_of_unscaled
from workloads.sql.meaning.textual_arguments import textual_arguments
from workloads.sql.meaning.truth_numbers import truth_numbers
from workloads.sql.meaning.unscaled_numbers import unscaled_numbers
from workloads.sql.meaning.unsigned_bits import unsigned_bits
from workloads.sql.meaning.weekday_numbers import weekday_numbers
from workloads.sql.meaning.whole_days import whole_days
from workloads.sql.meaning.whole_decimals import whole_decimals
from workloads.sql.meaning.whole_differences import whole_differences
from workloads.sql.meaning.whole_divisions import whole_divisions
from workloads.sql.meaning.whole_moments import whole_moments
from workloads.sql.meaning.whole_months import whole_months
from workloads.sql.meaning.whole_quotients import whole_quotients
from workloads.sql.meaning.wide_sums import wide_sums
from workloads.sql.meaning.written_doubles import written_by_mysql, written_by_postgresql

__all__ = ["FOREIGN", "UnlikeError", "in_duckdb"]

Rule = Callable[[exp.Query], exp.Query]

FOREIGN: Mapping[str, tuple[Rule, ...]] = {
    "postgres": (
        unlike_in_postgresql,
        formatted_texts,
        exact_literals,
        whole_moments,
        whole_differences,
        signed_numbers,
        constant_orders,
        unpadded_texts,
        written_by_postgresql,
        texts_of_unscaled,
        constant_groups,
        bytewise_texts,
        whole_quotients,
        half_up_casts,
        half_even_rounding,
        unscaled_numbers,
        cut_texts,
        escaped_patterns,
        similar_patterns,
        letter_classes,
        moments_as_text,
        fractions_of_seconds,
        found_parts,
        clipped_substrings,
        known_correlations,
        listed_arrays,
        short_truths,
        signed_shifts,
        joined_arrays,
        empty_arrays,
        postgresql_functions,
        stripped_spaces,
        row_equality,
        met_decimals,
    ),
    "mysql": (
        plain_timestamps,
        whole_days,
        unlike_in_mysql,
        quantified_queries,
        constant_orders,
        plain_having,
        distinct_rows,
        written_by_mysql,
        constant_groups,
        bytewise_texts,
        plain_selects,
        plain_bytes,
        half_even_rounding,
        whole_decimals,
        mysql_functions,
        truth_numbers,
        mixed_texts,
        textual_arguments,
        late_starts,
        leading_numbers,
        clipped_casts,
        wide_sums,
        lengths_in_bytes,
        numbered_weeks,
        formatted_moments,
        grouped_digits,
        decimal_quotients,
        whole_divisions,
        cut_texts,
        joined_texts,
        escaped_patterns,
        letter_classes,
        stripped_spaces,
        stripped_words,
        weekday_numbers,
        day_numbers,
        microseconds,
        whole_months,
        no_negative_lengths,
        unsigned_bits,
        first_bytes,
        null_outside_domain,
        plain_rollup,
        empty_substrings,
        row_equality,
        met_decimals,
    ),
}
"""Dialect → what gives a qualified query its meaning in DuckDB's SQL.

What is refused comes first, and what looks at types before what makes new ones.
"""


def in_duckdb(tree: exp.Query, schema: Mapping[str, Mapping[str, str]], dialect: str) -> exp.Query:
    """Return a qualified query of a `FOREIGN` dialect as DuckDB's parser would give it.

    `schema` maps tables to their columns and DuckDB's types of them. The tree is consumed.

    Raises:
        UnlikeError: A construct has no meaning in DuckDB's SQL that is known to be its own.
    """
    _spell(tree, schema)
    lowered: dict[str, object] = {
        _lower(table): {_lower(column): type_ for column, type_ in columns.items()}
        for table, columns in schema.items()
    }
    known = MappingSchema(lowered, dialect="duckdb", normalize=False)
    tree = annotate_types(tree, schema=known, dialect="duckdb")
    for rule in FOREIGN[dialect]:
        tree = rule(tree)
    written = parse_one(tree.sql("duckdb", identify=True), dialect="duckdb")
    if not isinstance(written, exp.Query):
        raise TypeError(f"a query became a {written.key}")
    return written


def _spell(tree: exp.Query, schema: Mapping[str, Mapping[str, str]]) -> None:
    """Give tables the letters that they have: an Ü is no ü to DuckDB."""
    spelled = {name.lower(): name for name in schema if not name.isascii()}
    for table in tree.find_all(exp.Table):
        name = spelled.get(table.name.lower())
        if name is not None and isinstance(table.this, exp.Identifier):
            table.this.set("this", name)


def _lower(name: str) -> str:
    """Return a name as resolution leaves it."""
    return name.lower() if name.isascii() else name
