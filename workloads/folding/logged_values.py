"""The values of a statement's parameters, as PostgreSQL's log has them in a record's DETAIL."""

import re

_BEGINS = re.compile(r"\s*parameters: ", re.IGNORECASE)
_VALUE = re.compile(r"\$(?P<number>\d+) = (?:NULL|'(?P<text>(?:[^']|'')*)')(?:, |\s*\Z)")
_CUT = "..."
"""Ends a value of which ``log_parameter_max_length`` left something out."""
_MOST_CHARACTERS = 10_000
"""Longer values are files, say, that no template should keep."""


def logged_values(detail: str) -> tuple[str | None, ...]:
    """Return the values of ``$1``, ``$2`` …, None for NULL; none where one is not known whole."""
    begins = _BEGINS.match(detail)
    if begins is None or len(detail) > _MOST_CHARACTERS:
        return ()
    values: list[str | None] = []
    place = begins.end()
    while place < len(detail):
        found = _VALUE.match(detail, place)
        if found is None or int(found["number"]) != len(values) + 1:
            return ()
        text = found["text"]
        if text is not None and text.endswith(_CUT):
            return ()
        values.append(None if text is None else text.replace("''", "'"))
        place = found.end()
    return tuple(values)
