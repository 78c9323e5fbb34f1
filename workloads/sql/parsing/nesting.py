"""Depth of a statement, by its tokens, before sqlglot makes a tree of them.

sqlglot's compiled parser knows no limit: where a text is too deep it ends the whole process.
"""

from collections.abc import Sequence

from sqlglot import Token, TokenType

from workloads.sql.parsing.door import error_at
from workloads.workload import Query

MOST_NESTED = 500
"""So deep may brackets, CASE and prefixes such as NOT stand in each other."""

_LARGE_TOKENS = 1_000
"""A statement of fewer tokens has no expression that is too long for sqlglot."""
_LONGEST_RUN_TOKENS = 5_000
_MOST_SET_OPERATIONS = 1_000
_OPENING = {TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE}
_CLOSING = {TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE}
_PREFIXES = {TokenType.NOT, TokenType.DASH, TokenType.PLUS, TokenType.TILDE, TokenType.CASE}
_TYPES = {TokenType.ARRAY, TokenType.MAP, TokenType.STRUCT, TokenType.NESTED, TokenType.LIST}
_AFTER_IF = {TokenType.L_PAREN, TokenType.NOT, TokenType.EXISTS}
"""``IF (`` is a function, ``IF EXISTS`` a clause; only ``IF x THEN`` opens what END closes."""
_RUN_ENDS = {
    TokenType.COMMA, TokenType.SELECT, TokenType.FROM, TokenType.WHERE, TokenType.GROUP_BY,
    TokenType.HAVING, TokenType.ORDER_BY, TokenType.SEMICOLON,
}  # fmt: skip
_SET_OPERATORS = {TokenType.UNION, TokenType.EXCEPT, TokenType.INTERSECT}


def refuse_depth(query: Query, tokens: Sequence[Token]) -> None:
    """Refuse what would make a tree so deep that sqlglot exhausts the stack.

    Raises:
        SqlError: It is nested too deeply, or an expression of it is too long.
    """
    refuse_nesting(query, tokens)
    if len(tokens) > _LARGE_TOKENS:
        _refuse_length(query, tokens)


def refuse_nesting(query: Query, tokens: Sequence[Token]) -> None:
    """Refuse what is nested deeper than `MOST_NESTED`; what stands side by side may be long.

    Raises:
        SqlError: It is nested too deeply.
    """
    if len(tokens) <= MOST_NESTED:
        return
    open_ = list[str]()
    prefixes = 0
    for place, token in enumerate(tokens):
        kind = token.token_type
        opened = _opened(tokens, place)
        if opened:
            open_.append(opened)
        elif kind in _CLOSING:
            _close(open_, "(")
        elif kind is TokenType.END and open_ and open_[-1] == "CASE":
            open_.pop()
        elif set(token.text) == {">"}:
            for _ in token.text:
                if open_ and open_[-1] == "<":
                    open_.pop()
        prefixes = prefixes + 1 if kind in _PREFIXES or _is_if(token) else 0
        if max(len(open_), prefixes) > MOST_NESTED:
            reason = f"it is nested more than {MOST_NESTED} deep: write it flatter"
            raise error_at(query, token.start, reason)


def _opened(tokens: Sequence[Token], place: int) -> str:
    """Return which kind of group the token at `place` opens; nothing where it opens none."""
    token = tokens[place]
    kind = token.token_type
    if kind in _OPENING:
        return "("
    if kind is TokenType.CASE:
        return "CASE"
    if kind is TokenType.LT and place and tokens[place - 1].token_type in _TYPES:
        return "<"
    after = tokens[place + 1].token_type if place + 1 < len(tokens) else None
    return "CASE" if _is_if(token) and after not in _AFTER_IF else ""


def _is_if(token: Token) -> bool:
    return token.token_type is not TokenType.STRING and token.text.upper() == "IF"


def _close(open_: list[str], group: str) -> None:
    """Close the innermost `group`, and what was left open in it."""
    while open_ and open_.pop() != group:
        pass


def _refuse_length(query: Query, tokens: Sequence[Token]) -> None:
    """Refuse long chains: each operator of a run without a comma is one level deeper."""
    runs, operations = [0], [0]
    for token in tokens:
        kind = token.token_type
        runs[-1] += 4 if kind is TokenType.L_BRACKET else 1
        if kind in _OPENING:
            runs.append(0)
            operations.append(0)
        elif kind in _CLOSING and len(runs) > 1:
            runs.pop()
            operations.pop()
        elif kind in _RUN_ENDS:
            runs[-1] = 0
        elif kind in _SET_OPERATORS:
            operations[-1] += 1
        if runs[-1] > _LONGEST_RUN_TOKENS:
            limit = f"more than {_LONGEST_RUN_TOKENS:,} words and signs"
            raise error_at(query, token.start, f"one expression has {limit}: write it shorter")
        if operations[-1] > _MOST_SET_OPERATIONS:
            limit = f"more than {_MOST_SET_OPERATIONS:,} set operations"
            raise error_at(query, token.start, f"one query has {limit}: write it shorter")
