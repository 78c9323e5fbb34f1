"""Dates that can be computed before the query is sent."""

from sqlglot import exp

from workloads.sql.trees.constants import constant


def fold_dates(tree: exp.Query) -> exp.Query:
    """Replace a constant date plus or minus whole days by its value.

    Each store spells the sum in its own way, and PostgreSQL makes a timestamp of it.
    """
    for node in list(tree.find_all(exp.Add, exp.Sub)):
        interval = node.right
        if not isinstance(interval, exp.Interval) or not isinstance(node.left, exp.Cast):
            continue
        if not node.left.is_type(exp.DType.DATE) or _unit(interval) not in ("DAY", "DAYS"):
            continue
        value = constant(node)
        if isinstance(value, str):
            node.replace(exp.cast(exp.Literal.string(value), exp.DType.DATE))
    return tree


def _unit(interval: exp.Interval) -> str:
    return str(interval.args.get("unit") or "").upper()
