"""Features: names of constructs that some systems lack or run differently, with the reason."""

from collections.abc import Mapping

REASONS: Mapping[str, str] = {
    # Values and their types.
    "function": "It is not known to mean there what it means in DuckDB.",
    "unknown_type": "The type of a value is not known, and systems take types differently.",
    "mixed_types": "Values of different kinds meet, and each system casts its way.",
    "single_float": "DuckDB computes with REAL in single precision, other systems in double.",
    "wide_decimal": "The exact result has more digits than Spark keeps, which cuts off its scale.",
    "cut_decimal": "DuckDB cuts decimals that would have over 38 digits together, each its way.",
    "wide_sum": "A sum may have more than the 38 digits that it is handed out with.",
    "interval_value": "Lengths of time are kept in units of their own by every system.",
    "time_zone": "Moments with a time zone are shown and cut in the session's own zone.",
    "text_to_number": "What counts as a number's text differs: blanks, exponents, fractions.",
    "text_to_date": "What counts as a date's text differs.",
    "float_to_decimal": "DuckDB rounds the binary value of a DOUBLE, others the digits shown.",
    "sliding_frame": "MySQL subtracts numbers that leave a window's frame from its sum.",
    "written_otherwise": "The SQL of its stores cannot say it.",
    "type_without_equal": "A column has a type that Spark has not: a list, a length of time.",
    "order_of_evaluation": "It ends in an error unless conditions are evaluated as DuckDB does.",
    "value_text": "Systems write what is no number, date or text as text each in their way.",
    "try_cast": "A cast that gives NULL where it fails is not there, or fails otherwise.",
    "boolean_cast": "Systems read and write truth values as numbers or text differently.",
    # Operators.
    "row_comparison": "DuckDB compares rows of values with NULL equal to NULL.",
    "row_value": "Several values are one, which MySQL cannot count.",
    "in_as_value": "IN over a subquery is NULL where nobody knows; Spark makes it false.",
    "narrower_subquery": "What a subquery's type cannot hold is never unknown in MariaDB's IN.",
    "exists_as_value": "Spark has EXISTS as a filter, not as a value.",
    "quantified_comparison": "Comparisons with ANY or ALL of a subquery are not in Spark's SQL.",
    "symmetric_between": "BETWEEN SYMMETRIC is PostgreSQL's and DuckDB's.",
    "like_escape": "Patterns with an escape character of their own are taken apart differently.",
    "like_pattern": "A computed pattern may hold backslashes, which DuckDB takes for letters.",
    "case_insensitive_like": "Which letters differ in case alone is not the same everywhere.",
    "quotient_by_zero": "A quotient by zero is an infinity, for which MySQL has no number.",
    "double_remainder": "Remainders of DOUBLE are not in PostgreSQL, and by zero not the same.",
    "decimal_remainder": "Whole quotients of others than whole numbers are of another type.",
    "bit_operation": "Operations on bits take negative numbers for unsigned ones in MySQL.",
    "computed_interval": "The length of an interval is computed, or has a fraction.",
    # Functions.
    "negative_position": "Positions in text are counted differently but from 1 on.",
    "text_function": "MySQL has it not, or for other arguments.",
    "trimmed_characters": "DuckDB trims every kind of blank, other systems the space alone.",
    "text_aggregate": "Texts of a group are joined in another order, or cut off.",
    "regular_expression": "Each system has a language of regular expressions of its own.",
    "rounded_digits": "Rounding to computed, negative or very many digits differs.",
    "exponential": "Beyond the largest DOUBLE there is an error in place of an infinity.",
    "logarithm": "The logarithm to a base is one of decimals there.",
    "floor_of_double": "Spark makes a 64-bit number of a rounded DOUBLE.",
    "statistic": "MySQL has it not.",
    "correlation": "Without variance DuckDB's is no number, others' is NULL.",
    "date_function": "MySQL has it not, or counts otherwise.",
    "day_of_any_year": "MySQL has the years 1 to 9999 alone: days beyond are NULL there.",
    "date_format": "Dates are formatted by patterns of each system's own.",
    "date_part": "MySQL has no such part of a date.",
    "iso_date_part": "Only PostgreSQL has the parts of ISO dates under the same names.",
    "name_of_date_part": "Names of days and months are short or long, in the system's language.",
    "fractional_seconds": "Seconds are whole in some systems, and have a fraction in others.",
    "month_difference": "DuckDB counts the months' first days between dates, others whole months.",
    # Aggregates and windows.
    "ordered_aggregate": "The order in which a group is aggregated is kept by few systems.",
    "ignore_nulls": "Window functions that pass over NULL are written differently, or not there.",
    "window": "Values over windows of rows.",
    "window_nulls_last": "Windows of MySQL sort NULL first where it sorts upwards.",
    "window_distinct": "Distinct values are not counted over windows.",
    "window_frame": "A frame of values, groups or exceptions is not there, or differs.",
    "window_function": "The aggregate is not one over windows there.",
    "several_windows": "MariaDB mixes up windows that are sorted differently in one SELECT.",
    "window_filter": "FILTER is not there for windows.",
    "named_window": "A window that several share is not resolved.",
    # The shape of a query.
    "rollup": "MySQL has no grouping sets.",
    "grouping": "MariaDB has no GROUPING.",
    "grouping_in_having": "Spark does not find the columns of GROUPING in HAVING.",
    "grouping_sets_over_no_rows": "Spark makes no grand total of no rows.",
    "constant_in_grouping_sets": "A constant that is grouped by is NULL in a total, for DuckDB.",
    "full_join": "MySQL has no full join.",
    "full_join_condition": "PostgreSQL joins fully only where columns are equal.",
    "semi_join_order": "A semi or anti join before a right or full join would be done after it.",
    "join_method": "Joins by nearest value or position are DuckDB's.",
    "lateral": "A derived table refers to its neighbours: MariaDB allows none.",
    "subquery_in_join_condition": "Spark takes no subquery in the condition of an outer join.",
    "correlated_limit": "Spark limits a correlated subquery's rows for all outer rows together.",
    "nested_correlation": "Spark knows the columns of the block around a subquery alone.",
    "correlated_block": "Spark takes few correlated subqueries but plain filters and aggregates.",
    "limit_in_subquery": "MySQL has no LIMIT in a subquery of IN.",
    "limit_expression": "How many rows are returned is computed, a share, or with ties.",
    "offset_without_limit": "MySQL skips rows only where it limits them.",
    "skipped_constants": "MariaDB skips no row of DISTINCT constants, whatever OFFSET says.",
    "having_expression": "MariaDB's HAVING knows only outputs and columns that are grouped by.",
    "distinct_on": "The first row of each key is DuckDB's and PostgreSQL's.",
    "qualify": "Rows are chosen by a window function, which the others compute in a derived table.",
    "sample": "Which rows are sampled is chance.",
    "recursion": "Recursive queries have the types of their first part, each system in its way.",
    "values": "Tables written as VALUES have other names and types of columns.",
    "intersect": "Rows that are in both.",
    "except": "Rows that are in one alone.",
    "mixed_columns": "Columns of different types are put together, and each system casts its way.",
    "set_by_name": "Columns are matched by name, which only DuckDB does.",
    "repeated_rows": "INTERSECT ALL and EXCEPT ALL are not in MySQL 8.0's first releases.",
}
"""Feature → why a system that lacks it is not sent it."""


def all_but(*run: str) -> frozenset[str]:
    """Return the features that a system lacks which is known to run those given and no other.

    Raises:
        KeyError: There is no such feature.
    """
    unknown = [name for name in run if name not in REASONS]
    if unknown:
        raise KeyError(*unknown)
    return frozenset(REASONS) - frozenset(run)
