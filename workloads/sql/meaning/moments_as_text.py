"""Formats of TO_CHAR."""

import re
from collections.abc import Iterator

from sqlglot import exp
from sqlglot.expressions import Expr

from workloads.sql.meaning.replacing import UnlikeError, inner_first, put
from workloads.sql.meaning.templates import computed

_READ = {
    "%Y": "YYYY", "%y": "YY", "%m": "MM", "%d": "DD", "%j": "DDD", "%u": "D", "%V": "IW",
    "%G": "IYYY", "%U": "WW", "%H": "HH24", "%I": "HH12", "%M": "MI", "%S": "SS", "%f": "US",
    "%-d": "FMDD", "%-j": "FMDDD", "%-m": "FMMM", "%-H": "FMHH24", "%-I": "FMHH12",
    "%-M": "FMMI", "%-S": "FMSS", "%Aenlower": "day", "%aenlower": "dy",
    "%b": "TMMon", "%B": "TMMonth", "%A": "TMDay", "%a": "TMDy",
}  # fmt: skip
"""Part of a format as sqlglot reads it → as it was written."""
_READ_PARTS = re.compile("|".join(sorted(_READ, key=len, reverse=True)))
_PADDED = "RPAD(STRFTIME(a, '{0}'), 9, ' ')"
_NAMES = {"Month": "%B", "Day": "%A", "Mon": "%b", "Dy": "%a"}
_LONG = ("Month", "Day")
_NUMBERS = {
    "YYYY": "%Y", "YY": "%y", "MM": "%m", "DD": "%d", "DDD": "%j", "HH24": "%H", "HH12": "%I",
    "HH": "%I", "MI": "%M", "SS": "%S", "MS": "%g", "US": "%f", "IW": "%V", "IYYY": "%G",
}  # fmt: skip
_SHORT = frozenset(("MM", "DD", "DDD", "HH24", "HH12", "HH", "MI", "SS"))
"""Numbers whose zeros FM leaves out."""
_COMPUTED = {
    "Q": "CAST(QUARTER(a) AS TEXT)",
    "D": "CAST(DAYOFWEEK(a) + 1 AS TEXT)",
    "ID": "CAST(ISODOW(a) AS TEXT)",
    "W": "CAST((DAY(a) - 1) // 7 + 1 AS TEXT)",
    "WW": "LPAD(CAST((DAYOFYEAR(a) - 1) // 7 + 1 AS TEXT), 2, '0')",
    "AM": "STRFTIME(a, '%p')",
    "PM": "STRFTIME(a, '%p')",
}
_WORDS = re.compile(
    r'"(?P<text>[^"]*)"|(?P<fill>FM)?(?P<word>month|mon|day|dy|yyyy|yy|mm|ddd|dd|hh24|hh12|hh|mi|ss'
    r"|ms|us|iyyy|iw|ww|w|id|q|d|am|pm)(?!th)|(?P<sign>[^A-Za-z\"\\])",
    re.IGNORECASE,
)
_KNOWN = (
    "TO_CHAR is known of YYYY, YY, Q, MM, Mon, Month, WW, W, IYYY, IW, DDD, DD, D, ID, Day, Dy,"
    " HH24, HH12, MI, SS, MS, US, AM, FM before one of them, and letters in double quotes"
)


def moments_as_text(tree: exp.Query) -> exp.Query:
    """Write days and moments in TO_CHAR's format: sqlglot takes Mon for letters."""
    for node in inner_first(tree, exp.TimeToStr):
        written = node.args.get("format")
        if node.this.is_type(*exp.DataType.NUMERIC_TYPES):
            raise UnlikeError(node, "TO_CHAR of a number: round it, and cast it to TEXT")
        if not isinstance(written, exp.Literal):
            raise UnlikeError(node, "TO_CHAR is known of formats that are written out")
        format_ = _READ_PARTS.sub(lambda part: _READ[part[0]], written.name)
        pieces = list(_pieces(node, format_))
        found: Expr = exp.Literal.string("")
        for number, piece in enumerate(_joined(pieces, node.this)):
            found = exp.DPipe(this=found, expression=piece) if number else piece
        put(node, exp.paren(found) if isinstance(found, exp.DPipe) else found)
    return tree


def _pieces(node: Expr, format_: str) -> Iterator[tuple[str, str]]:
    """Yield the parts of a format: ('strftime', its format) or ('computed', a template)."""
    place = 0
    while place < len(format_):
        found = _WORDS.match(format_, place)
        if found is None:
            raise UnlikeError(node, _KNOWN)
        place = found.end()
        text = found["sign"] or found["text"]
        if found["word"] is None:
            yield "strftime", (text or "").replace("%", "%%")
        else:
            yield _word(node, found["word"], fills=found["fill"] is None)


def _word(node: Expr, word: str, *, fills: bool) -> tuple[str, str]:
    upper, name = word.upper(), word.capitalize()
    if name in _NAMES:
        padded = _PADDED if fills and name in _LONG else "STRFTIME(a, '{0}')"
        template = padded.format(_NAMES[name])
        if word == name:
            is_plain = not (fills and name in _LONG)
            return ("strftime", _NAMES[name]) if is_plain else ("computed", template)
        if word not in (upper, word.lower()):
            raise UnlikeError(node, _KNOWN)
        return "computed", f"{'UPPER' if word == upper else 'LOWER'}({template})"
    if upper in _COMPUTED:
        template = _COMPUTED[upper]
        return "computed", f"LOWER({template})" if word.islower() else template
    sign = _NUMBERS[upper]
    if not fills and upper not in _SHORT:
        raise UnlikeError(node, _KNOWN)
    return "strftime", sign if fills else sign.replace("%", "%-")


def _joined(pieces: list[tuple[str, str]], moment: Expr) -> Iterator[Expr]:
    """Yield expressions of the pieces, one for each run of STRFTIME's."""
    run = ""
    for kind, text in (*pieces, ("computed", "")):
        if kind == "strftime":
            run += text
            continue
        if run:
            yield exp.TimeToStr(this=moment.copy(), format=exp.Literal.string(run))
            run = ""
        if text:
            yield computed(text, moment)
