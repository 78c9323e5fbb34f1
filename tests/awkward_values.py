"""A table of awkward values, and the forms of SQL that systems are known to run alike over it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.stores.parquet_tables import write
from workloads.catalog import Catalog
from workloads.workload import Query

ROWS = 60
COLUMNS = {
    "id": "INTEGER", "i": "INTEGER", "j": "INTEGER", "b": "BIGINT", "p": "DECIMAL(9,3)",
    "q": "DECIMAL(18,4)", "x": "DOUBLE", "y": "DOUBLE", "s": "VARCHAR", "t": "VARCHAR",
    "d": "DATE", "e": "DATE", "ts": "TIMESTAMP", "us": "TIMESTAMP", "f": "BOOLEAN", "g": "BOOLEAN",
}  # fmt: skip
_WHOLE = ("0", "1", "-1", "2", "3", "7", "-7", "10", "-30000", "30000", "12", "NULL")
_WIDE = ("0", "9007199254740993", "-9007199254740993", "5", "-5", "4000000000", "NULL")
_DECIMALS = ("0", "0.5", "-0.5", "1.005", "2.5", "-2.5", "3.5", "99999.999", "-0.001", "7", "NULL")
_DOUBLES = (
    "0", "0.5", "-0.5", "1.5", "2.5", "-2.5", "3.5", "0.1", "1e10", "1e-10", "2.675", "0.285",
    "1.005", "123456.789", "-0.1", "0.49999999999999994", "NULL",
)  # fmt: skip
_TEXTS = (
    "''", "' '", "'a'", "'A'", "'a '", "' a'", "'ab%'", "'a_b'", r"'a\b'", r"'a\%'", "'o''k'",
    "'é'", "'É'", "'ä'", "'Ä'", "'zz'", "'ZZ'", "'0'", "'12'", "'😀b'", "chr(9) || 'a'", "'a-b-c'",
    "NULL",
)  # fmt: skip
_DATES = (
    "1970-01-01", "2000-02-29", "1999-12-31", "1900-01-01", "2024-02-29", "2000-01-31",
    "2021-01-03", "2020-12-31", "1700-03-01", None,
)  # fmt: skip
_TIMES = ("00:00:00", "23:59:59.999999", "12:30:15.123456", "00:00:00.5", "05:06:07")
_TRUTHS = ("true", "false", "NULL")


def _values(row: int) -> str:
    def of(values: tuple[str, ...], stride: int = 1) -> str:
        return values[(row * stride + stride) % len(values)]

    def moment(stride: int) -> str:
        day = _DATES[(row * stride) % len(_DATES)]
        return f"'{day} {_TIMES[(row * stride) % len(_TIMES)]}'" if day else "NULL"

    days = [_DATES[(row * stride) % len(_DATES)] for stride in (1, 3)]
    dates = [f"'{day}'" if day else "NULL" for day in days]
    cells = (
        str(row), of(_WHOLE), of(_WHOLE, 5), of(_WIDE), of(_DECIMALS), of(_DECIMALS, 4),
        of(_DOUBLES), of(_DOUBLES, 3), of(_TEXTS), of(_TEXTS, 7), *dates, moment(1), moment(7),
        of(_TRUTHS), of(_TRUTHS[:2], 1) if row % 3 else "NULL",
    )  # fmt: skip
    return f"({', '.join(cells)})"


VALUES = (
    "i + j", "i - b", "i * j", "b + 1", "p + q", "p - i", "p * i", "p * q", "x + y", "x * i",
    "x - p", "-x", "-p", "i / 2", "p / 4", "x / 2", "i / j", "x / y", "p / i", "i // 3", "i // j",
    "i // -2", "i % 3", "i % -7", "i % j", "p % 2", "b % 7", "x % 2", "i / nullif(j, 0)",
    "CASE WHEN j <> 0 THEN i / j END", "abs(i)", "abs(p)", "abs(x)", "sign(i)", "sign(p)",
    "sign(x)", "sqrt(abs(i))", "sqrt(abs(x))", "ln(abs(i) + 1)", "ln(abs(x) + 1)",
    "log(abs(i) + 1)", "log2(abs(i) + 1)", "log10(abs(p) + 1)", "exp(i % 5)", "exp(i)",
    "pow(x, 2)", "pow(i, 2)", "pow(i, -1)", "round(i)", "round(p)", "round(p, 1)", "round(p, 2)",
    "round(x)", "round(x, 1)", "round(x, 2)", "round(q, 3)", "round(x, -1)", "round(p, -1)",
    "round(i, -1)", "floor(p)", "ceil(p)", "floor(x)", "ceil(x)", "floor(i)", "ceil(q)",
    "trunc(p)", "trunc(x)", "greatest(i, j)", "least(i, j)", "greatest(p, i)", "least(x, y)",
    "greatest(s, t)", "least(d, e)", "greatest(x, i)", "greatest(i, 3, j)", "CAST(p AS INTEGER)",
    "CAST(q AS BIGINT)", "CAST(x AS BIGINT)", "CAST(x * 0.5 AS BIGINT)", "CAST(i / 2 AS INTEGER)",
    "CAST(i AS DECIMAL(12,2))", "CAST(p AS DECIMAL(9,1))", "CAST(q AS DECIMAL(9,0))",
    "CAST(x AS DECIMAL(18,2))", "CAST(f AS INTEGER)", "CAST(i AS DOUBLE)", "CAST(p AS DOUBLE)",
    "CAST(b AS DOUBLE)", "CAST(i AS VARCHAR)", "CAST(p AS VARCHAR)", "CAST(d AS VARCHAR)",
    "CAST(x AS VARCHAR)", "CAST(ts AS VARCHAR)", "CAST(f AS VARCHAR)", "CAST('12' AS INTEGER)",
    "CAST(s AS VARCHAR(1))", "CAST(ts AS DATE)", "CAST(d AS TIMESTAMP)", "TRY_CAST(s AS INTEGER)",
    "CAST('2000-02-29' AS DATE)", "TIMESTAMP '2000-02-29 12:30:15.123456'", "CAST(i AS BOOLEAN)",
    "CAST(x AS REAL)", "coalesce(i, 5)", "coalesce(s, 'none')", "coalesce(p, 0)",
    "coalesce(d, DATE '2000-01-01')", "nullif(i, 7)", "nullif(s, 'a')", "if(i > 3, 'y', 'n')",
    "CASE WHEN i > 3 THEN p ELSE q END", "CASE WHEN i > 3 THEN i ELSE p END",
    "CASE i WHEN 7 THEN 'seven' WHEN 2 THEN 'two' END", "CASE WHEN i > 3 THEN p ELSE x END",
    "CASE WHEN f THEN d END", "lower(s)", "upper(s)", "length(s)", "substr(s, 1, 1)",
    "substr(s, 2)", "substr(s, 2, 0)", "substr(s, 0, 2)", "substr(s, -1, 1)", "left(s, 1)",
    "right(s, 1)", "left(s, 0)", "left(s, -1)", "right(s, 0)", "left(s, i)",
    "replace(s, 'a', 'xx')", "replace(s, '', 'x')", "replace(s, 'a', '')", "strpos(s, 'b')",
    "strpos(s, t)", "strpos(s, '')", "position('a' IN s)", "lpad(s, 3, '*')", "rpad(s, 3, 'ab')",
    "lpad(s, 0, '*')", "repeat(s, 2)", "repeat(s, 0)", "reverse(s)", "md5(s)", "trim(s)",
    "ltrim(s)", "s || t", "s || 'x'", "s || i", "concat(s, '-', t)", "concat(s, i)",
    "concat_ws('-', s, 'q', t)", "concat_ws('-', s, NULL)", "split_part(s, '-', 2)", "ascii(s)",
    "starts_with(s, 'a')", "contains(s, 'b')", "contains(s, '')", "regexp_replace(s, 'a', 'q')",
    "p || s", "year(d)", "month(d)", "day(d)", "year(ts)", "day(ts)", "quarter(d)",
    "extract(dow FROM d)", "extract(doy FROM d)", "extract(hour FROM ts)",
    "extract(minute FROM ts)", "extract(second FROM ts)", "second(ts)", "extract(isodow FROM d)",
    "extract(week FROM d)", "extract(isoyear FROM d)", "extract(quarter FROM ts)",
    "extract(epoch FROM ts)", "dayofweek(d)", "dayname(d)", "monthname(d)", "hour(ts)",
    "dayofyear(d)", "weekofyear(d)", "date_trunc('month', d)", "date_trunc('year', d)",
    "date_trunc('week', d)", "date_trunc('quarter', d)", "date_trunc('hour', ts)",
    "date_trunc('day', ts)", "date_trunc('second', ts)", "strftime(d, '%Y-%m')",
    "strftime(ts, '%Y%m%d %H:%M:%S')", "strftime(d, '%d %b')", "date_diff('day', d, e)",
    "date_diff('month', d, e)", "date_diff('year', d, e)", "date_diff('day', ts, us)", "d - e",
    "d + 5", "d - 5", "d + i % 7", "d + INTERVAL 1 MONTH", "d - INTERVAL 1 YEAR",
    "d + INTERVAL 40 DAY", "d + INTERVAL 2 WEEK", "d + INTERVAL 3 HOUR",
    "ts + INTERVAL 90 MINUTE", "ts - INTERVAL 1 MONTH", "ts + INTERVAL 1 SECOND", "ts - us",
    "d + INTERVAL (i) DAY", "last_day(d)", "make_date(2000, 1, 5)", "i & 3", "i | 8", "xor(i, 3)",
    "~i",
)  # fmt: skip
"""Expressions over a row."""
CONDITIONS = (
    "i = j", "i <> j", "i < j", "b >= i", "p = q", "p < i", "x = y", "x > p", "x = 0.1",
    "x < 0.285", "p = 0.5", "x = i", "s = t", "s < t", "s = 'a'", "s > 'Z'", "s <> ' '", "d = e",
    "d < e", "d = '2000-02-29'", "d < DATE '2000-01-01'", "ts > d", "ts = us", "ts < us",
    "ts = TIMESTAMP '2000-02-29 23:59:59.999999'", "ts >= TIMESTAMP '1969-12-31 23:59:59.5'",
    "ts > '2000-01-01'", "ts = '2000-02-29 23:59:59.999999'", "f = g", "f", "NOT f", "f IS TRUE",
    "f IS NOT TRUE", "f IS NOT FALSE", "i IS NULL", "i IS NOT NULL", "i IS DISTINCT FROM j",
    "s IS NOT DISTINCT FROM t", "i BETWEEN 1 AND j", "s BETWEEN 'A' AND 'a'", "i IN (1, 2, 7)",
    "i NOT IN (1, 2)", "i NOT IN (1, NULL)", "s IN ('a', 'É', NULL)", "p IN (0.5, 7)", "i = '7'",
    "d IN (DATE '2000-02-29', DATE '1970-01-01')", "s LIKE 'a%'", "s LIKE '_'", "s LIKE 'a_b'",
    r"s LIKE 'a\b'", r"s LIKE 'a\%'", r"s LIKE '%\\%'", "s NOT LIKE '%a%'", "s LIKE ''",
    "s LIKE '%é%'", "s LIKE t", "s LIKE 'a!%' ESCAPE '!'", "s ILIKE 'a%'", "s ILIKE 'É'",
    "regexp_matches(s, '^a')", "s SIMILAR TO 'a.*'", "s GLOB 'a*'", "(i, s) = (j, t)",
    "(i, s) IN ((7, 'a'), (1, NULL))", "f AND g", "f OR g", "NOT (f AND g)", "f OR i > 3",
    "CASE WHEN f THEN i > 3 ELSE g END", "i > 3 AND s LIKE 'a%'", "coalesce(f, false)",
    "length(s) > 1", "lower(s) = 'a'", "s || 'x' = 'ax'", "concat(s, 'B') = 'aB'",
    "left(s, 1) = 'a'", "substr(s, 1, 1) = 'A'", "coalesce(s, 'A') = 'A'",
    "CASE WHEN f THEN 'a ' ELSE 'a' END = 'a'", "CAST(i AS VARCHAR) = '7'",
    "CAST(d AS VARCHAR) = '2000-02-29'", "greatest(s, 'A') = 'A'", "replace(s, 'a', 'A') = 'A'",
    "upper(s) = 'A '", "i / 2 = 3.5", "d + 1 > e", "d + INTERVAL 1 MONTH > ts", "year(d) = 2000",
    "i + 0.1 = 7.1", "x + 0.1 = 0.6", "p * 2 = 1", "extract(second FROM ts) = 59",
    "date_trunc('month', ts) = DATE '2000-02-01'", "isnan(x)",
)  # fmt: skip
"""Tests of a row: taken as values, and as filters."""
AGGREGATES = (
    "count(*)", "count(i)", "count(DISTINCT s)", "count(DISTINCT i)", "sum(i)", "sum(b)",
    "sum(p)", "sum(x)", "sum(DISTINCT i)", "avg(i)", "avg(p)", "avg(x)", "min(s)", "max(s)",
    "min(d)", "max(ts)", "max(f)", "min(g)", "max(p)", "min(x)", "bool_and(f)", "bool_or(g)",
    "stddev_samp(i)", "stddev(p)", "stddev_pop(x)", "var_samp(i)", "var_pop(p)", "variance(x)",
    "median(i)", "median(p)", "quantile_cont(x, 0.25)", "corr(i, j)", "covar_pop(x, y)",
    "string_agg(s, ',' ORDER BY id)", "count(*) FILTER (WHERE f)", "sum(p) FILTER (WHERE i > 3)",
    "count(DISTINCT i) FILTER (WHERE f)", "arg_max(id, i)", "sum(p * q)", "sum(i * p) * 0.5",
    "sum(p) / count(*)", "sum(CASE WHEN f THEN 1 ELSE 0 END)", "avg(p * 2)", "max(s || 'x')",
    "sum(CAST(f AS INTEGER))", "sum(i) * 2", "count(DISTINCT (i, f))", "avg(DISTINCT i)",
    "max(length(s))", "sum(i / 2)", "min(CASE WHEN f THEN s END)", "round(avg(p), 2)",
)  # fmt: skip
"""Aggregates of groups: of all rows, of some, and of none."""
WINDOWS = (
    "row_number() OVER (PARTITION BY f ORDER BY id)", "rank() OVER (ORDER BY i)",
    "rank() OVER (ORDER BY i DESC)", "dense_rank() OVER (ORDER BY s)",
    "rank() OVER (ORDER BY i NULLS FIRST)", "percent_rank() OVER (ORDER BY id)",
    "cume_dist() OVER (ORDER BY i DESC)", "ntile(7) OVER (ORDER BY id)",
    "sum(i) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)",
    "sum(i) OVER (ORDER BY i DESC)", "sum(p) OVER (PARTITION BY f ORDER BY id)", "avg(x) OVER ()",
    "count(DISTINCT i) OVER (PARTITION BY f)", "lag(i) OVER (ORDER BY id)",
    "lead(s, 2) OVER (ORDER BY id)", "lag(i, 1, 0) OVER (ORDER BY id)",
    "first_value(s) OVER (PARTITION BY f ORDER BY id)", "min(s) OVER (PARTITION BY g)",
    "last_value(i) OVER (ORDER BY id RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)",
    "first_value(i IGNORE NULLS) OVER (ORDER BY id)", "stddev(i) OVER (PARTITION BY f)",
    "sum(i) FILTER (WHERE f) OVER (PARTITION BY g)", "count(*) OVER (PARTITION BY d)",
    "sum(i) OVER (ORDER BY id RANGE BETWEEN 2 PRECEDING AND CURRENT ROW)",
    "nth_value(i, 2) OVER (ORDER BY id)",
)  # fmt: skip
"""Values over windows."""
TAILS = {
    "row": ("id", "FROM odd"),
    "all": ("0", "FROM odd"),
    "groups": ("i", "FROM odd GROUP BY i"),
    "none": ("0", "FROM odd WHERE id < 0"),
}
"""Over what a form is computed → what its rows are known by, and the rest of the statement."""


@dataclass(frozen=True, slots=True)
class Form:
    """An expression and over what it is computed, one of `TAILS`."""

    expression: str
    over: str

    @property
    def name(self) -> str:
        """Return what tells it from the others."""
        return f"{self.expression} ({self.over})"


FORMS = (
    *(Form(each, "row") for each in (*VALUES, *CONDITIONS, *WINDOWS)),
    *(Form(f"CASE WHEN {each} THEN 1 ELSE 0 END", "row") for each in CONDITIONS),
    *(Form(each, over) for over in ("all", "groups", "none") for each in AGGREGATES),
)


def statement(forms: Sequence[Form], name: str = "q") -> Query:
    """Return the statement that computes `forms`, all over the same."""
    key, tail = TAILS[forms[0].over]
    columns = ", ".join(f"{each.expression} AS a{at}" for at, each in enumerate(forms))
    return Query(name=name, sql=f"SELECT {key} AS k, {columns} {tail}", origin=name)


def catalog(folder: Path) -> Catalog:
    """Write the table to Parquet."""
    casts = ", ".join(f"CAST({name} AS {type_}) AS {name}" for name, type_ in COLUMNS.items())
    rows = ", ".join(_values(row) for row in range(ROWS))
    sql = f"SELECT {casts} FROM (VALUES {rows}) v({', '.join(COLUMNS)})"
    odd = write(folder, "odd", COLUMNS, sql, key="id")
    return Catalog(name="awkward", tables={odd.name: odd})
