"""Grouping sets with a grand total, which is a row of no rows too."""

from sqlglot import exp

_OVER_GROUPS = ("expressions", "having", "order", "qualify", "group")


def has_grand_total(select: exp.Expr) -> bool:
    """Whether one of several grouping sets of a block is empty."""
    group = select.args.get("group")
    if group is None or group.find(exp.Rollup, exp.Cube, exp.GroupingSets) is None:
        return False
    return all(_may_be_empty(each) for each in group.expressions)


def _may_be_empty(element: exp.Expr) -> bool:
    if isinstance(element, exp.GroupingSets):
        return any(_may_be_empty(each) for each in element.expressions)
    return isinstance(element, (exp.Rollup, exp.Cube)) or (
        isinstance(element, exp.Tuple) and not element.expressions
    )


def grouping_keys(group: exp.Expr) -> list[exp.Expr]:
    """Return what a block is grouped by, in whatever sets; what is there twice is there twice."""
    found: list[exp.Expr] = []
    for element in group.expressions:
        inner = element.unnest()
        if isinstance(inner, (exp.Rollup, exp.Cube, exp.GroupingSets, exp.Tuple)):
            found += grouping_keys(inner)
        else:
            found.append(inner)
    return found


def is_markable(select: exp.Expr) -> bool:
    """Whether a block's rows can be marked, so that a row for none is told from them.

    A query in what is computed of groups might refer to the rows' columns.
    """
    if not has_grand_total(select):
        return True
    parts = [select.args.get(key) for key in _OVER_GROUPS]
    nodes = [each for part in parts for each in (part if isinstance(part, list) else [part])]
    return not any(isinstance(each, exp.Expr) and each.find(exp.Query) for each in nodes)
