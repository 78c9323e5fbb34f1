"""The keys of GROUP BY, written out: few stores know ALL, or keys in a parenthesis."""

from sqlglot import exp

from workloads.sql.trees.predicates import source_names


def explicit_groups(tree: exp.Query) -> exp.Query:
    """Write GROUP BY ALL as the outputs that read a column and neither aggregate nor use a window.

    DuckDB groups by nothing else. Constants alone make no group: over no rows an aggregate beside
    them has its one row, and without an aggregate no row is grouped at all. GROUP BY (a, b) is
    GROUP BY a, b.
    """
    for group in list(tree.find_all(exp.Group)):
        group.set("expressions", [key for each in group.expressions for key in _keys(each)])
        select = group.parent
        if not group.args.get("all") or not isinstance(select, exp.Select):
            continue
        sources = source_names(select)
        outputs = [output.unalias() for output in select.selects]
        keys = [each.copy() for each in outputs if _is_key(each, sources)]
        select.set("group", exp.Group(expressions=keys) if keys else None)
    return tree


def _keys(term: exp.Expr) -> list[exp.Expr]:
    return (term.expressions if isinstance(term, exp.Tuple) else None) or [term]


def _is_key(output: exp.Expr, sources: set[str]) -> bool:
    own = list(output.walk(prune=lambda node: isinstance(node, exp.Query)))
    if any(isinstance(node, (exp.AggFunc, exp.Window)) for node in own):
        return False
    return any(column.table in sources for column in output.find_all(exp.Column))
