"""PostgreSQL's SQL, where it differs from DuckDB's.

- ROUND of a DOUBLE takes halves to the even neighbour, and takes no digits: `round_half_away`.
- Numbers with an exponent are decimals: `double_literals`.
- Texts that are written out have no type for LAG: `typed_window_texts`.
- AVG is no DOUBLE: `exact_averages`.
- x / 0 is an error, also where the row is left out later: `infinite_quotients`; whole quotients
  and remainders likewise: `null_remainders`.
- Text lies in the collation "C", so that it compares by code point; there LOWER and UPPER know
  ASCII alone, and elsewhere the letters of a locale: `letter_case`.
- There is no MAX of truth values: `boolean_extremes`.
- It has no QUARTER(d): `extracted_fields`. To dates it adds numbers of 32 bits alone:
  `days_as_integers`.
- Seconds have a fraction: `whole_seconds`. LIKE has an escape character: `like_backslashes`.
- Constants are not grouped by but as places: `constant_keys`.
- Functions beyond the common core are not sent there (`PostgreSQL.lacks`).
"""

from collections.abc import Callable

from sqlglot import exp

from evaluation.federation.rewrites.boolean_extremes import boolean_extremes
from evaluation.federation.rewrites.constant_keys import constant_keys
from evaluation.federation.rewrites.date_arithmetic import days_as_integers
from evaluation.federation.rewrites.divide_by_zero import infinite_quotients, null_remainders
from evaluation.federation.rewrites.double_literals import double_literals
from evaluation.federation.rewrites.exact_averages import exact_averages
from evaluation.federation.rewrites.extracted_fields import extracted_fields
from evaluation.federation.rewrites.letter_case import letter_case
from evaluation.federation.rewrites.like_backslashes import like_backslashes
from evaluation.federation.rewrites.round_half_away import round_half_away
from evaluation.federation.rewrites.typed_window_texts import typed_window_texts
from evaluation.federation.rewrites.whole_seconds import whole_seconds

RULES: tuple[Callable[[exp.Query], exp.Query], ...] = (
    infinite_quotients,
    null_remainders,
    boolean_extremes,
    letter_case,
    round_half_away,
    exact_averages,
    extracted_fields,
    whole_seconds,
    days_as_integers,
    like_backslashes,
    constant_keys,
    double_literals,
    typed_window_texts,
)
