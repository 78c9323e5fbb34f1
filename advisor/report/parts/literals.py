"""The queries that were measured with literals in place of parameters, in sentences."""

from collections.abc import Iterator, Mapping, Sequence

from advisor.figures import counted
from evaluation.measuring.literals import LiteralSource, MeasuredLiterals

SOURCES: Mapping[LiteralSource | None, str] = {
    "log": "from the log",
    "statistics": "from statistics",
    None: "none",
}
"""Where the literals of a query are from."""

_NAMED = 5


def literals_said(found: Sequence[MeasuredLiterals]) -> Iterator[str]:
    """Yield a sentence for each source of literals, and one for the queries that got none."""
    for source, where in SOURCES.items():
        names = [each.query for each in found if each.source == source]
        if not names:
            continue
        listed = ", ".join(names[:_NAMED])
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        have = "has" if len(names) == 1 else "have"
        if source is None:
            yield (
                f"{counted(len(names), 'statement')} {have} parameters for which no literals were"
                f" found: {listed}{more}."
            )
            continue
        most = max(each.sets for each in found if each.source == source)
        sets = f", in up to {most} sets" if most > 1 else ""
        yield (
            f"{counted(len(names), 'statement')} {have} literals {where} for the parameters"
            f"{sets}: {listed}{more}."
        )
