"""Formats of DATE_FORMAT."""

import re

from sqlglot import exp
from sqlglot.expressions import Expr

from workloads.sql.meaning.numbered_weeks import WEEK
from workloads.sql.meaning.replacing import UnlikeError, inner_first, put
from workloads.sql.meaning.templates import computed

_SUFFIX = (
    "CASE WHEN DAY(a) IN (11, 12, 13) THEN 'th' WHEN DAY(a) % 10 = 1 THEN 'st'"
    " WHEN DAY(a) % 10 = 2 THEN 'nd' WHEN DAY(a) % 10 = 3 THEN 'rd' ELSE 'th' END"
)
_COMPUTED = {
    "%D": f"CAST(DAY(a) AS TEXT) || {_SUFFIX}",
    "%W": f"LPAD(CAST({WEEK} AS TEXT), 2, '0')",
    "%v": "STRFTIME(a, '%V')",
}
"""Part of a format, as sqlglot reads it → what DuckDB has in its place. %W is MySQL's %u."""
_PARTS = re.compile(r"(%-?.)", re.DOTALL)


def formatted_moments(tree: exp.Query) -> exp.Query:
    """Write the parts of DATE_FORMAT that DuckDB's STRFTIME has otherwise: %u, %v and %D."""
    for node in inner_first(tree, exp.TimeToStr):
        written = node.args.get("format")
        if not isinstance(written, exp.Literal):
            raise UnlikeError(node, "DATE_FORMAT is known of formats that are written out")
        parts = _PARTS.split(written.name)
        if {"%X", "%V"} & set(parts):
            raise UnlikeError(node, "DATE_FORMAT has no weeks from Sunday: use %x and %v")
        if not any(each in _COMPUTED for each in parts):
            continue
        found: Expr | None = None
        for part in filter(None, parts):
            piece = _piece(node, part)
            found = piece if found is None else exp.DPipe(this=found, expression=piece)
        if found is not None:
            put(node, exp.paren(found))
    return tree


def _piece(node: exp.TimeToStr, part: str) -> Expr:
    if part in _COMPUTED:
        moment = node.this.this if isinstance(node.this, exp.TsOrDsToTimestamp) else node.this
        return computed(_COMPUTED[part], exp.cast(moment.copy(), "TIMESTAMP"))
    if part.startswith("%"):
        return exp.TimeToStr(this=node.this.copy(), format=exp.Literal.string(part))
    return exp.Literal.string(part)
