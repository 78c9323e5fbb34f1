"""WITH ROLLUP."""

from sqlglot import exp

from workloads.sql.meaning.replacing import UnlikeError, inner_first


def plain_rollup(tree: exp.Query) -> exp.Query:
    """Write GROUP BY a, b WITH ROLLUP as GROUP BY ROLLUP (a, b), without a total of no rows."""
    for group in inner_first(tree, exp.Group):
        rollups = group.args.get("rollup") or []
        if group.expressions and any(not each.expressions for each in rollups):
            keys = group.expressions
            if len(set(keys)) < len(keys):
                raise UnlikeError(
                    group, "WITH ROLLUP of a key that is written twice: write it once"
                )
            group.set("expressions", [])
            group.set("rollup", [exp.Rollup(expressions=keys)])
            some = exp.GT(this=exp.Count(this=exp.Star()), expression=exp.Literal.number(0))
            if isinstance(group.parent, exp.Select):
                group.parent.having(some, copy=False)
    return tree
