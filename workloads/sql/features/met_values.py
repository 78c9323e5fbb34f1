"""Values that meet: which are compared, chosen from or taken for true means the same."""

import re
from collections.abc import Iterator, Sequence

from sqlglot import exp

from workloads.sql.typing.expression_kinds import Of
from workloads.sql.typing.value_kinds import MOST_DIGITS, NUMBERS, Kind

_DATE_TEXT = re.compile(r"\d{4}-\d\d-\d\d")
_MOMENT_TEXT = re.compile(r"\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d(\.\d{1,6})?)?")


def known(kinds: Sequence[Kind]) -> set[str]:
    """Return the families of values whose type counts: not those of NULL and of parameters."""
    families: set[str] = {each.family for each in kinds}
    return families - {"null", "any"}


def peculiar(families: set[str]) -> Iterator[str]:
    """Yield what is the matter with values of some families whatever is done with them."""
    if families & {"unknown", "other"}:
        yield "unknown_type"
    if "zoned" in families:
        yield "time_zone"
    if "interval" in families:
        yield "interval_value"


def compared(nodes: Sequence[exp.Expr], of: Of) -> Iterator[str]:
    """Yield the features of values that are compared with one another."""
    inner = [each.unnest() for each in nodes]
    if any(isinstance(each, (exp.Tuple, exp.Struct)) for each in inner):
        yield "row_comparison"
        return
    if any(isinstance(each, (exp.Any, exp.All)) for each in inner):
        yield "quantified_comparison"
        listed = [each.this if isinstance(each, (exp.Any, exp.All)) else each for each in inner]
        yield from cut_decimals([of(each) for each in listed])
        return
    families = known([of(each) for each in nodes])
    found = list(peculiar(families))
    if found:
        yield from found
    elif families <= NUMBERS:
        if "float" in families and len(families) > 1:
            yield "single_float"
    elif families & {"date", "timestamp"}:
        yield from _moments(families, inner)
    elif len(families) > 1:
        yield "text_to_number" if "text" in families and families & NUMBERS else "mixed_types"


def _moments(families: set[str], nodes: Sequence[exp.Expr]) -> Iterator[str]:
    """Yield the features of dates and times that are compared, with one another or with text."""
    if families - {"date", "timestamp", "text"}:
        yield "mixed_types"
    elif "text" in families:
        pattern = _MOMENT_TEXT if "timestamp" in families else _DATE_TEXT
        texts = [each for each in nodes if isinstance(each, exp.Literal) and each.is_string]
        others = [each for each in nodes if each not in texts]
        readable = all(pattern.fullmatch(each.name) for each in texts)
        if not readable or not texts or any(isinstance(each, exp.Substring) for each in others):
            yield "text_to_date"


def cut_decimals(kinds: Sequence[Kind]) -> Iterator[str]:
    """Yield a feature where decimals of several scales become one of too few digits for all.

    DuckDB gives it the scale of the widest. Operators that compare two values do not do so.
    """
    found = [each for each in kinds if each.family == "decimal"]
    if len({each.scale for each in found}) > 1 and known(kinds) <= {"whole", "huge", "decimal"}:
        digits = [MOST_DIGITS if each.summed else min(each.digits, MOST_DIGITS) for each in found]
        before = max(most - each.scale for most, each in zip(digits, found, strict=True))
        if before + max(each.scale for each in found) > MOST_DIGITS:
            yield "cut_decimal"


def mixed(nodes: Sequence[exp.Expr], of: Of) -> Iterator[str]:
    """Yield the features of values of which one is chosen."""
    kinds = [of(each) for each in nodes]
    families = known(kinds)
    found = list(peculiar(families))
    if found:
        yield from found
    elif families <= NUMBERS:
        if "float" in families and len(families) > 1:
            yield "single_float"
        yield from cut_decimals(kinds)
    elif len(families) > 1:
        yield "mixed_types"


def tests(nodes: Sequence[exp.Expr], of: Of) -> Iterator[str]:
    """Yield the features of values that are taken for true or false."""
    families = known([of(each) for each in nodes])
    if families - {"truth"}:
        yield "unknown_type" if "unknown" in families else "mixed_types"
