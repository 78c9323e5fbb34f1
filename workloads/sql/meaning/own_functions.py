"""Functions that DuckDB knows under other names, or can compute."""

from collections.abc import Mapping, Sequence

from sqlglot import exp

from workloads.sql.meaning.replacing import inner_first, put
from workloads.sql.meaning.templates import computed

Arguments = Sequence[exp.Expr]


def postgresql_functions(tree: exp.Query) -> exp.Query:
    """Write functions of PostgreSQL, such as EVERY, as DuckDB has them."""
    for call in inner_first(tree, exp.Overlay, exp.Parameter):
        if isinstance(call, exp.Parameter):
            if isinstance(call.this, exp.Paren):
                put(call, exp.Abs(this=call.this.copy()))
            continue
        text, new, start = call.this, call.expression, call.args["from_"]
        length = call.args.get("for_") or exp.Length(this=new.copy())
        put(call, computed(_OVERLAY, text, new, start, length))
    return _called(tree, _POSTGRESQL)


def mysql_functions(tree: exp.Query) -> exp.Query:
    """Write functions of MySQL, such as MID, as DuckDB has them."""
    for choice in inner_first(tree, exp.Elt):
        put(choice, _element(choice.this, choice.expressions)).type = exp.DataType.build("TEXT")
    for call in inner_first(tree, exp.SubstringIndex):
        found = computed(_INDEXED, call.this, call.args["delimiter"], call.args["count"])
        put(call, found).type = exp.DataType.build("TEXT")
    return _called(tree, _MYSQL)


def _called(tree: exp.Query, known: Mapping[tuple[str, int], str]) -> exp.Query:
    for call in inner_first(tree, exp.Anonymous):
        template = known.get((call.name.upper(), len(call.expressions)))
        if template is not None:
            _give(call, template)
        elif call.name.upper() == "FIELD" and len(call.expressions) > 1:
            put(call, _place(call.expressions))
    return tree


def _give(call: exp.Anonymous, template: str) -> None:
    """Put a template's expression in the place of a call, with the type of its outermost cast."""
    days = call.expressions[-1]
    if call.name.upper() in _DAYS and isinstance(days, exp.Interval):
        kind = exp.Add if call.name.upper() == "ADDDATE" else exp.Sub
        put(call, kind(this=call.expressions[0].copy(), expression=days.copy()))
        return
    found = put(call, computed(template, *call.expressions))
    if call.name.upper() in _MADE_DAYS:
        found.type = exp.DataType.build("DATE")


def _element(place: exp.Expr, arguments: Arguments) -> exp.Expr:
    """Return the argument of a number, NULL where there is none."""
    found = exp.case()
    for number, each in enumerate(arguments, start=1):
        same = exp.EQ(this=exp.paren(place.copy()), expression=exp.Literal.number(number))
        found = found.when(same, exp.cast(each.copy(), "TEXT"))
    return found


def _place(arguments: Arguments) -> exp.Expr:
    """Return the place of a value among others, 0 where it is not one of them."""
    found = exp.case()
    for number, each in enumerate(arguments[1:], start=1):
        same = exp.EQ(this=arguments[0].copy(), expression=each.copy())
        found = found.when(same, exp.Literal.number(number))
    return found.else_(exp.Literal.number(0))


_OVERLAY = "LEFT(a, c - 1) || b || SUBSTRING(a, c + d)"
_INDEXED = (
    "CASE WHEN c > 0 THEN ARRAY_TO_STRING(STRING_SPLIT(a, b)[1:c], b) WHEN c < 0 THEN"
    " ARRAY_TO_STRING(STRING_SPLIT(a, b)[GREATEST(LEN(STRING_SPLIT(a, b)) + c + 1, 1):], b)"
    " ELSE LEFT(a, 0) END"
)
_DAYS = frozenset(("ADDDATE", "SUBDATE"))
_MADE_DAYS = frozenset((*_DAYS, "MAKEDATE", "FROM_DAYS"))
_BYTES = "OCTET_LENGTH(ENCODE(a))"
_POSTGRESQL: Mapping[tuple[str, int], str] = {
    ("EVERY", 1): "BOOL_AND(a)",
    ("OCTET_LENGTH", 1): _BYTES,
    ("CARDINALITY", 1): "LEN(a)",
}
_MYSQL: Mapping[tuple[str, int], str] = {
    ("OCTET_LENGTH", 1): _BYTES,
    ("MID", 3): "SUBSTRING(a, b, c)",
    ("ADDDATE", 2): "CAST(a + TO_DAYS(CAST(b AS INTEGER)) AS DATE)",
    ("SUBDATE", 2): "CAST(a - TO_DAYS(CAST(b AS INTEGER)) AS DATE)",
    ("STRCMP", 2): "CASE WHEN a < b THEN -1 WHEN a = b THEN 0 WHEN a > b THEN 1 END",
    ("MAKEDATE", 2): "CASE WHEN b > 0 THEN MAKE_DATE(a, 1, 1) + CAST(b - 1 AS INTEGER) END",
    ("FROM_DAYS", 1): "CAST(DATE '1970-01-01' + TO_DAYS(CAST(a - 719528 AS INTEGER)) AS DATE)",
}
