"""What expressions are made of: DuckDB's functions and operators by the family of their result.

A hole such as ``{int}`` is filled by an expression of that family; the others are told in
`expressions.Expressions`.
"""

from collections.abc import Mapping

VALUES: Mapping[str, tuple[str, ...]] = {
    "int": (
        "({int} + {small})", "({int} - {small})", "({int} * {small})", "({int} // {int})",
        "({int} % {int})", "({int} % {small})", "(- {int})", "abs({int})", "length({text})",
        "strpos({text}, {text})", "position({text} IN {text})", "extract({datepart} FROM {date})",
        "extract({tspart} FROM {ts})", "date_part('{tspart}', {ts})", "year({date})",
        "month({date})", "day({date})", "quarter({date})", "week({date})", "weekday({date})",
        "dayofweek({date})", "dayofyear({date})", "isodow({date})", "hour({ts})", "minute({ts})",
        "second({ts})", "date_diff('{unit}', {date}, {date})", "datediff('{unit}', {ts}, {ts})",
        "date_sub('{unit}', {date}, {date})", "({date} - {date})", "ascii({text})",
        "unicode({text})", "sign({num})", "TRY_CAST({dbl} AS INTEGER)",
        "TRY_CAST({text} AS INTEGER)", "CAST({bool} AS INTEGER)",
        "TRY_CAST(round({dec}) AS BIGINT)",
        "TRY_CAST({dec} AS SMALLINT)", "TRY_CAST(floor({dbl}) AS BIGINT)", "greatest({int}, {int})",
        "least({int}, {int}, {small})", "({int} & {small})", "({int} | {small})",
        "xor({int}, {small})", "bit_count({int})", "levenshtein({text}, {text})",
        "len({text})", "TRY_CAST({int} AS TINYINT)", "weekofyear({date})", "yearweek({date})",
        "TRY_CAST({real} AS INTEGER)", "epoch_ms({ts})", "isoyear({date})",
        "octet_length(encode({text}))",
        "datepart('{tspart}', {ts})", "instr({text}, {text})", "damerau_levenshtein({text}, 'ab')",
    ),
    "dec": (
        "({dec} + {dec})", "({dec} - {dec})", "({dec} * {small})", "({dec} * 1.5)", "(0.1 + {dec})",
        "round({dec}, 1)", "round({dec})", "TRY_CAST({int} AS DECIMAL(18, 3))", "abs({dec})",
        "TRY_CAST({dbl} AS DECIMAL(12, 2))", "TRY_CAST({text} AS DECIMAL(10, 2))", "(- {dec})",
        "({dec} % 3)", "({int} + 0.5)", "floor({dec})", "ceil({dec})", "greatest({dec}, 1.25)",
        "TRY_CAST({dec} AS DECIMAL(9, 1))", "trunc({dec})", "({int} * 1.25)",
    ),
    "dbl": (
        "({num} / {num})", "({int} / {small})", "sqrt(abs({num}))", "ln(abs({num}) + 1)",
        "round({dbl}, 2)", "round({dbl})", "floor({dbl})", "ceil({dbl})", "({dbl} * {dbl})",
        "({dbl} + {num})", "({dbl} - {num})", "pow({small}, 2)", "log(abs({int}) + 1)",
        "log2(abs({int}) + 1)", "sin({dbl})", "CAST({dec} AS DOUBLE)", "CAST({int} AS DOUBLE)",
        "TRY_CAST({text} AS DOUBLE)", "epoch({ts})", "degrees({dbl})", "cbrt({num})",
        "CAST({real} AS DOUBLE)", "trunc({dbl})", "abs({dbl})", "(- {dbl})",
        "greatest({dbl}, {num})",
        "({num} / 0)", "({dbl} % {small})", "atan2({dbl}, {num})", "extract(epoch FROM {ts})",
    ),
    "real": (
        "CAST({small} AS REAL)", "({real} + {real})", "({real} * {real})", "abs({real})",
        "TRY_CAST({dbl} AS REAL)", "round({real}, 1)", "(- {real})",
    ),
    "date": (
        "({date} + {small})", "({date} - {small})", "CAST(date_trunc('{unit}', {date}) AS DATE)",
        "last_day({date})", "CAST({ts} AS DATE)", "make_date(2000, 1 + ({small} % 12), 3)",
        "TRY_CAST({text} AS DATE)", "greatest({date}, {date})",
        "CAST({date} + INTERVAL {small} {unit} AS DATE)", "least({date}, DATE '2000-02-01')",
        "CAST('2000-02-29' AS DATE)", "TRY_CAST('2001-02-30' AS DATE)",
    ),
    "ts": (
        "({ts} + INTERVAL {small} {tsunit})", "({ts} - INTERVAL '{small}' {tsunit})",
        "date_trunc('{tsunit}', {ts})", "CAST({date} AS TIMESTAMP)",
        "({date} + INTERVAL '1' MONTH)",
        "date_trunc('{unit}', {date})", "strptime('2001-02-0{small}', '%Y-%m-%d')",
        "make_timestamp(2000, 1, 1 + ({small} % 28), 2, 3, 4.5)", "greatest({ts}, {ts})",
        "TRY_CAST({text} AS TIMESTAMP)", "({ts} + to_days({small}))",
        "time_bucket(INTERVAL '1 week', {ts})", "date_add({date}, INTERVAL {small} {unit})",
    ),
    "text": (
        "upper({text})", "lower({text})", "substr({text}, {small}, {small})",
        "substring({text} FROM {small} FOR {small})", "left({text}, {small})",
        "right({text}, {small})", "trim({text})", "ltrim({text})", "rtrim({text})",
        "trim({text}, 'a ')", "trim(BOTH 'a' FROM {text})", "replace({text}, {text}, {text})",
        "concat({text}, {any}, {text})", "({text} || {text})",
        "concat_ws('-', {text}, {text}, {text})",
        "lpad({text}, {small}, '*')", "rpad({text}, {small}, 'xy')", "reverse({text})",
        "repeat({text}, {small})", "split_part({text}, ' ', {small})", "CAST({int} AS VARCHAR)",
        "CAST({dec} AS VARCHAR)", "CAST({date} AS VARCHAR)", "CAST({ts} AS VARCHAR)",
        "CAST({dbl} AS VARCHAR)", "CAST({bool} AS VARCHAR)", "strftime({ts}, '%Y/%m/%d %H:%M')",
        "strftime({date}, '%d.%m.%y %a')", "dayname({date})", "monthname({date})",
        "regexp_replace({text}, '[a-c]', 'X')", "regexp_replace({text}, '(b)', '<\\1>', 'g')",
        "regexp_extract({text}, '[a-z]+')", "chr(97 + {small})", "md5({text})",
        "format('{{}}-{{}}', {int}, {text})", "printf('%d|%s', {int}, {text})", "hex({text})",
        "substr({text}, -{small})", "substr({text}, -{small}, 2)", "substr({text}, 0, {small})",
        "left({text}, -{small})", "right({text}, -{small})", "{text}[1:{small}]", "{text}[{small}]",
        "translate({text}, 'ab', 'xy')", "strip_accents({text})", "({text} || {int})",
        "greatest({text}, {text})", "least({text}, 'm')", "array_extract({text}, 1)",
    ),
    "bool": ("{condition}",),
}  # fmt: skip
"""Family → expressions of it."""
OF_ANY: tuple[str, ...] = (
    "coalesce({same}, {same})", "nullif({same}, {same})", "ifnull({same}, {same})",
    "CASE WHEN {bool} THEN {same} ELSE {same} END", "CASE WHEN {bool} THEN {same} END",
    "CASE {int} WHEN {small} THEN {same} WHEN {small} THEN {same} ELSE {same} END",
    "if({bool}, {same}, {same})", "coalesce({same}, {same}, {same})",
)  # fmt: skip
"""Expressions of the family of their arguments."""
CONDITIONS: tuple[str, ...] = (
    *("{fam} = {fam}", "{fam} = {fam}", "{fam} < {fam}", "{fam} >= {fam}", "{fam} <> {fam}") * 3,
    *("{fam} IS NULL", "{fam} IS NOT NULL") * 2, "{fam} IS DISTINCT FROM {fam}",
    "{fam} IS NOT DISTINCT FROM {fam}", *("{bool} AND {bool}", "{bool} OR {bool}") * 2,
    "NOT {bool}", "{fam} BETWEEN {fam} AND {fam}", "{fam} NOT BETWEEN {fam} AND {fam}",
    *("{fam} IN ({lit}, {lit}, {lit})",) * 2, "{fam} NOT IN ({lit}, {lit})",
    "{fam} IN ({fam}, NULL)", *("{text} LIKE {pattern}", "{text} NOT LIKE {pattern}") * 2,
    "{text} ILIKE {pattern}", "{text} LIKE {pattern} ESCAPE '!'", "{text} SIMILAR TO {regexp}",
    "{text} GLOB {glob}", "regexp_matches({text}, {regexp})", "regexp_full_match({text}, {regexp})",
    "starts_with({text}, {text})", "contains({text}, {text})", "suffix({text}, {text})",
    "({int}, {text}) = ({int}, {text})", "({fam}, {int}) IN (({lit}, {small}), ({lit}, {small}))",
    "({int}, {date}) < ({int}, {date})", "{bool} IS TRUE", "{bool} IS NOT FALSE", "{bool} = {bool}",
    "{real} = 0.1", "{real} > {dec}", "{int} = {dec}", "{int} < {dbl}", "{dec} = {dbl}",
    "{date} < {ts}", "{date} = '2000-02-29'", "{ts} >= TIMESTAMP '1969-12-31 23:59:59.5'",
    "{ts} = TIMESTAMP '2000-02-29 12:30:15.123456'", "{text} ~ {regexp}", "{text} ^@ 'a'",
    "{date} BETWEEN DATE '1999-01-01' AND DATE '2001-01-01' + INTERVAL 3 DAY",
    "{int} IN (1, 2, 3)", "{int} > {small}", "{int} = {small}", "{text} = {quoted}",
    "{text} = '%s'", "{text} <> '{{a}}'", "isnan({dbl})", "isfinite({dbl})",
    "list_contains([{lit}, {lit}], {fam})",
    "{fam} BETWEEN SYMMETRIC {fam} AND {fam}", "{text} COLLATE NOCASE = {text}",
    "{int}::VARCHAR = {text}",
    "xor({bool}::INT, 1) = 0", "{text} = {int}",
)  # fmt: skip
"""Conditions. ``{fam}`` and ``{lit}`` are an expression and a value of one family."""
AGGREGATES: Mapping[str, tuple[str, ...]] = {
    "int": (
        *("count(*)", "count({any})", "count(DISTINCT {any})", "sum({int})") * 3, "min({int})",
        "max({int})", "sum(DISTINCT {int})", "count(DISTINCT ({int}, {text}))", "bit_and({int})",
        "bit_or({int})", "sum(CASE WHEN {bool} THEN 1 ELSE 0 END)", "count_if({bool})",
        "first({int} ORDER BY {every})", "any_value({small})", "arg_min({int}, ({everything}))",
        "last({int} ORDER BY {every})", "length(string_agg({text}, ','))", "sum({bool}::INT)",
        "approx_count_distinct(1)", "mode({small})", "sum({int}) - min({int})",
    ),
    "dec": ("sum({dec})", "min({dec})", "max({dec})", "sum(DISTINCT {dec})", "sum({dec}) * 2"),
    "dbl": (
        "avg({int})", "avg({dec})", "avg({dbl})", "sum({dbl})", "min({dbl})", "max({dbl})",
        "stddev({int})", "var_samp({int})", "stddev_pop({dec})", "corr({int}, {dec})",
        "median({int})", "quantile_cont({int}, 0.25)", "avg(DISTINCT {int})", "var_pop({dbl})",
        "covar_samp({int}, {int})", "sum({int}) / count(*)", "sum({int}) / nullif(count({any}), 0)",
        "PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY {int})", "kahan_sum({dec})",
        "regr_slope({int}, {int})",
        "skewness({int})", "entropy({int})",
    ),
    "real": ("min({real})", "max({real})"),
    "date": ("min({date})", "max({date})", "median({date})::DATE"),
    "ts": ("min({ts})", "max({ts})"),
    "text": (
        "min({text})", "max({text})", "string_agg({text}, ',' ORDER BY {text})",
        "string_agg(DISTINCT {text}, '|' ORDER BY {text})",
        "listagg({text}, ';' ORDER BY {text} DESC)",
        "group_concat({text}, '' ORDER BY {text} NULLS FIRST)", "first({text} ORDER BY {every})",
        "arg_max({text}, ({everything}))",
    ),
    "bool": ("bool_and({bool})", "bool_or({bool})", "max({int}) > {small}", "min({bool})"),
}  # fmt: skip
"""Family → aggregates of it; ``{every}`` is an order by every column of the sources."""
WINDOWS: Mapping[str, tuple[str, ...]] = {
    "int": (
        "row_number() OVER ({part}ORDER BY {every})", "rank() OVER ({part}ORDER BY {some})",
        "dense_rank() OVER ({part}ORDER BY {some})", "ntile(3) OVER ({part}ORDER BY {every})",
        "count(*) OVER ({parted})", "count(DISTINCT {any}) OVER ({parted})",
        "sum({int}) OVER ({part}ORDER BY {every} {rows})",
        "sum({int}) OVER ({part}ORDER BY {some})",
        "count({any}) OVER ({part}ORDER BY {some} {groups})",
        "lag({int}) OVER ({part}ORDER BY {every})",
        "lag({int}, 2, {small}) OVER ({part}ORDER BY {every})",
        "lead({int}, 1) OVER ({part}ORDER BY {every})",
        "first_value({int}) OVER ({part}ORDER BY {every})",
        "last_value({int}) OVER ({part}ORDER BY {every} {rows})",
        "nth_value({int}, 2) OVER ({part}ORDER BY {every})",
        "first_value({int} IGNORE NULLS) OVER ({part}ORDER BY {every})",
        "lag({int} IGNORE NULLS) OVER ({part}ORDER BY {every})",
        "sum({int}) FILTER (WHERE {bool}) OVER ({parted})",
        "count(*) OVER ({part}ORDER BY {int} RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING)",
        "count(*) OVER (ORDER BY {date} RANGE BETWEEN INTERVAL 2 DAY PRECEDING AND CURRENT ROW)",
        "sum(count(*)) OVER ()",
    ),
    "dbl": (
        "percent_rank() OVER ({part}ORDER BY {some})", "cume_dist() OVER ({part}ORDER BY {some})",
        "avg({int}) OVER ({part}ORDER BY {every} {rows})", "avg({dec}) OVER ({parted})",
        "{int} / sum({int}) OVER ({parted})",
    ),
    "dec": ("sum({dec}) OVER ({parted})", "max({dec}) OVER ({part}ORDER BY {some})"),
    "text": (
        "first_value({text}) OVER ({part}ORDER BY {every})", "max({text}) OVER ({parted})",
        "lag({text}, 1, 'none') OVER ({part}ORDER BY {every})",
        "min({text}) OVER ({part}ORDER BY {every} {rows})",
    ),
    "date": ("max({date}) OVER ({parted})", "lead({date}) OVER ({part}ORDER BY {every})"),
    "ts": ("min({ts}) OVER ({part}ORDER BY {some})",),
    "bool": ("bool_or({bool}) OVER ({parted})", "row_number() OVER (ORDER BY {every}) < 3"),
    "real": ("max({real}) OVER ({parted})",),
}  # fmt: skip
"""Family → window functions of it."""
PATTERNS = (
    "'a%'", "'%b'", "'%a%'", "'_'", "'a_c'", "'%'", "''", "'A%'", "'É%'", "'a\\%b'", "'%\\%'",
    "'a\\\\b'", "'%s'", "'%!%%'", "'!_%'", "'x y'", "'%é'", "'a%b%'",
)  # fmt: skip
"""Patterns of LIKE."""
REGEXPS = (
    "'[aA].*'",
    "'a'",
    "'^a'",
    "'.*b$'",
    "'[[:alpha:]]+'",
    "'\\d+'",
    "'a|b'",
    "'(a|b)c?'",
    "''",
)
"""Regular expressions."""
GLOBS = ("'a*'", "'?b*'", "'[ab]*'", "'*'", "'a?c'")
"""Patterns of GLOB."""
DATE_PARTS = (
    "year", "month", "day", "quarter", "week", "dow", "isodow", "doy", "isoyear", "decade",
    "century", "epoch",
)  # fmt: skip
"""Parts of a date."""
TIMESTAMP_PARTS = (
    "year", "hour", "minute", "second", "millisecond", "microsecond", "day", "isodow", "week",
)  # fmt: skip
"""Parts of a timestamp."""
UNITS = ("day", "month", "year", "week", "quarter")
"""Units of dates."""
TIMESTAMP_UNITS = ("day", "hour", "minute", "second", "month", "year")
"""Units of timestamps."""
FRAMES = (
    "ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING", "ROWS UNBOUNDED PRECEDING", "ROWS 2 PRECEDING",
    "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
    "ROWS BETWEEN CURRENT ROW AND 2 FOLLOWING",
    "ROWS BETWEEN 2 FOLLOWING AND 3 FOLLOWING",
    "ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW",
)  # fmt: skip
"""Frames that count rows."""
GROUP_FRAMES = (
    "GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW",
    "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
    "RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
    "RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE TIES",
)  # fmt: skip
"""Frames that count groups of equal rows."""
