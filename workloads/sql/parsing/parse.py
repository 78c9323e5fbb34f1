"""Text to syntax tree, with errors that point at the place."""

from functools import cache

import duckdb
from sqlglot import Dialect, Token, TokenType, exp
from sqlglot.errors import ErrorLevel, TokenError
from sqlglot.expressions import apply_index_offset

from workloads.sql.parsing.door import door, error_at
from workloads.sql.parsing.function_columns import ALIASED, name_function_columns
from workloads.sql.parsing.host_functions import (
    refuse_host_calls,
    refuse_host_files,
    refuse_host_functions,
)
from workloads.sql.parsing.nesting import refuse_depth
from workloads.sql.parsing.only import without_only_parentheses
from workloads.sql.parsing.peculiar import plain
from workloads.sql.parsing.placeholders import question_marks
from workloads.sql.parsing.recursive_views import make_recursive, without_recursive
from workloads.sql.parsing.split import MODES, not_ended, unfinished
from workloads.sql.parsing.tokens import checked
from workloads.sql.parsing.typed_parameters import with_casts
from workloads.workload import Query

_PIVOTING = frozenset({"PIVOT", "PIVOT_WIDER", "UNPIVOT"})
"""Words that begin such a statement of DuckDB, of which sqlglot reads the plainest alone."""


def tokens_of(query: Query, dialect: str) -> list[Token]:
    """Return the tokens of a statement that need not parse.

    Raises:
        SqlError: It has no tokens, is several statements, or reaches the host.
    """
    with door(query):
        found = _engine(dialect).tokenize(question_marks(query.sql, dialect))
        tokens = without_only_parentheses(found, dialect)
        refuse_depth(query, tokens)
        refuse_host_files(query, tokens)
        refuse_host_calls(query, tokens)
    while tokens and tokens[-1].token_type is TokenType.SEMICOLON:
        tokens.pop()
    if not tokens or any(token.token_type is TokenType.SEMICOLON for token in tokens):
        raise error_at(query, 0, "one statement was expected")
    return tokens


def no_pivot(word: str) -> str:
    """Return why what makes columns of values is refused: which ones depends on the data."""
    return f"{word} is not supported: write it with GROUP BY, CASE or UNION ALL"


def parse(query: Query, dialect: str) -> exp.Query:
    """Parse one statement that reads.

    Raises:
        SqlError: The text does not parse, is several statements, or is not a query. Line and
            column count from 1 in the file that the query came from.
    """
    tree = statement(query, dialect)
    if isinstance(tree, (exp.Subquery, exp.Values)):
        tree = _selected_from(tree)
    if not isinstance(tree, exp.Query):
        raise error_at(query, 0, f"{tree.key.upper()} is not a query")
    return plain(tree)


def statement(query: Query, dialect: str, *, complete: bool = True) -> exp.Expr:
    """Parse one statement of any kind.

    With `complete` set to False a call may lack what sqlglot takes for a necessary argument: a
    function or an operator of the dialect is then read as another one of that name.

    Raises:
        SqlError: The text does not parse, is several statements, or reaches the host.
    """
    with door(query):
        written = question_marks(query.sql, dialect)
        text = without_recursive(written)
        engine = _engine(dialect)
        try:
            tokens = engine.tokenize(text)
        except TokenError as error:
            start, what = unfinished(text, dialect)
            raise error_at(query, start, not_ended(what, dialect)) from error
        tokens = without_only_parentheses(with_casts(query, tokens, engine), dialect)
        tokens = checked(query, tokens, dialect)
        refuse_host_files(query, tokens)
        if tokens and tokens[0].text.upper() in _PIVOTING:
            raise error_at(query, 0, no_pivot(tokens[0].text.upper()))
        parser = engine.parser(error_level=None if complete else ErrorLevel.IGNORE)
        trees = [tree for tree in parser.parse(tokens, text) if tree is not None]
        if parser.errors:
            raise parser.errors[0]
        if len(trees) != 1:
            raise error_at(query, 0, f"{len(trees)} statements where one was expected")
        refuse_host_functions(query, trees[0], tokens)
        if dialect == "mysql" and '"' in text:
            _refuse_texts_as_tables(query, trees[0], text)
        if text != written:
            make_recursive(trees[0])
    for locking in trees[0].find_all(exp.Select):
        # The relations that OF names are no further ones.
        locking.set("locks", None)
    if dialect in ALIASED:
        name_function_columns(trees[0])
    return _subscripts_as_written(trees[0], engine)


def _refuse_texts_as_tables(query: Query, tree: exp.Expr, text: str) -> None:
    """Raise SqlError for ``FROM "t"``: all that such a text has in quotes would be misread."""
    for table in tree.find_all(exp.Table):
        start = table.this.meta.get("start")
        if start is not None and text[start] == '"':
            raise error_at(query, start, f'"{table.name}" is a text, and no table ({MODES})')


def _subscripts_as_written(tree: exp.Expr, engine: Dialect) -> exp.Expr:
    """Return `tree` with the numbers of its subscripts as they were written, and marked so.

    sqlglot counts from 0 when it reads ``x[1]``, and from 1 again when it writes what it takes for
    a list by then: with types that are known since, a map or a text is subscripted by another
    number.
    """
    first = engine.INDEX_OFFSET
    for each in tree.find_all(exp.Bracket) if first else ():
        if not each.args.get("json_access"):
            numbers = apply_index_offset(each.this, each.expressions, first, dialect=engine)
            each.set("expressions", numbers)
            each.set("offset", first)
    return tree


@cache
def _engine(dialect: str) -> Dialect:
    """Return how sqlglot reads a dialect: DuckDB's of the version that answers here.

    In later ones ``~`` matches a part of a text, in this one the whole.
    """
    versioned = f"duckdb, version={duckdb.__version__}" if dialect == "duckdb" else dialect
    return Dialect.get_or_raise(versioned)


def start_of(node: exp.Expr) -> int:
    """Return the offset at which a name begins in the text that it was parsed from; else 0."""
    starts = (part.meta.get("start") for part in node.walk())
    return min((int(start) for start in starts if start is not None), default=0)


def _selected_from(tree: exp.Subquery | exp.Values) -> exp.Expr:
    """Return a SELECT or a set operation for parentheses around one, or for VALUES."""
    kept = {"expressions"} if isinstance(tree, exp.Values) else {"this", "with_"}
    added = {key: value for key, value in tree.args.items() if value and key not in kept}
    if isinstance(tree, exp.Subquery) and not added and not tree.args.get("with_"):
        return _selected_from(tree.this) if isinstance(tree.this, exp.Subquery) else tree.this
    for key in added:
        tree.set(key, None)
    with_ = tree.args.get("with_")
    tree.set("with_", None)
    select = exp.select("*").from_(exp.alias_(tree, "_parenthesised", table=True))
    for key, value in {**added, "with_": with_}.items():
        select.set(key, value)
    return select
