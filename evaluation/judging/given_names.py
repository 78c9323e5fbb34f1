"""The names of columns that a statement gives, apart from those that DuckDB makes up."""

import re
from dataclasses import replace

from evaluation.judging.answer import Answer
from workloads.errors import SqlError
from workloads.sql.parsing.words_used import names_written
from workloads.workload import Query

_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_BY_PLACE = re.compile(r"_col_\d+")
"""Names that resolving a text gives to what has none."""
_MADE_UP = frozenset(
    {"null", "current_date", "current_time", "current_timestamp", "localtime", "localtimestamp"}
)


def with_given_names(answer: Answer, query: Query) -> Answer:
    """Return DuckDB's answer to `query` with its columns marked by whether they are named.

    A name is given if it is a word of the statement, or, behind a star, looks like one: the names
    that DuckDB makes up have brackets, operators or quotes in them.
    """
    try:
        written = names_written(query)
    except SqlError:
        written = frozenset()
    columns = (
        replace(column, is_named=_is_given(column.name, written)) for column in answer.columns
    )
    return replace(answer, columns=tuple(columns))


def _is_given(name: str, written: frozenset[str]) -> bool:
    if name.lower() in written:
        return True
    if _BY_PLACE.fullmatch(name):
        return False
    return _IDENTIFIER.fullmatch(name) is not None and name.lower() not in _MADE_UP
