"""The lexical rules of a dialect, as the parser has them."""

from sqlglot import Dialect

from workloads.folding.lexis import Lexis
from workloads.sql.parsing.split import refuse_unknown_dialect


def lexis(dialect: str) -> Lexis:
    """Return how `dialect` writes strings, identifiers, comments and numbers.

    Raises:
        ConfigurationError: No dialect is called so.
    """
    refuse_unknown_dialect(dialect)
    rules = Dialect.get_or_raise(dialect).tokenizer_class
    names = tuple(_pair(each) for each in rules.IDENTIFIERS)
    # T-SQL lists the double quote as both; by default it quotes identifiers there.
    quotes = tuple(q for q in rules.QUOTES if isinstance(q, str) and (q, q) not in names)
    bytes_escape = "\\" in rules.BYTE_STRING_ESCAPES
    prefixed = [(*_pair(each), bytes_escape) for each in rules.BYTE_STRINGS]
    prefixed += [(*_pair(each), False) for each in rules.RAW_STRINGS]
    marks = tuple(mark for mark in rules.COMMENTS if isinstance(mark, str))
    return Lexis(
        strings=quotes,
        backslash="\\" in rules.STRING_ESCAPES,
        prefixed=tuple(sorted(prefixed)),
        identifiers=names,
        line_comments=marks,
        spaced_dashes=rules.DASH_COMMENT_REQUIRES_BOUNDARY,
        nested_comments=rules.NESTED_COMMENTS,
        dollar_quotes="$" in rules.HEREDOC_STRINGS,
        number_suffixes=tuple(rules.NUMERIC_LITERALS),
    )


def _pair(quotes: str | tuple[str, str]) -> tuple[str, str]:
    return (quotes, quotes) if isinstance(quotes, str) else quotes
