"""Spark's SQL, in which fragments are combined, where it differs from DuckDB's.

- Casts to whole numbers cut off: `round_to_integer`.
- x / 0 is an error (ANSI): `quotients_by_powers`, `null_remainders`.
- The difference of dates is an interval: in all queries it is counted by DATEDIFF,
  `days_between`.
- To dates it adds numbers of 32 bits alone, and its whole quotients have 64: `days_as_integers`.
- Weekdays are numbered from 1, and months counted whole: `calendar_fields`. Seconds have a
  fraction: `whole_seconds`.
- LOG(x) is the natural logarithm: `decimal_logarithm`.
- CONCAT of a number and NULL is an error: `concatenated_text`. What is concatenated with NULL is
  text: `null_concatenation`.
- QUANTILE_CONT is PERCENTILE: `percentiles`.
- ROUND of a DOUBLE rounds the digits that it is shown with: `round_by_scale`. SIGN is a DOUBLE:
  `whole_signs`. FLOOR and CEIL of whole numbers are not: `whole_floors`.
- LIKE has an escape character: `like_backslashes`. UPPER makes several letters of some:
  `letter_case`.
- A CTE is kept or not as it likes: `kept_ctes`.
- AVG of decimals is cut off, and of whole numbers it is one of doubles: `exact_averages`.
- Sums of 64-bit numbers have 64 bits: `wide_sums`.
- Grouping sets have no grand total of no rows: `total_of_no_rows`.
- GREATEST and LEAST leave NULL out, as DuckDB does.
- What it has otherwise or not at all is not sent to it: `LACKS`.
"""

from collections.abc import Callable

from sqlglot import exp

from evaluation.federation.rewrites.calendar_fields import calendar_fields
from evaluation.federation.rewrites.concatenated_text import concatenated_text
from evaluation.federation.rewrites.date_arithmetic import days_as_integers
from evaluation.federation.rewrites.decimal_logarithm import decimal_logarithm
from evaluation.federation.rewrites.divide_by_zero import null_remainders, quotients_by_powers
from evaluation.federation.rewrites.exact_averages import exact_averages
from evaluation.federation.rewrites.kept_ctes import kept_ctes
from evaluation.federation.rewrites.letter_case import letter_case
from evaluation.federation.rewrites.like_backslashes import like_backslashes
from evaluation.federation.rewrites.null_concatenation import null_concatenation
from evaluation.federation.rewrites.percentiles import percentiles
from evaluation.federation.rewrites.round_by_scale import round_by_scale
from evaluation.federation.rewrites.round_to_integer import round_to_integer
from evaluation.federation.rewrites.total_of_no_rows import total_of_no_rows
from evaluation.federation.rewrites.whole_floors import whole_floors
from evaluation.federation.rewrites.whole_seconds import whole_seconds
from evaluation.federation.rewrites.whole_signs import whole_signs
from evaluation.federation.rewrites.wide_sums import wide_sums
from workloads.features import all_but

LACKS: frozenset[str] = all_but(
    *("window", "window_nulls_last", "rollup", "grouping", "full_join", "full_join_condition"),
    *("semi_join_order", "intersect", "except", "repeated_rows", "row_value", "having_expression"),
    "skipped_constants",
    *("limit_in_subquery", "offset_without_limit", "quotient_by_zero", "exponential", "logarithm"),
    *("several_windows", "statistic", "text_function", "date_function", "date_format", "date_part"),
    # A sum of more digits than it has is an error there, never another number.
    *("narrower_subquery", "month_difference", "fractional_seconds", "wide_sum"),
    "day_of_any_year",
    "sliding_frame",
)
"""Features (`workloads.features`) of a query that Spark runs otherwise, or not at all."""
RULES: tuple[Callable[[exp.Query], exp.Query], ...] = (
    kept_ctes,
    quotients_by_powers,
    null_remainders,
    decimal_logarithm,
    calendar_fields,
    days_as_integers,
    # Before what cuts seconds by FLOOR.
    whole_floors,
    whole_seconds,
    percentiles,
    null_concatenation,
    concatenated_text,
    letter_case,
    like_backslashes,
    round_by_scale,
    round_to_integer,
    # After what rounds casts: a sign is whole.
    whole_signs,
    exact_averages,
    wide_sums,
    total_of_no_rows,
)
WHOLE_QUERY_RULES: tuple[Callable[[exp.Query], exp.Query], ...] = tuple(
    rule
    for rule in RULES
    # It makes blocks that no routing knows.
    if rule is not total_of_no_rows
)
"""The same for queries of which Spark pushes parts down to the stores."""
