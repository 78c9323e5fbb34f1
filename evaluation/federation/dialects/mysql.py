"""MariaDB's and MySQL's SQL, where it differs from DuckDB's.

- ROUND of a DOUBLE takes halves to the even neighbour: `round_half_away`.
- A date plus a number is a sum of numbers, 20000131 + 5: `days_added`.
- GREATEST and LEAST of a NULL are NULL: `extremes_of_nulls`.
- LOG(x) is the natural logarithm: `decimal_logarithm`.
- AVG keeps a decimal's scale plus four digits: `exact_averages`. So do MariaDB's deviations and
  variances in expressions and windows of derived tables: `statistics_of_doubles`.
- Aggregates have no FILTER: `filter_clauses`.
- Timestamps have whole seconds: `fractional_seconds`. LIKE has an escape character:
  `like_backslashes`.
- x / 0 is NULL where DuckDB has an infinity: MariaDB has no number for it.
- Text compares by code point and with its trailing blanks, since tables, and literals in our
  sessions, have the collation utf8mb4_nopad_bin (MySQL: utf8mb4_0900_bin).
- NULLS LAST is a CASE over what is ordered by, which a number cannot be: `ordered_by_name`.
- UPPER and LOWER know the letters of older versions of Unicode: `letter_case_of_mysql`.
- A CTE is kept or not as it likes: `kept_ctes`. TRUE is a place to group by: `constant_keys`.
- It hashes -0.0 and 0 apart: `zeros_as_keys`.
- It has no GROUPING SETS, GROUPING and FULL JOIN, and its windows sort nulls first (`MySQL.lacks`).
  MySQL 8 has GROUPING, LATERAL and row values as well, but a plan is made before a server says
  which of the two it is.
"""

from collections.abc import Callable

from sqlglot import exp

from evaluation.federation.rewrites.constant_keys import constant_keys
from evaluation.federation.rewrites.date_arithmetic import days_added
from evaluation.federation.rewrites.decimal_logarithm import decimal_logarithm
from evaluation.federation.rewrites.exact_averages import exact_averages
from evaluation.federation.rewrites.extremes_of_nulls import extremes_of_nulls
from evaluation.federation.rewrites.filter_clauses import filter_clauses
from evaluation.federation.rewrites.fractional_seconds import fractional_seconds
from evaluation.federation.rewrites.kept_ctes import kept_ctes
from evaluation.federation.rewrites.letter_case import letter_case_of_mysql
from evaluation.federation.rewrites.like_backslashes import like_backslashes
from evaluation.federation.rewrites.ordered_by_name import ordered_by_name
from evaluation.federation.rewrites.round_half_away import round_half_away
from evaluation.federation.rewrites.statistics_of_doubles import statistics_of_doubles
from evaluation.federation.rewrites.zeros_as_keys import zeros_as_keys

RULES: tuple[Callable[[exp.Query], exp.Query], ...] = (
    kept_ctes,
    ordered_by_name,
    # While columns are what their types were noted at.
    zeros_as_keys,
    days_added,
    extremes_of_nulls,
    decimal_logarithm,
    round_half_away,
    exact_averages,
    statistics_of_doubles,
    # After what makes two aggregates of one.
    filter_clauses,
    letter_case_of_mysql,
    fractional_seconds,
    like_backslashes,
    constant_keys,
)
