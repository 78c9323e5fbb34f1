"""Numbers of weeks, which begin and are counted in several ways."""

from sqlglot import exp
from sqlglot.expressions import Expr

from workloads.sql.meaning.replacing import UnlikeError, inner_first, put, whole_number
from workloads.sql.meaning.templates import computed

_FROM_JANUARY = (
    "CAST((DAYOFYEAR(a) + {first} - 1) // 7 + CASE WHEN {first} <= 3 THEN 1 ELSE 0 END AS INT)"
)
_MONDAY = "(ISODOW(DATE_TRUNC('year', a)) - 1)"
_SUNDAY = "(ISODOW(DATE_TRUNC('year', a)) % 7)"
_WEEKS = {
    0: "CAST(STRFTIME(a, '%U') AS INT)",
    1: _FROM_JANUARY.format(first=_MONDAY),
    3: "WEEK(a)",
    4: _FROM_JANUARY.format(first=_SUNDAY),
    # Its format %W would be taken for one of MySQL's, which is mode 1.
    5: "CAST((DAYOFYEAR(a) + 7 - ISODOW(a)) // 7 AS INT)",
}
"""Mode → the number of a day's week: 1 and 4 count a first week of four days, 0 and 5 a whole one.

3 is ISO's.
"""
_YEARS_WEEKS = {
    0: (
        "CAST(CASE WHEN STRFTIME(a, '%U') = '00' THEN (YEAR(a) - 1) * 100"
        " + CAST(STRFTIME(MAKE_DATE(YEAR(a) - 1, 12, 31), '%U') AS INT)"
        " ELSE YEAR(a) * 100 + CAST(STRFTIME(a, '%U') AS INT) END AS INT)"
    ),
    **dict.fromkeys((1, 3), "CAST(ISOYEAR(a) * 100 + WEEK(a) AS INT)"),
}
WEEK = _WEEKS[1]


def numbered_weeks(tree: exp.Query) -> exp.Query:
    """Count weeks as WEEK's and YEARWEEK's mode says: DuckDB has those of ISO alone."""
    for node in inner_first(tree, exp.Week, exp.Extract, exp.Anonymous):
        if isinstance(node, exp.Extract):
            if node.name.upper() == "WEEK":
                put(node, computed(_WEEKS[0], _day(node.args["expression"])))
        elif isinstance(node, exp.Week):
            put(node, _in_mode(node, _WEEKS, node.this, node.args.get("mode")))
        elif node.name.upper() == "YEARWEEK" and node.expressions:
            mode = node.expressions[1] if len(node.expressions) > 1 else None
            put(node, _in_mode(node, _YEARS_WEEKS, node.expressions[0], mode))
    return tree


def _in_mode(node: Expr, templates: dict[int, str], day: Expr, mode: Expr | None) -> Expr:
    number = 0 if mode is None else whole_number(mode)
    if number not in templates:
        modes = ", ".join(map(str, templates))
        name = "WEEK" if isinstance(node, exp.Week) else "YEARWEEK"
        reason = f"weeks are numbered in several ways: {name} is known of the modes {modes}"
        raise UnlikeError(node, reason)
    return computed(templates[number], _day(day))


def _day(node: Expr) -> Expr:
    inner = node.this if isinstance(node, exp.TsOrDsToDate) else node
    return exp.cast(inner.copy(), "DATE")
