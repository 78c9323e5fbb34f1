"""Subqueries that become joins, without what their derived tables hold.

sqlglot copies a subquery whole when it joins it. What was joined to that before lies in its derived
tables, so that subqueries in each other would be copied once for each level above them.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlglot import exp

CUTS = (exp.Limit, exp.Offset, exp.Fetch)
"""Nodes that sqlglot looks for at any depth: a subquery that has one is not joined."""
_ASIDE = "aside"


@contextmanager
def derived_tables_aside(select: exp.Expr, parent: exp.Select, *, is_whole: bool) -> Iterator[None]:
    """Put the queries of the derived tables of `select` aside, and then back.

    In the block `select` may become a join of `parent`. It keeps them where it has one of `CUTS`;
    none has where the statement `is_whole`.
    """
    aside: dict[str, exp.Query] = {}
    if isinstance(select, exp.Select) and (is_whole or select.find(*CUTS) is None):
        for relation in _derived_tables(select):
            aside[relation.alias] = relation.this
            mark = exp.select("1")
            mark.meta[_ASIDE] = relation.alias
            relation.set("this", mark)
    before = {id(join) for join in parent.args.get("joins") or ()}
    try:
        yield
    finally:
        if aside:
            _put_back(select, aside)
            for join in parent.args.get("joins") or ():
                if id(join) not in before:
                    _put_back(join, aside)


def _derived_tables(select: exp.Select) -> Iterator[exp.Subquery]:
    from_ = select.args.get("from_")
    relations = [from_.this] if from_ is not None else []
    relations += [join.this for join in select.args.get("joins") or ()]
    for relation in relations:
        is_named = isinstance(relation, exp.Subquery) and relation.alias
        if is_named and isinstance(relation.this, exp.Query):
            yield relation


def _put_back(node: exp.Expr, aside: dict[str, exp.Query]) -> None:
    for relation in list(node.find_all(exp.Subquery)):
        alias = relation.this.meta.get(_ASIDE)
        if alias is not None:
            relation.set("this", aside[alias])
