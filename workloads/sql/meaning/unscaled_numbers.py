"""NUMERIC without a scale."""

import re

from sqlglot import exp

from workloads.sql.meaning.number_kinds import FLOATING
from workloads.sql.meaning.replacing import UnlikeError, inner_first, put
from workloads.sql.typing.value_kinds import MOST_DIGITS

_NUMBER = re.compile(r"\s*(?P<sign>[+-]?)(?P<whole>\d*)(?:\.(?P<places>\d*))?\s*", re.ASCII)


def unscaled_numbers(tree: exp.Query) -> exp.Query:
    """Keep all places of a cast to NUMERIC, where DuckDB has three: ``1.2345::numeric``.

    Raises:
        UnlikeError: The digits of a text are not known, or more than DuckDB has.
    """
    for cast in inner_first(tree, exp.Cast):
        if not cast.to.is_type(exp.DType.DECIMAL) or cast.to.expressions:
            continue
        value = cast.this
        if value.is_type(*exp.DataType.INTEGER_TYPES):
            cast.set("to", exp.DataType.build("DECIMAL(38, 0)"))
        elif value.is_type(exp.DType.DECIMAL, *FLOATING):
            # What is a number with places has them all.
            cast.replace(exp.paren(value.copy()))
        elif isinstance(value, exp.Literal) and value.is_string:
            put(cast, _exact(cast, value.name))
        elif value.is_type(*exp.DataType.TEXT_TYPES):
            raise UnlikeError(cast, "NUMERIC of a text: say its digits, as in NUMERIC(20, 4)")
        else:
            cast.set("to", exp.DataType.build("DOUBLE"))
    return tree


def _exact(cast: exp.Cast, text: str) -> exp.Expr:
    """Return a text of digits as the number that it is."""
    found = _NUMBER.fullmatch(text)
    whole, places = (found["whole"].lstrip("0"), found["places"] or "") if found else ("", "")
    digits = max(len(whole) + len(places), 1)
    if found is None or not (found["whole"] or places) or digits > MOST_DIGITS:
        raise UnlikeError(cast, f"NUMERIC of '{text}': write a number of at most 38 digits")
    value = exp.Literal.string(f"{found['sign']}{whole or '0'}.{places}")
    return exp.cast(value, f"DECIMAL({digits}, {len(places)})")
