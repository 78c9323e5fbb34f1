"""The prefix of a line of PostgreSQL's plain log, by its `log_line_prefix`.

The log does not say which prefix it has. What is told by its form or by a label is read: times, a
process, ``user@database`` (with ``/application`` behind it), and ``user=``, ``db=`` and ``app=``.
"""

import re
from functools import lru_cache

from workloads.counting.facts import Facts, fact

_TIME = re.compile(
    r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?(?: (?:[+-]\d\d(?::?\d\d)?|[A-Z]{1,5}\b))?"
    r"|(?<![\d.])\d{10}\.\d{3}(?!\d)"
)
_LABELLED = re.compile(
    r"(?i)\b(?P<label>user|usr|db|dbname|database|app|appname|application|application_name)="
    r"(?P<value>\[unknown\]|[^,;|\]]*?)(?=\s*[,;|\]]|\s+\w+=|\s*$)"
)
_LABELS = {
    **dict.fromkeys(("user", "usr"), "user"),
    **dict.fromkeys(("db", "dbname", "database"), "database"),
    **dict.fromkeys(("app", "appname", "application", "application_name"), "application"),
}
_AT = re.compile(
    r"(?P<user>\[unknown\]|[^\s@,=:;\[\]()]+)@(?P<database>\[unknown\]|[^\s@,=:;/\[\]()]+)"
    r"(?:/(?P<application>[^,;\[\]]+?)(?=\s*(?:[\d.]+(?:\(\d+\))?)?\s*(?:[,;\[\]]|$)))?"
)


def of_prefix(prefix: str) -> Facts:
    """Return what a prefix says."""
    time = _TIME.search(prefix)
    if time is None:
        return _of_session(prefix)
    facts = _of_session(prefix[: time.start()] + prefix[time.end() :])
    return Facts(facts.user, facts.database, facts.application, time[0])


# The lines of a session differ in their time alone.
@lru_cache(maxsize=10_000)
def _of_session(prefix: str) -> Facts:
    labelled = {
        _LABELS[found["label"].lower()]: found["value"] for found in _LABELLED.finditer(prefix)
    }
    if not labelled and (at := _AT.search(prefix)):
        labelled = at.groupdict()
    user, database, application = (
        fact(labelled.get(key)) for key in ("user", "database", "application")
    )
    return Facts(user, database, application)
