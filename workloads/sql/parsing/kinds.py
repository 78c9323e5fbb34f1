"""The kind of a statement, told by its first words."""

import re
from difflib import get_close_matches
from typing import Literal

Kind = Literal[
    "read",
    "write",
    "create",
    "definition",
    "session",
    "maintenance",
    "load",
    "dump",
    "unknown",
]

_FIRST = re.compile(
    r"(?:\s|--[^\n]*(?:\n|$)|/\*(?:.|\n)*?\*/|#[^\n{]*(?:\n|$)|\()*(?P<word>[A-Za-z_]+|\\|/|@|!)?"
)

_WORDS: dict[Kind, str] = {
    "read": "SELECT WITH VALUES TABLE FROM PIVOT UNPIVOT SEL",
    "write": "INSERT REPLACE UPDATE DELETE MERGE UPSERT COPY TRUNCATE",
    "create": "CREATE",
    "definition": (
        "ALTER DROP GRANT REVOKE DENY COMMENT RENAME UNDROP UNDO REASSIGN SECURITY BACKUP RESTORE "
        "IMPORT EXCHANGE FLASHBACK PROMOTE CONVERT"
    ),
    "maintenance": (
        "ANALYZE ANALYSE VACUUM REINDEX CLUSTER OPTIMIZE REFRESH REPAIR MSCK REORG PURGE DBCC "
        "REBUILD ZORDER CHECKPOINT CHECK CHECKSUM"
    ),
    "session": (
        "SET RESET UNSET BEGIN START COMMIT ROLLBACK END ABORT SAVEPOINT RELEASE SHOW "
        "USE DESCRIBE DESC EXPLAIN PRAGMA CALL EXEC EXECUTE DECLARE PREPARE DEALLOCATE "
        "FETCH CLOSE OPEN MOVE LISTEN NOTIFY UNLISTEN DISCARD LOCK UNLOCK "
        "KILL FLUSH DO LOAD INSTALL ATTACH DETACH EXPORT GO PRINT RAISERROR WAITFOR "
        "HELP SUMMARIZE CACHE UNCACHE CLEAR ADD LIST CHANGE STOP BINLOG HANDLER "
        "DELIMITER XA SYSTEM QUIT EXIT SOURCE CONNECT DISCONNECT PROMPT "
        "SPOOL WHENEVER REM REMARK PUT GET REMOVE RM LS UNLOAD BULK SHUTDOWN SIGNAL "
        "GETDIAG ALLOCATE RECONFIGURE REVERT RETURN DIAGNOSTICS VARIABLE COL COLUMN "
        "TTITLE DEFINE UNDEFINE"
    ),
}
_KIND_OF: dict[str, Kind] = {word: kind for kind, words in _WORDS.items() for word in words.split()}
_NAME = r"(?:\"(?:[^\"]|\"\")+\"|`[^`]+`|\[[^\]]+\]|[\w$]+)"
_LOADS = re.compile(
    rf"(?ix)LOAD\s+(?:DATA|XML)\b | BULK\s+INSERT\b | COPY\s+INTO\s+{_NAME}(?:\s*\.\s*{_NAME})*"
)
# A whole table; COPY of a query counts as the query, and one with a program is refused.
_COPIES = re.compile(
    rf"(?ix)COPY\s+(?:BINARY\s+)?{_NAME}(?:\s*\.\s*{_NAME})*"
    r"\s*(?:\((?:\"(?:[^\"]|\"\")*\"|[^()\"])*\)\s*)?(?P<way>FROM|TO)\b(?!\s+PROGRAM\b)"
)
# In MariaDB it explains how a statement ran.
_EXPLAINS = re.compile(
    r"(?i)ANALYZE\s+(?:FORMAT\s*=\s*\w+\s+)?(?:SELECT|WITH|INSERT|REPLACE|UPDATE|DELETE)\b"
)

_SYSTEM_SCHEMAS = frozenset(
    {
        "information_schema", "pg_catalog", "pg_toast", "performance_schema", "mysql", "sys",
        "system", "syscat", "sysibm", "duckdb_catalog",
    }
)  # fmt: skip
_SYSTEM_TABLE = re.compile(r"(?:pg|sqlite|duckdb|stl|stv|svv|svl|sys|all|dba|user)_\w+|v\$\w+")


_BULK = frozenset({"COPY", "LOAD", "BULK"})


def first_word(sql: str) -> tuple[str, int]:
    """Return the word that a statement begins with, in capitals, and the offset of it."""
    found = _FIRST.match(sql)
    if found is None or found["word"] is None:
        return "", 0
    return found["word"].upper(), found.start("word")


def kind_of(sql: str) -> Kind:
    """Return the kind of a statement: 'create' may be a definition that others read.

    'load' fills a table from a file or a client, 'dump' copies a whole one out.
    """
    word, start = first_word(sql)
    if word in _BULK:
        return _bulk_kind(sql, start) or _KIND_OF[word]
    if word == "ANALYZE" and _EXPLAINS.match(sql, start):
        return "session"
    if word and not word.isalpha():
        return "session"
    return _KIND_OF.get(word, "unknown")


def _bulk_kind(sql: str, start: int) -> Kind | None:
    if _LOADS.match(sql, start):
        return "load"
    copied = _COPIES.match(sql, start)
    if copied is None:
        return None
    return "load" if copied["way"].upper() == "FROM" else "dump"


def begins_wrong(sql: str) -> tuple[int, str]:
    """Return where a statement of unknown kind goes wrong, and why."""
    word, start = first_word(sql)
    if not word:
        return 0, "it begins with no word: it is no statement"
    matches = get_close_matches(word, _KIND_OF, n=1, cutoff=0.7)
    hint = f"; did you mean '{matches[0]}'?" if matches else ""
    return start, f"'{word}' begins no statement that is known{hint}"


def is_system_table(name: str) -> bool:
    """Whether a dotted name is of the tables in which database systems describe themselves."""
    schema, _, table = name.lower().rpartition(".")
    return schema.rpartition(".")[2] in _SYSTEM_SCHEMAS or bool(_SYSTEM_TABLE.fullmatch(table))
