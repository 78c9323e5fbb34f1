"""The statements that MySQL's and MariaDB's performance schema remembers."""

import re
from collections.abc import Iterator

from evaluation.live.statements import Remembered, counted_there, gathered
from evaluation.store_protocol.connection import Connection
from evaluation.stores.mysql.sessions import Execute, session
from workloads.counting.counting import Counting
from workloads.counting.facts import Facts
from workloads.counting.filters import Left
from workloads.errors import ConfigurationError
from workloads.workload import Workload

SYSTEM_SCHEMAS = ("mysql", "sys", "information_schema", "performance_schema")

_IN_THE_SYSTEM: Left = "catalog", "it ran in a database of the system's own"
_PICOSECONDS = 1e12
_SAMPLES = """
SELECT count(*) FROM information_schema.columns placement_advisor
WHERE table_schema = 'performance_schema'
AND table_name = 'events_statements_summary_by_digest' AND column_name = 'QUERY_SAMPLE_TEXT'
"""
# The last row counts what found no room; it has no digest.
_STATEMENTS = """
SELECT schema_name, digest, digest_text, {sample}, count_star, avg_timer_wait
FROM performance_schema.events_statements_summary_by_digest placement_advisor
WHERE count_star > 0 ORDER BY sum_timer_wait DESC, digest
"""
_LIMITS = """
SELECT least(@@max_digest_length, @@performance_schema_max_digest_length), {text}
"""
# A digest is kept as tokens of two bytes; a name has its length, in two more, and its letters.
_TOKEN = re.compile(
    r"(`(?:[^`]|``)*`)|\(\.\.\.\)(?: /\* , \.\.\. \*/)?|\?, \.\.\.|[\w@]+|[<>=!:]+|\S"
)
_TOKEN_BYTES, _NAME_BYTES, _LONGEST_NAME_BYTES = 2, 2, 64
_CUT = "..."
# Lists of literals are written as dots. Positions in GROUP BY and ORDER BY are literals too.
_READABLE = (
    (re.compile(r"\bBY \?, \.\.\."), "BY 1, 2"),
    (re.compile(r"\bBY \?"), "BY 1"),
    (re.compile(r"/\* , \.\.\. \*/"), ""),
    (re.compile(r"\?, \.\.\."), "?, ?"),
    # CURRENT_DATE and its like are written by another name, which needs parentheses.
    (
        re.compile(r"(?<!`)\b(CURDATE|CURTIME|NOW|UTC_DATE|UTC_TIME|UTC_TIMESTAMP)\b(?! \()"),
        r"\1 ( )",
    ),
    (re.compile(r"\bSQL_TSI_(?=[A-Z])"), ""),
    # A server that is sent the text again takes COUNT ( * ) for no call of its own function.
    (re.compile(r"(?<=\w) \("), "("),
)


def workload(connection: Connection, schema: str | None, counting: Counting) -> Workload:
    """Return what ran in one database, or all; see `evaluation.live.live.Live.workload`."""
    counting = counted_there(counting, connection, schema)
    with session(connection, "reading its statement statistics failed") as execute:
        found = list(_remembered(execute, connection, schema))
    return gathered(connection, "mysql", found, counting, "the performance schema's summary")


def _remembered(
    execute: Execute, connection: Connection, schema: str | None
) -> Iterator[Remembered]:
    ((enabled,),) = execute("SELECT @@performance_schema")
    if not enabled:
        raise ConfigurationError(
            f"Store '{connection.store}' keeps no statement statistics: set "
            "performance_schema = ON below [mysqld] in the server's configuration, restart it, "
            "and run the workload there."
        )
    ((has_samples,),) = execute(_SAMPLES)
    sample = "query_sample_text" if has_samples else "NULL"
    text_limit = "@@performance_schema_max_sql_text_length" if has_samples else "0"
    ((digest_bytes, sample_bytes),) = execute(_LIMITS.format(text=text_limit))
    for database, digest, text, example, calls, picoseconds in execute(
        _STATEMENTS.format(sample=sample)
    ):
        if digest is not None and schema is not None and database != schema:
            continue
        sql, hidden = _whole(text, digest_bytes, example, sample_bytes)
        yield Remembered(
            origin=f"{connection.store}:digest/{digest}",
            sql=sql,
            executions=float(calls),
            latency_s=float(picoseconds) / _PICOSECONDS,
            hidden=hidden,
            schema=database or "",
            facts=Facts(database=database or None),
            left=_IN_THE_SYSTEM if schema is None and database in SYSTEM_SCHEMAS else None,
        )


def _whole(
    digest: str | None, digest_bytes: int, example: str | None, example_bytes: int
) -> tuple[str, str]:
    """Return the statement with its literals, or else without; and why it is not all there."""
    if example and not example.endswith(_CUT) and len(example.encode()) < example_bytes:
        return example, ""
    if digest is None:
        return "", "found no room: raise performance_schema_digests_size"
    if _stored_bytes(digest) > digest_bytes - _LONGEST_NAME_BYTES:
        return digest, (
            f"its text is cut at {digest_bytes} bytes: raise max_digest_length and "
            "performance_schema_max_digest_length"
        )
    for pattern, replacement in _READABLE:
        digest = pattern.sub(replacement, digest)
    return digest.strip(), ""


def _stored_bytes(digest: str) -> int:
    """Return the bytes in which the server keeps the tokens of a digest.

    MariaDB does not say where it cut a digest; it does so once the next token finds no room.
    """
    names = [found.group(1) for found in _TOKEN.finditer(digest)]
    return sum(
        _TOKEN_BYTES + (_NAME_BYTES + len(name.encode()) - 2 if name else 0) for name in names
    )
