"""Upper and lower case of all letters, as DuckDB has it: one letter for one letter.

Text that is ASCII, as most is, is left to the system's own function. For other text those differ:
'ß' is 'ẞ' in DuckDB, 'SS' in Spark and 'ß' in PostgreSQL, whose letters depend on its locale too.
"""

from collections.abc import Callable
from functools import cache

import duckdb
from sqlglot import exp

_LAST = 0x1FFFF
"""No letter beyond it has a case."""
_FIRST_SOUGHT = "".join(map(chr, range(ord(" "), ord("~") + 1)))
_OLDER = (
    (0x180, 0x180), (0x19A, 0x19E), (0x220, 0x220), (0x23A, 0x28C), (0x29D, 0x29E), (0x370, 0x37F),
    (0x3CF, 0x3D9), (0x3F2, 0x3FF), (0x48A, 0x48B), (0x4C0, 0x4CF), (0x4F6, 0x52F),
    (0x10A0, 0x10FF), (0x13A0, 0x13FD), (0x1C80, 0x1CBF), (0x1D79, 0x1D7D), (0x1D8E, 0x1D8E),
    (0x1E9E, 0x1E9E), (0x1EFA, 0x1EFF), (0x2132, 0x2132), (0x214E, 0x214E), (0x2183, 0x2184),
    (0x2C00, 0x2D2D), (0xA640, 0xA66D), (0xA680, 0xA69B), (0xA722, 0xA7D9), (0xA7F5, 0xA7F6),
    (0xAB53, 0xAB53), (0xAB70, 0xABBF), (0x10400, 0x1044F), (0x104B0, 0x104FB), (0x10570, 0x105BC),
    (0x10C80, 0x10CF2), (0x118A0, 0x118DF), (0x16E40, 0x16E7F), (0x1E900, 0x1E943),
)  # fmt: skip
"""Ranges that hold all letters whose case MariaDB 11.4 or MySQL 8.0 has otherwise, but for 'ß'."""
_OLDER_LETTER = "[" + "".join(f"{chr(low)}-{chr(high)}" for low, high in _OLDER) + "]"
_MOST_BYTES = 2**64 - 1


def letter_case(tree: exp.Query) -> exp.Query:
    """Change the case of other text by DuckDB's own table, which makes 8 kB of SQL each time."""
    return _changed(tree, _translated)


def letter_case_of_mysql(tree: exp.Query) -> exp.Query:
    """Change the case of other text where it is DuckDB's; of rare letters make it an error.

    There is no table for that in MySQL. After an error DuckDB answers the query instead.
    """
    return _changed(tree, _where_alike)


def _changed(tree: exp.Query, otherwise: Callable[[exp.Func], exp.Case]) -> exp.Query:
    # The innermost first: what is made of it holds a copy.
    for node in reversed(list(tree.find_all(exp.Lower, exp.Upper))):
        if not isinstance(node.this, exp.Literal) or not node.this.name.isascii():
            node.replace(exp.paren(otherwise(node), copy=False))
    return tree


def _case(node: exp.Func) -> exp.Case:
    bytes_, letters = exp.func("OCTET_LENGTH", node.this.copy()), exp.Length(this=node.this.copy())
    return exp.Case().when(exp.EQ(this=bytes_, expression=letters), node.copy())


def _translated(node: exp.Func) -> exp.Case:
    letters, others = map(exp.Literal.string, _letters(isinstance(node, exp.Upper)))
    return _case(node).else_(exp.Translate(this=node.this.copy(), from_=letters, to=others))


def _where_alike(node: exp.Func) -> exp.Case:
    text = node.this
    # MariaDB has no REGEXP_LIKE.
    place = exp.Anonymous(
        this="REGEXP_INSTR", expressions=[text.copy(), exp.Literal.string(_OLDER_LETTER)]
    )
    older = exp.GT(this=place, expression=exp.Literal.number(0))
    # Longer than any number is. A failing cast would have another collation than the text.
    length = exp.Add(
        this=exp.Literal.number(_MOST_BYTES), expression=exp.func("OCTET_LENGTH", text.copy())
    )
    changed: exp.Expr = node.copy()
    if isinstance(node, exp.Upper):
        changed = exp.Anonymous(
            this="REPLACE",
            expressions=[changed, exp.Literal.string("ß"), exp.Literal.string("ẞ")],
        )
    return _case(node).when(older, exp.Left(this=text.copy(), expression=length)).else_(changed)


@cache
def _letters(upper: bool) -> tuple[str, str]:
    """Return letters and what DuckDB makes of them.

    Those of ASCII come first, also where they stay: PostgreSQL looks for each from the beginning.
    """
    function = "upper" if upper else "lower"
    with duckdb.connect() as session:
        rows = session.execute(
            f"SELECT chr(c), {function}(chr(c)) FROM (SELECT CAST(range AS INTEGER) AS c "  # noqa: S608 - one of two
            f"FROM range(1, {_LAST + 1})) WHERE c NOT BETWEEN 55296 AND 57343 "
            f"AND {function}(chr(c)) <> chr(c) ORDER BY c"
        ).fetchall()
    changed = dict(rows)
    # Neither quotes nor backslashes: each system has its own way to write them.
    first = [each for each in _FIRST_SOUGHT if each not in "'\"\\"]
    pairs = {**{each: changed.get(each, each) for each in first}, **changed}
    return "".join(pairs), "".join(pairs.values())
