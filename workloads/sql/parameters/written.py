"""Values as literals of a statement's own SQL."""

import re

from sqlglot import exp

from workloads.wanted import Drawn, Wanted

_NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][+-]?\d+)?")
_NUMBERS = re.compile(
    r"U?(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|FLOAT|DOUBLE|DECIMAL\(.*\)", re.IGNORECASE
)
_PLAIN = frozenset({"VARCHAR", "UUID", "TIME", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"})
_MOMENTS = {"DATE": "DATE", "TIMESTAMP": "TIMESTAMP", "TIMESTAMP WITH TIME ZONE": "TIMESTAMPTZ"}
_ZONE = re.compile(r"\+00$")


def literal(drawn: Drawn, wanted: Wanted, dialect: str) -> str | None:
    """Return a value as a literal; None where its type has none that all systems read alike.

    A moment is written as a text where it is compared, as each system reads it by the column.
    """
    text, type_ = drawn.text, drawn.type
    if _NUMBERS.fullmatch(type_):
        return text if _NUMBER.fullmatch(text) else None
    if type_ == "BOOLEAN":
        return text.upper()
    if type_ not in _PLAIN and type_ not in _MOMENTS and not type_.startswith("ENUM"):
        return None
    if dialect == "mysql" and type_ == "TIMESTAMP WITH TIME ZONE":
        text, type_ = _ZONE.sub("", text), "TIMESTAMP"
    written = exp.Literal.string(text).sql(dialect)
    if wanted.is_computed and not wanted.is_quoted and type_ in _MOMENTS:
        return f"{_MOMENTS[type_]} {written}"
    return written
