"""Spark's SQL, in which fragments are combined, where it differs from DuckDB's.

- Casts to whole numbers cut off: `round_to_integer`.
- x / 0 is an error (ANSI): `infinite_quotients`, `null_remainders`.
- The difference of dates is an interval: in all queries it is counted by DATEDIFF, `days_between`.
- Weekdays are numbered from 1, and months counted whole: `calendar_fields`.
- LOG(x) is the natural logarithm: `decimal_logarithm`.
- CONCAT of a number and NULL is an error: `concatenated_text`.
- QUANTILE_CONT is PERCENTILE: `percentiles`.
- ROUND takes halves away from zero, GREATEST and LEAST leave NULL out, as DuckDB does.
"""

from collections.abc import Callable

from sqlglot import exp

from evaluation.federation.calendar_fields import calendar_fields
from evaluation.federation.concatenated_text import concatenated_text
from evaluation.federation.decimal_logarithm import decimal_logarithm
from evaluation.federation.divide_by_zero import (
    infinite_quotients,
    null_remainders,
    quotients_by_powers,
)
from evaluation.federation.percentiles import percentiles
from evaluation.federation.round_to_integer import round_to_integer

LACKS: frozenset[str] = frozenset()
"""Features (`workloads.sql.features`) of a query that Spark runs otherwise, or not at all."""
RULES: tuple[Callable[[exp.Query], exp.Query], ...] = (
    infinite_quotients,
    null_remainders,
    decimal_logarithm,
    calendar_fields,
    percentiles,
    concatenated_text,
    round_to_integer,
)
WHOLE_QUERY_RULES: tuple[Callable[[exp.Query], exp.Query], ...] = tuple(
    quotients_by_powers if rule is infinite_quotients else rule for rule in RULES
)
"""The same for queries of which Spark pushes parts down to the stores."""
