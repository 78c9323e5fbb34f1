"""Lengths of text."""

from sqlglot import exp

from workloads.sql.meaning.replacing import inner_first, put


def lengths_in_bytes(tree: exp.Query) -> exp.Query:
    """Count bytes in LENGTH, where CHAR_LENGTH counts letters: ``LENGTH('é')`` is 2."""
    for length in inner_first(tree, exp.Length):
        if length.args.get("binary"):
            encoded = exp.Anonymous(this="ENCODE", expressions=[length.this.copy()])
            put(length, exp.Anonymous(this="OCTET_LENGTH", expressions=[encoded]))
    return tree
