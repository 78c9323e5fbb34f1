"""Logged statements of a template: those that differ from it in literals alone."""

import re
from collections.abc import Iterable, Mapping, Sequence

from workloads.folding.normalise import Normaliser
from workloads.sql.parsing.lexis import lexis
from workloads.sql.parsing.placeholders import question_marks
from workloads.workload import Query

_PLAIN_NAME = re.compile(r"[`\"]([A-Za-z_]\w*)[`\"]")
_SPACED_CALL = re.compile(r"(?<=\w) (?=\()")


class Templates:
    """Tells statements of one dialect that are of one template, however they were recorded.

    Servers write the templates of their statistics anew: with quotes around every name, say.
    """

    def __init__(self, dialect: str) -> None:
        self._dialect = dialect
        self._normaliser = Normaliser(lexis(dialect))

    def key(self, query: Query) -> str:
        """Return what all statements of a template have, and no other."""
        text = self._normaliser.text(question_marks(query.sql, self._dialect))
        bare = _PLAIN_NAME.sub(lambda found: found[1].lower(), text)
        return (
            _SPACED_CALL.sub("", bare).replace("!=", "<>").replace("! =", "<>").replace("< >", "<>")
        )

    def by_key(self, queries: Iterable[Query]) -> Mapping[str, Sequence[Query]]:
        """Return key → its queries, in an order that does not depend on theirs."""
        found: dict[str, list[Query]] = {}
        for query in queries:
            found.setdefault(self.key(query), []).append(query)
        return {key: sorted(several, key=_order) for key, several in found.items()}


def _order(query: Query) -> tuple[str, int, int, str]:
    return query.origin, query.line, query.column, query.sql
