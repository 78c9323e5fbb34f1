"""Constructs that mean something else to DuckDB, and have no rewrite."""

from collections.abc import Mapping

from sqlglot import exp

from workloads.sql.meaning.replacing import UnlikeError, whole_number

_BYTES_IN_ORDER = frozenset(
    ("c", "posix", "c.utf8", "c.utf-8", "pg_c_utf8", "ucs_basic", "binary", "utf8mb4_bin",
     "utf8mb4_0900_bin", "utf8mb4_nopad_bin")
)  # fmt: skip
_SUMS = (exp.DateAdd, exp.DateSub, exp.Interval)
_MOMENTS = (exp.DType.TIMESTAMP, exp.DType.DATETIME)
_DIGITS = 6
"""Digits of a second's fraction."""
_CALLS: Mapping[str, str] = {
    "ORD": "ORD counts bytes: use ASCII",
}
"""Functions of MySQL that DuckDB has with another meaning."""
_OWN_OPERATORS: Mapping[type[exp.Expr], str] = {
    exp.JSONBContainsTopKey: "?",
    exp.JSONBContainsAnyTopKeys: "?|",
    exp.JSONBContainsAllTopKeys: "?&",
    exp.JSONBPathExists: "@?",
    exp.JSONBDeleteAtPath: "#-",
    exp.MatchAgainst: "@@",
}
"""Operators of PostgreSQL on JSONB and on documents."""
_SETS = frozenset(("REGEXP_MATCHES", "REGEXP_SPLIT_TO_TABLE"))
"""Functions of PostgreSQL that give a row for each match."""


def unlike_in_postgresql(tree: exp.Query) -> exp.Query:
    """Refuse what PostgreSQL has of its own, with what to write instead."""
    for node in tree.walk():
        _check_collation(node)
        _check_fraction(node, _DIGITS)
        if isinstance(node, exp.Parameter) and isinstance(node.parent, exp.Dot):
            raise UnlikeError(node, "@ before a column: use ABS")
        if type(node) in _OWN_OPERATORS:
            raise UnlikeError(node, f"the operator {_OWN_OPERATORS[type(node)]} is PostgreSQL's")
        if isinstance(node, exp.Anonymous) and node.name.upper() in _SETS:
            raise UnlikeError(node, f"{node.name.upper()} gives rows: use ~ or SUBSTRING")
    return tree


def unlike_in_mysql(tree: exp.Query) -> exp.Query:
    """Refuse what MySQL has of its own, with what to write instead."""
    _check_variables(tree)
    for node in tree.walk():
        _check_collation(node)
        _check_fraction(node, 0)
        if isinstance(node, exp.Anonymous) and node.name.upper() in _CALLS:
            raise UnlikeError(node, _CALLS[node.name.upper()])
        if isinstance(node, exp.Interval) and isinstance(node.this, exp.Tuple):
            raise UnlikeError(node, "INTERVAL as a function: use CASE")
        if isinstance(node, exp.Unhex):
            raise UnlikeError(node, "UNHEX gives bytes, which are no text to DuckDB")
        if isinstance(node, exp.Time):
            raise UnlikeError(node, "TIME as a function: use CAST(… AS TIME)")
        if isinstance(node, exp.Stuff):
            raise UnlikeError(node, "INSERT as a function: use CONCAT, LEFT and SUBSTRING")
        unit = node.text("unit").upper() if isinstance(node, _SUMS) else ""
        if "_" in unit:
            raise UnlikeError(node, f"INTERVAL of {unit}: write one INTERVAL a unit")
    return tree


def _check_variables(tree: exp.Query) -> None:
    """Refuse variables, which are no parameters: they may be set within the statement too.

    What reads no table is no work of any store, and may have them.
    """
    variable = tree.find(exp.Parameter, exp.SessionParameter)
    tables = (table.name.lower() for table in tree.find_all(exp.Table))
    if variable is not None and any(table != "dual" for table in tables):
        name = variable.sql("mysql")
        raise UnlikeError(variable, f"{name} is a variable, whose value the session has")


def _check_collation(node: exp.Expr) -> None:
    """Refuse an order of letters that is not that of their bytes."""
    if isinstance(node, exp.Collate) and node.expression.name.lower() not in _BYTES_IN_ORDER:
        reason = f"COLLATE {node.expression.name}: texts are compared by their bytes"
        raise UnlikeError(node, reason)


def _check_fraction(node: exp.Expr, digits: int) -> None:
    """Refuse casts of moments to so few digits of a second, `digits` where none are said."""
    if not isinstance(node, exp.Cast) or not node.to.is_type(*_MOMENTS):
        return
    said = node.to.expressions
    kept = whole_number(said[0].this) if said else digits
    if kept is not None and kept < _DIGITS and not node.this.is_type(exp.DType.DATE):
        if isinstance(node.this, exp.Literal) and "." not in node.this.name:
            return
        reason = "fractions of a second are rounded in one system and cut in another: keep all six"
        raise UnlikeError(node, reason)
