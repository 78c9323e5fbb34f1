"""Statements of MySQL that stand in a comment which its servers run: ``/*!50100 SELECT … */``."""

import re

_CONDITIONAL = re.compile(
    r"(?P<before>\s*)(?P<opening>/\*M?!\d*)(?P<inner>\s*\(*\s*(?:SELECT|WITH|INSERT|REPLACE|UPDATE"
    r"|DELETE)\b(?:(?!\*/).)*)\*/(?P<after>\s*;?\s*)",
    re.IGNORECASE | re.DOTALL,
)


def conditional(sql: str) -> str:
    """Return what servers run of a text that is such a comment and no more; "" of any other.

    Every character keeps its place.
    """
    found = _CONDITIONAL.fullmatch(sql)
    if found is None:
        return ""
    blank = " " * len(found["opening"])
    return f"{found['before']}{blank}{found['inner']}  {found['after']}"
