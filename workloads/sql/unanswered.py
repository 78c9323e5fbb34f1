"""Statements that nobody can run for an answer, though they are understood: values are missing."""

import re

from sqlglot import exp

from workloads.catalog import Catalog
from workloads.errors import SqlError
from workloads.sql.canonical.rules import resolved
from workloads.sql.parsing.as_checked import NO_VALUES, has_parameters
from workloads.sql.parsing.peculiar import PSEUDO_COLUMNS
from workloads.workload import Query

_WORDS = re.compile(r"\w+")
_NAMED = re.compile(r"(?<![:\w\])]):[a-z_]\w*")
"""A parameter by its name, as ``:most``."""


def unanswered(query: Query, catalog: Catalog, dialect: str) -> str:
    """Return why a statement has no answer on copies; "" where it may have one.

    It has parameters, or reads a column that tells where a row lies, which is taken for one.
    """
    text = query.sql.lower()
    has_place = not PSEUDO_COLUMNS.isdisjoint(_WORDS.findall(text))
    try:
        asks = _NAMED.search(text) is not None or has_parameters(query, dialect)
        if not asks and not has_place:
            return ""
        # In a string, say, such a sign or word is none.
        if resolved(query, catalog, dialect).find(exp.Placeholder, exp.Parameter) is None:
            return ""
    except SqlError:  # what is wrong is said by who runs it
        return ""
    if asks:
        return NO_VALUES
    return "it reads where or since when a row lies, which a copy has otherwise"
