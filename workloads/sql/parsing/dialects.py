"""Detection of the dialect, by parsing and by telling constructs.

DuckDB's own parser says what is DuckDB's SQL: answers are compared with DuckDB's, which reads a
statement of its dialect as it was written (``at`` is no name of a column there unless quoted).
"""

import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass

import duckdb
from sqlglot import Dialect, exp

from workloads.empty_database import EmptyDatabase
from workloads.errors import SqlError
from workloads.folding.lexis import Lexis, alternatives, comments, string
from workloads.sql.parsing.door import FAILURES
from workloads.sql.parsing.kinds import kind_of
from workloads.sql.parsing.placeholders import question_marks
from workloads.sql.parsing.tokens import checked
from workloads.workload import Query

# In this order where all else is equal.
CANDIDATES = (
    *("duckdb", "postgres", "mysql", "spark", "trino", "tsql", "snowflake", "bigquery", "oracle"),
    *("redshift", "clickhouse", "sqlite"),
)
_SAMPLE_CHARACTERS = 60_000
_POSTGRES_LIKE = ("duckdb", "postgres", "redshift")
_DOUBLE_QUOTED_NAMES = tuple(
    each for each in CANDIDATES if each not in ("mysql", "spark", "bigquery")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sign:
    """A construct, how a report calls it, and the dialects that have it."""

    name: str
    pattern: re.Pattern[str]
    dialects: tuple[str, ...]


def _sign(name: str, pattern: str, *dialects: str) -> Sign:
    return Sign(
        name=name, pattern=re.compile(pattern, re.IGNORECASE | re.DOTALL), dialects=dialects
    )


# Looked for in statements whose strings are empty and whose comments are gone.
SIGNS = (
    _sign("names in backticks", r"`", "mysql", "spark", "bigquery", "clickhouse", "sqlite"),
    _sign("names in brackets", r"(?<![\w\])])\[[a-z_][\w ]*\]", "tsql", "sqlite"),
    _sign(
        "names in double quotes",
        r'(?:\b(?:from|join|as|into|update)\s+"|\."|"\.)',
        *_DOUBLE_QUOTED_NAMES,
    ),
    _sign("casts with '::'", r"::", *_POSTGRES_LIKE, "snowflake", "clickhouse"),
    _sign("parameters such as $1", r"\$\d", "postgres"),
    _sign("TOP", r"\bselect\s+(?:distinct\s+)?top\s*\(?\s*\d", "tsql", "redshift", "snowflake"),
    _sign("LIMIT with a comma", r"\blimit\s+\d+\s*,\s*\d", "mysql", "sqlite", "clickhouse"),
    _sign("QUALIFY", r"\bqualify\b", "snowflake", "bigquery", "duckdb", "redshift"),
    _sign("ILIKE", r"\bilike\b", *_POSTGRES_LIKE, "snowflake", "clickhouse", "spark"),
    _sign("regular expressions with '~'", r"[\w)]\s+!?~\*?\s", *_POSTGRES_LIKE),
    _sign(
        "INTERVAL with its unit in the string",
        r"\binterval\s+'[\d.]+ [a-z]+'",
        *(*_POSTGRES_LIKE, "snowflake", "spark"),
    ),
    _sign(
        "INTERVAL of a bare number",
        r"\binterval\s+\d+\s+[a-z]",
        *("mysql", "spark", "bigquery", "duckdb", "clickhouse"),
    ),
    _sign(
        "MySQL's functions",
        r"\b(?:str_to_date|curdate|last_insert_id|find_in_set|sql_calc_found_rows"
        r"|straight_join|on\s+duplicate\s+key)\b",
        "mysql",
    ),
    _sign("GROUP_CONCAT", r"\bgroup_concat\s*\(", "mysql", "sqlite", "duckdb"),
    _sign(
        "T-SQL's words",
        r"\b(?:getdate\s*\(|nolock\b|(?:cross|outer)\s+apply\b|charindex\s*\(|@@?\w+\b)",
        "tsql",
    ),
    _sign("DATEADD", r"\bdateadd\s*\(", "tsql", "snowflake", "redshift"),
    _sign(
        "Trino's functions",
        r"\b(?:approx_distinct|date_parse|from_unixtime|json_extract_scalar|element_at|url_extract_\w+)"
        r"\s*\(|\bcross\s+join\s+unnest\b|\bwith\s+ordinality\b",
        "trino",
    ),
    _sign(
        "INTERVAL with its unit outside",
        r"\binterval\s+'\d+'\s+[a-z]",
        *("trino", "oracle", "postgres", "duckdb", "spark", "mysql"),
    ),
    _sign(
        "Spark's words",
        r"\blateral\s+view\b|\b(?:distribute|cluster|sort)\s+by\b|\b(?:collect_list|collect_set"
        r"|from_json|get_json_object|date_sub|date_add)\s*\(|\brlike\b|\bleft\s+(?:semi|anti)\b",
        "spark",
    ),
    _sign(
        "Snowflake's words",
        r"\blateral\s+flatten\b|\biff\s*\(|\bparse_json\s*\(|\bobject_construct\s*\(|\w:\w+(?:\.\w+)*::",
        "snowflake",
    ),
    _sign(
        "BigQuery's words",
        r"\bsafe_\w+\s*\(|\bstruct\s*[<(]|\bfrom\s+unnest\s*\(|\bexcept\s*\(\s*\w+\s*[,)]"
        r"|\b_table_suffix\b|\bcountif\s*\(",
        "bigquery",
    ),
    _sign(
        "Oracle's words",
        r"\brownum\b|\(\+\)|\bfrom\s+dual\b|\bsysdate\b|\bnvl2?\s*\(|\bconnect\s+by\b|\bminus\b",
        "oracle",
    ),
    _sign("DISTKEY or SORTKEY", r"\b(?:distkey|sortkey)\b", "redshift"),
    _sign(
        "ClickHouse's words",
        r"\bprewhere\b|\barray\s+join\b|\bfinal\b|\b(?:toDate|toStartOf\w+|countIf|uniqExact|arrayMap"
        r"|toUInt\d+)\s*\(",
        "clickhouse",
    ),
    _sign(
        "DuckDB's words",
        r"\bread_(?:parquet|csv)\w*\s*\(|\bexclude\s*\(|\bgroup\s+by\s+all\b|\border\s+by\s+all\b"
        r"|\basof\s+join\b|\bpositional\s+join\b|\blist_\w+\s*\(",
        "duckdb",
    ),
    _sign("PRAGMA or JULIANDAY", r"\bpragma\b|\bjulianday\s*\(", "sqlite"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Detected:
    """A dialect, and in a phrase why it was taken. `equal` are those that suit as well."""

    dialect: str
    reason: str
    equal: tuple[str, ...] = ()


def detect(statements: Sequence[str]) -> Detected:
    """Return the candidate that suits a sample of statements best.

    The most statements parsed counts first, less one statement for each sign that it lacks; then
    the number of signs that it shares with few others, then the order of `CANDIDATES`.
    """
    sample = _bounded(statements)
    seen = _seen(sample)
    with _silence(), closing(EmptyDatabase()) as empty:
        parsed = {dialect: _parsed(sample, dialect, empty.connection) for dialect in CANDIDATES}

    def fit(dialect: str) -> tuple[float, float]:
        lacking = sum(dialect not in sign.dialects for sign in seen)
        shared = sum(1 / len(sign.dialects) for sign in seen if dialect in sign.dialects)
        return parsed[dialect] - lacking * max(1.0, len(sample) / 10), shared

    best = max(CANDIDATES, key=fit)
    telling = [sign.name for sign in seen if best in sign.dialects]
    reason = f"{parsed[best]} of {len(sample)} sampled statements parse"
    if telling:
        reason += f", with {', '.join(telling[:4])}"
    equal = [each for each in CANDIDATES if fit(each) == fit(best) and each != best]
    if equal:
        reason += f"; nothing speaks against {', '.join(equal[:3])} either"
    return Detected(dialect=best, reason=reason, equal=tuple(equal))


def _seen(sample: Sequence[str]) -> list[Sign]:
    text = "\n".join(_bare(statement) for statement in sample)
    return [sign for sign in SIGNS if sign.pattern.search(text)]


_GAPS = re.compile(
    alternatives(
        [
            string("'", "'", backslash=False, complete=False),
            *comments(Lexis()),
        ]
    ),
    re.DOTALL,
)


def _bare(statement: str) -> str:
    """Return a statement without comments, and with strings of at most an interval's length."""

    def shortened(match: re.Match[str]) -> str:
        if not match[0].startswith("'"):
            return " "
        return match[0] if re.fullmatch(r"'[\d.]+(?: [a-z]+)?'", match[0], re.IGNORECASE) else "''"

    return _GAPS.sub(shortened, statement)


def _bounded(statements: Sequence[str]) -> list[str]:
    kept: list[str] = []
    size = 0
    for statement in statements:
        size += len(statement)
        if size > _SAMPLE_CHARACTERS and kept:
            break
        kept.append(statement)
    return kept


def _parsed(sample: Sequence[str], dialect: str, judge: duckdb.DuckDBPyConnection) -> int:
    parsed = [each for each in sample if _parses(each, dialect)]
    if dialect == "duckdb":
        parsed = [each for each in parsed if _is_read_by(judge, each)]
    return len(parsed)


def _parses(statement: str, dialect: str) -> bool:
    engine = Dialect.get_or_raise(dialect)
    try:
        whole = Query(name="", sql=statement, origin="")
        trees = engine.parser().parse(
            checked(whole, engine.tokenize(statement), dialect), statement
        )
    except (*FAILURES, SqlError):
        return False
    # What sqlglot does not understand becomes a command, which is no proof of anything.
    return not any(isinstance(tree, exp.Command) for tree in trees)


def _is_read_by(judge: duckdb.DuckDBPyConnection, statement: str) -> bool:
    """Whether DuckDB's parser accepts a statement that reads; others it need not run."""
    if kind_of(statement) != "read":
        return True
    try:
        judge.extract_statements(question_marks(statement, "duckdb"))
    except duckdb.Error:
        return False
    return True


@contextmanager
def _silence() -> Iterator[None]:
    """Keep sqlglot from warning of what it takes for a command."""
    logger = logging.getLogger("sqlglot")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)
