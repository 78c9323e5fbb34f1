"""Filters that are pushed with a part of a block's sources."""

from collections.abc import Mapping, Sequence

from sqlglot import exp

from workloads.sql.features import features_within
from workloads.sql.trees.predicates import conjuncts
from workloads.sql.trees.tree import Node


def take_filters(
    node: Node,
    members: set[str],
    nullable: Mapping[str, frozenset[str]],
    refused: frozenset[str],
) -> list[exp.Expr]:
    """Remove from the block, and return, the conjuncts that concern only `members`.

    Those with a feature that is `refused` stay.

    The nullable side of an outer join, fetched alone, takes only its own part of ON with it:
    a filter of WHERE must see the nulls that the join makes.
    """
    alone = len(members) == 1 and next(iter(members)) in nullable
    if alone:
        (join,) = (join for join in node.joins if join.this.alias_or_name in members)
        taken, kept = _partition(conjuncts(join.args.get("on")), members, refused)
        if not kept:
            return []
        join.set("on", exp.and_(*kept, copy=False))
        return taken
    where = node.expression.args.get("where")
    taken, kept = _partition(conjuncts(where.this if where else None), members, refused)
    node.expression.set("where", exp.Where(this=exp.and_(*kept, copy=False)) if kept else None)
    return taken


def _partition(
    parts: Sequence[exp.Expr], members: set[str], refused: frozenset[str]
) -> tuple[list[exp.Expr], list[exp.Expr]]:
    taken: list[exp.Expr] = []
    kept: list[exp.Expr] = []
    for part in parts:
        columns = list(part.find_all(exp.Column))
        local = bool(columns) and all(column.table in members for column in columns)
        movable = local and part.find(exp.Query) is None and not features_within(part) & refused
        (taken if movable else kept).append(part)
    return taken, kept
