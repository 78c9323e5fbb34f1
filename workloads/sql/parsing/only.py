"""PostgreSQL's ``ONLY (t)``, which sqlglot does not read, as ``ONLY t``."""

from collections.abc import Sequence

from sqlglot import Token, TokenType


def without_only_parentheses(tokens: Sequence[Token], dialect: str) -> list[Token]:
    """Return the tokens without the parentheses around the name after ONLY.

    The word is reserved in PostgreSQL: it is no function that is called.
    """
    if dialect != "postgres":
        return list(tokens)
    kept: list[Token] = []
    is_open = False
    for token in tokens:
        if token.token_type is TokenType.L_PAREN and kept and _is_only(kept[-1]):
            is_open = True
        elif is_open and token.token_type is TokenType.R_PAREN:
            is_open = False
        else:
            kept.append(token)
    return kept


def _is_only(token: Token) -> bool:
    is_quoted = token.token_type in (TokenType.IDENTIFIER, TokenType.STRING)
    return not is_quoted and token.text.upper() == "ONLY"
