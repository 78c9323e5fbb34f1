"""The statement that a command runs: a cursor's, what EXPLAIN measures or COPY hands out."""

import re

_GAP = r"(?:\s|--[^\n]*(?:\n|\Z)|/\*(?s:.*?)\*/)"
_NAME = r"(?:\"(?:[^\"]|\"\")+\"|[\w$]+)"
_STATEMENT = rf"(?={_GAP}*\(*{_GAP}*(?:select|with|insert|replace|update|delete|merge)\b)"
_CURSOR = re.compile(
    rf"(?i){_GAP}*declare{_GAP}+{_NAME}{_GAP}+(?:(?:binary|asensitive|insensitive|no|scroll){_GAP}+)*"
    rf"cursor{_GAP}+(?:with(?:out)?{_GAP}+hold{_GAP}+)?for\b"
)
_ANALYSES = re.compile(
    rf"(?i){_GAP}*(?:explain{_GAP}+(?:\((?P<options>[^()]*)\)|analy[sz]e\b(?:{_GAP}+verbose\b)?)"
    rf"|analyze\b)(?:{_GAP}+format{_GAP}*={_GAP}*\w+)?{_STATEMENT}"
)
_HANDS_OUT = re.compile(
    rf"(?is)(?P<head>{_GAP}*copy{_GAP}*\()(?P<query>{_STATEMENT}.*)"
    r"\)\s*to\s+stdout\b[^()]*(?:\([^()]*\))?[\s;]*\Z"
)
_RUNS = re.compile(r"(?i)(?:^|,)\s*analy[sz]e(?:\s+(?:true|on|1))?\s*(?=,|$)")


def executed(sql: str) -> str:
    """Return a text with blanks for the words before the statement that it runs, if there are any.

    EXPLAIN without ANALYZE runs nothing, nor does ANALYZE TABLE.
    """
    copied = _HANDS_OUT.match(sql)
    if copied is not None:
        return re.sub(r"[^\n]", " ", copied["head"]) + copied["query"]
    found = _CURSOR.match(sql) or _ANALYSES.match(sql)
    if found is None:
        return sql
    options = found.groupdict().get("options")
    if options is not None and _RUNS.search(options) is None:
        return sql
    return re.sub(r"[^\n]", " ", found[0]) + sql[found.end() :]


def is_cursor(sql: str) -> bool:
    """Whether a text declares a cursor: its rows are computed when they are fetched."""
    return _CURSOR.match(sql) is not None
