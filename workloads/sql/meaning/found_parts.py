"""Parts of a text that a pattern finds."""

import re

from sqlglot import exp

from workloads.sql.meaning.replacing import UnlikeError, inner_first, put
from workloads.sql.meaning.templates import computed

_GROUP = re.compile(r"(?<!\\)\((?!\?)")
_FOUND = "CASE WHEN REGEXP_MATCHES(a, b) THEN REGEXP_EXTRACT(a, b, c) END"


def found_parts(tree: exp.Query) -> exp.Query:
    """Give the part that SUBSTRING finds by a pattern, or its first group; NULL for none."""
    for node in inner_first(tree, exp.Substring):
        pattern = node.args.get("start")
        if not isinstance(pattern, exp.Literal) or not pattern.is_string:
            continue
        if node.args.get("length") is not None:
            raise UnlikeError(node, "SUBSTRING by a pattern of SQL: use one without FOR")
        group = exp.Literal.number(1 if _GROUP.search(pattern.name) else 0)
        put(node, computed(_FOUND, node.this, pattern, group))
    return tree
