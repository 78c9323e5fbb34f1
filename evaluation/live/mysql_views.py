"""The text of MySQL's and MariaDB's views, as their servers write it."""

import re

from evaluation.live.mysql_samples import MARK
from evaluation.store_protocol.columns import quoted

_NAME = "`(?:[^`]|``)+`"


def without_schema(definition: str, schema: str) -> str:
    """Return a view's text without its database before tables and their columns.

    The servers write `database`.`table`.`column`, and `alias`.`column` of a table with another
    name. Where an alias is called like the database, the two cannot be told apart, and all stays.
    """
    database = re.escape(quoted(schema, MARK))
    if re.search(rf"[`)]\s+{database}(?!\.)", definition):
        return definition
    return re.sub(rf"(?<!\.){database}\.({_NAME}(?:\.{_NAME})?)", r"\1", definition)
