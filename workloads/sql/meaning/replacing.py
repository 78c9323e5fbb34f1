"""Replacement of nodes in a tree: from the inside out, with their types kept."""

from collections.abc import Sequence
from typing import TypeVar

from sqlglot import exp
from sqlglot.expressions import Expr

Node = TypeVar("Node", bound=Expr)


class UnlikeError(Exception):
    """A construct has no meaning in DuckDB's SQL that is known to be its own."""

    def __init__(self, node: Expr, reason: str) -> None:
        """Say of which node, and why with what to write instead."""
        super().__init__(reason)
        self.node = node
        self.reason = reason


def inner_first(tree: Expr, *kinds: type[Node]) -> Sequence[Node]:
    """Return the nodes of some kinds, those within others before these.

    A rule that copies a node into its own replacement takes along what it did within it.
    """
    return list(tree.find_all(*kinds))[::-1]


def put(old: Expr, new: Expr) -> Expr:
    """Put a node of the same type in the place of another."""
    new.type = old.type
    old.replace(new)
    return new


def whole_number(node: object) -> int | None:
    """Return a whole number that is written as it is; None for all else."""
    if isinstance(node, exp.Neg):
        found = whole_number(node.this)
        return None if found is None else -found
    if isinstance(node, exp.Literal) and not node.is_string and node.name.isdigit():
        return int(node.name)
    return None
