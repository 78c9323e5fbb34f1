"""Lengths of text."""

from sqlglot import exp


def lengths_in_bytes(tree: exp.Query) -> exp.Query:
    """Count bytes in LENGTH, where CHAR_LENGTH counts letters: ``LENGTH('é')`` is 2."""
    for length in list(tree.find_all(exp.Length)):
        if length.args.get("binary"):
            encoded = exp.Anonymous(this="ENCODE", expressions=[length.this.copy()])
            length.replace(exp.Anonymous(this="OCTET_LENGTH", expressions=[encoded]))
    return tree
