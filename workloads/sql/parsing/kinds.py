"""The kind of a statement, told by its first words."""

import re
from difflib import get_close_matches
from typing import Literal

Kind = Literal["read", "write", "create", "definition", "session", "unknown"]

_FIRST = re.compile(
    r"(?:\s|--[^\n]*(?:\n|$)|/\*(?:.|\n)*?\*/|#[^\n{]*(?:\n|$)|\()*(?P<word>[A-Za-z_]+|\\|/|@|!)?"
)

_WORDS: dict[Kind, str] = {
    "read": "SELECT WITH VALUES TABLE FROM PIVOT UNPIVOT SEL",
    "write": "INSERT REPLACE UPDATE DELETE MERGE UPSERT COPY TRUNCATE",
    "create": "CREATE",
    "definition": (
        "ALTER DROP GRANT REVOKE DENY COMMENT RENAME ANALYZE ANALYSE VACUUM REINDEX "
        "CLUSTER OPTIMIZE REFRESH REPAIR MSCK UNDROP UNDO REASSIGN SECURITY REORG "
        "BACKUP RESTORE PURGE IMPORT EXCHANGE DBCC FLASHBACK REBUILD PROMOTE ZORDER "
        "CONVERT"
    ),
    "session": (
        "SET RESET UNSET BEGIN START COMMIT ROLLBACK END ABORT SAVEPOINT RELEASE SHOW "
        "USE DESCRIBE DESC EXPLAIN PRAGMA CALL EXEC EXECUTE DECLARE PREPARE DEALLOCATE "
        "FETCH CLOSE OPEN MOVE LISTEN NOTIFY UNLISTEN DISCARD CHECKPOINT LOCK UNLOCK "
        "KILL FLUSH DO LOAD INSTALL ATTACH DETACH EXPORT GO PRINT RAISERROR WAITFOR "
        "HELP SUMMARIZE CACHE UNCACHE CLEAR ADD LIST CHANGE STOP BINLOG HANDLER "
        "DELIMITER XA SYSTEM CHECK CHECKSUM QUIT EXIT SOURCE CONNECT DISCONNECT PROMPT "
        "SPOOL WHENEVER REM REMARK PUT GET REMOVE RM LS UNLOAD BULK SHUTDOWN SIGNAL "
        "GETDIAG ALLOCATE RECONFIGURE REVERT RETURN DIAGNOSTICS VARIABLE COL COLUMN "
        "TTITLE DEFINE UNDEFINE"
    ),
}
_KIND_OF: dict[str, Kind] = {word: kind for kind, words in _WORDS.items() for word in words.split()}
_LOADS_DATA = re.compile(r"LOAD\s+(?:DATA|XML)\b", re.IGNORECASE)

_SYSTEM_SCHEMAS = frozenset(
    {
        "information_schema", "pg_catalog", "pg_toast", "performance_schema", "mysql", "sys",
        "system", "syscat", "sysibm", "duckdb_catalog",
    }
)  # fmt: skip
_SYSTEM_TABLE = re.compile(r"(?:pg|sqlite|duckdb|stl|stv|svv|svl|sys|all|dba|user)_\w+|v\$\w+")


def first_word(sql: str) -> tuple[str, int]:
    """Return the word that a statement begins with, in capitals, and the offset of it."""
    found = _FIRST.match(sql)
    if found is None or found["word"] is None:
        return "", 0
    return found["word"].upper(), found.start("word")


def kind_of(sql: str) -> Kind:
    """Return the kind of a statement: 'create' may be a definition that others read."""
    word, start = first_word(sql)
    if word == "LOAD" and _LOADS_DATA.match(sql, start):
        return "write"
    if word and not word.isalpha():
        return "session"
    return _KIND_OF.get(word, "unknown")


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
