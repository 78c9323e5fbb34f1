"""Places that are looked for behind a text's end."""

from sqlglot import exp

from workloads.sql.meaning.replacing import inner_first, put
from workloads.sql.meaning.templates import computed

_INSIDE = "CASE WHEN a < 1 OR a > LENGTH(b) THEN STRPOS(LEFT(b || c, 0), ' ') ELSE d END"


def late_starts(tree: exp.Query) -> exp.Query:
    """Find nothing from a start outside the text on, not even no letters: LOCATE('', 'a', 7)."""
    for node in inner_first(tree, exp.StrPosition):
        start = node.args.get("position")
        if start is not None:
            put(node, computed(_INSIDE, start, node.this, node.args["substr"], node))
    return tree
