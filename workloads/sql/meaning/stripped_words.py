"""Blanks and words at the ends of a text."""

import re

from sqlglot import exp

from workloads.sql.meaning.replacing import UnlikeError, inner_first, put


def stripped_spaces(tree: exp.Query) -> exp.Query:
    """Strip spaces alone, where DuckDB strips blanks of all kinds."""
    for trim in inner_first(tree, exp.Trim):
        if trim.args.get("expression") is None:
            trim.set("expression", exp.Literal.string(" "))
    return tree


def stripped_words(tree: exp.Query) -> exp.Query:
    """Strip a text of several letters as it is, where DuckDB strips each of its letters."""
    for trim in inner_first(tree, exp.Trim):
        word = trim.args.get("expression")
        if word is None or (isinstance(word, exp.Literal) and len(word.name) == 1):
            continue
        if not isinstance(word, exp.Literal):
            raise UnlikeError(trim, "TRIM of a computed text strips it as a whole: write it out")
        found, text = re.escape(word.name), trim.this.copy()
        if word.name and trim.text("position").upper() != "TRAILING":
            text = _without(text, f"^({found})+")
        if word.name and trim.text("position").upper() != "LEADING":
            text = _without(text, f"({found})+$")
        put(trim, text)
    return tree


def _without(text: exp.Expr, pattern: str) -> exp.Expr:
    arguments = [text, exp.Literal.string(pattern), exp.Literal.string("")]
    return exp.Anonymous(this="REGEXP_REPLACE", expressions=arguments)
