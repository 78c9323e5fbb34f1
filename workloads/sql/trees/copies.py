"""Copies of trees, and their texts: sqlglot's own copying takes most of compiling's time."""

from copy import deepcopy
from typing import Any, TypeVar

from sqlglot import exp
from sqlglot.errors import ErrorLevel

Tree = TypeVar("Tree", bound=exp.Expr)

_PLAIN = frozenset({bool, int, float, str})
"""Types of notes that need no copy; most are places in a text."""


def copied(tree: Tree) -> Tree:
    """Return a copy of `tree` as its `copy` makes it, in a third of the time.

    The types that are noted at its nodes, those of whole subqueries too, are shared: nobody
    changes one, and sqlglot would copy each of them by Python's `deepcopy`.
    """
    root = _noted(tree)
    stack: list[tuple[exp.Expr, exp.Expr]] = [(tree, root)]
    while stack:
        node, copy = stack.pop()
        for key, value in node.args.items():
            if isinstance(value, exp.Expr):
                copy.args[key] = _child(value, copy, key, None, stack)
            elif type(value) is list:
                copy.args[key] = [
                    _child(each, copy, key, index, stack) if isinstance(each, exp.Expr) else each
                    for index, each in enumerate(value)
                ]
            else:
                copy.args[key] = value
    return root


def written(tree: exp.Expr, dialect: str, unsupported: ErrorLevel = ErrorLevel.WARN) -> str:
    """Return the text of `tree` with every name in quotes; `tree` stays as it is.

    Raises:
        UnsupportedError: `dialect` cannot say it, where `unsupported` is `RAISE`.
    """
    # Writing changes what is written.
    return last_written(copied(tree), dialect, unsupported)


def last_written(tree: exp.Expr, dialect: str, unsupported: ErrorLevel = ErrorLevel.WARN) -> str:
    """Return the text of `tree` as `written` does, changing `tree`: nobody may need it any more.

    Raises:
        UnsupportedError: `dialect` cannot say it, where `unsupported` is `RAISE`.
    """
    return tree.sql(dialect, identify=True, copy=False, unsupported_level=unsupported)


def _child(
    node: exp.Expr,
    parent: exp.Expr,
    key: str,
    index: int | None,
    stack: list[tuple[exp.Expr, exp.Expr]],
) -> exp.Expr:
    copy = _noted(node)
    copy.parent = parent
    copy.arg_key = key
    copy.index = index
    stack.append((node, copy))
    return copy


def _noted(node: Tree) -> Tree:
    """Return a node of the same class and nothing in it but what is noted at `node`."""
    copy = node.__class__()
    if node.comments is not None:
        copy.comments = list(node.comments)
    copy._type = node._type
    if node._meta is not None:
        copy._meta = _copied_notes(node._meta)
    return copy


def _copied_notes(notes: dict[str, Any]) -> dict[str, Any]:
    copies = notes.copy()
    for key, each in notes.items():
        # Nobody changes a noted type.
        if type(each) not in _PLAIN and not isinstance(each, exp.DataType):
            copies[key] = deepcopy(each)
    return copies
