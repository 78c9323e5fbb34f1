"""Trino's SQL, in which whole queries are handed to it, where it differs from DuckDB's.

- Text is never compared with dates: `typed_dates`. A date plus a number is an error: `dates_added`.
- Casts of a DOUBLE to whole numbers round halves up: `half_even_casts`.
- Whole quotients and remainders by zero are errors: `null_remainders`; x / 0 is an infinity there
  too, as all quotients are of DOUBLE.
- AVG keeps a decimal's scale: `exact_averages`.
- LOG(x) has no base: `decimal_logarithm`.
- GREATEST and LEAST of a NULL are NULL: `extremes_of_nulls`.
- Weekdays are numbered from Monday, 1, to Sunday, 7: `iso_weekdays`.
- A CTE is kept or not as it likes: `kept_ctes`.
- ROUND takes halves away from zero, as DuckDB does. Percentiles are approximate alone: Trino
  refuses PERCENTILE_CONT.
"""

from collections.abc import Callable

from sqlglot import exp

from evaluation.federation.rewrites.date_arithmetic import dates_added
from evaluation.federation.rewrites.decimal_logarithm import decimal_logarithm
from evaluation.federation.rewrites.divide_by_zero import null_remainders
from evaluation.federation.rewrites.exact_averages import exact_averages
from evaluation.federation.rewrites.extremes_of_nulls import extremes_of_nulls
from evaluation.federation.rewrites.half_even_casts import half_even_casts
from evaluation.federation.rewrites.iso_weekdays import iso_weekdays
from evaluation.federation.rewrites.kept_ctes import kept_ctes
from evaluation.federation.rewrites.typed_dates import typed_dates

RULES: tuple[Callable[[exp.Query], exp.Query], ...] = (
    kept_ctes,
    typed_dates,
    dates_added,
    half_even_casts,
    null_remainders,
    exact_averages,
    decimal_logarithm,
    extremes_of_nulls,
    iso_weekdays,
)
