"""The starts of dumps and of statements, by which data are told from text."""

import re

from workloads.definition import TableName

_BANNER = re.compile(
    rb"^(?:(?P<postgres>-- PostgreSQL database (?:cluster )?dump)"
    rb"|(?P<mysql>-- (?:MySQL|MariaDB) dump|/\*!\d+ SET @saved_cs_client\b)"
    rb"|(?P<sqlite>PRAGMA foreign_keys=OFF;\s+BEGIN TRANSACTION;))",
    re.MULTILINE,
)
_DATABASE = re.compile(rb"^-- Host: .*?[ \t]Database: ([^\r\n]*?)[ \t]*\r?$", re.MULTILINE)
_BANNER_BYTES = 4_096

_PART = rb'(?:"(?:[^"]|"")*+"|`(?:[^`]|``)*+`|\[[^\]]*+\]|[^\s("`\[.;]++)'
_NAME = rb"(?P<table>%b(?:\s*\.\s*%b)*+)" % (_PART, _PART)
_COLUMNS = rb'(?:\((?:[^()"`]++|"[^"]*+"|`[^`]*+`)*+\)\s*)?'
COPY = re.compile(
    rb"(?i:copy)\s+%b\s*%b(?i:from\s+stdin)\b[^;\n]*;[^\n]*(?:\n|\Z)" % (_NAME, _COLUMNS)
)
INSERT = re.compile(
    rb"(?i:insert|replace)\s+(?i:(?:ignore|delayed|low_priority|high_priority)\s+)*(?i:into)\s+%b"
    rb"\s*%b(?i:overriding\s+\w+\s+value\s+)?(?i:values)\s*(?=\(|(?i:row)\b|\Z)" % (_NAME, _COLUMNS)
)
LOCK = re.compile(rb"(?i:lock\s+tables?)\s+%b[^;]*?(?i:write)\s*;" % _NAME)
DEFINITION = re.compile(rb"(?i:create|alter|drop|use)\b|(?i:set)\s+(?i:search_path)\b")
"""Definitions, and what says in which schema those after it are."""


def banner(start: bytes) -> str | None:
    """Return the dialect of the program that says, at a file's start, that the file is its dump."""
    found = _BANNER.search(start[:_BANNER_BYTES])
    return None if found is None else found.lastgroup


def database(start: bytes) -> str:
    """Return the database that a dump of MySQL or MariaDB says, at its start, that it is of."""
    found = _DATABASE.search(start[:_BANNER_BYTES]) if banner(start) == "mysql" else None
    return "" if found is None else found[1].decode(errors="replace")


def table_name(name: bytes) -> TableName:
    """Return a name as it is written, without quotes, with the schema before it."""
    parts = [_unquoted(part) for part in re.findall(_PART, name)] or [_unquoted(name)]
    return TableName(parts[-1], parts[-2] if len(parts) > 1 else "")


def _unquoted(part: bytes) -> str:
    text = part.decode(errors="replace")
    if text[:1] in ('"', "`"):
        return text[1:-1].replace(text[0] * 2, text[0])
    return text[1:-1] if text[:1] == "[" else text
