"""Patterns of SIMILAR TO."""

import re

from sqlglot import exp

from workloads.sql.meaning.replacing import UnlikeError, inner_first, put

_WORDS = re.compile(r"\\.|\[[^\]]*\]|.", re.DOTALL)
_SIGNS = {"%": ".*", "_": ".", ".": r"\.", "^": r"\^", "$": r"\$"}


def similar_patterns(tree: exp.Query) -> exp.Query:
    """Read % and _ in a pattern of SIMILAR TO, which is a regular expression to DuckDB."""
    for node in inner_first(tree, exp.SimilarTo):
        pattern = node.expression
        if not isinstance(pattern, exp.Literal) or isinstance(node.parent, exp.Escape):
            raise UnlikeError(node, "SIMILAR TO is known of patterns that are written out: use ~")
        words = _WORDS.findall(pattern.name)
        text = exp.Literal.string("(?s)" + "".join(_SIGNS.get(word, word) for word in words))
        arguments = [node.this.copy(), text]
        put(node, exp.Anonymous(this="REGEXP_FULL_MATCH", expressions=arguments))
    return tree
