"""The statements that count as workload."""

from collections.abc import Sequence
from dataclasses import dataclass

from workloads.counting.facts import Facts
from workloads.counting.filters import Filters, Left
from workloads.counting.own import ALIAS, recognised
from workloads.counting.seen import Seen


@dataclass(frozen=True, slots=True, kw_only=True)
class Counting:
    """The filters, if any is set, and the schemas or databases of the advisor's copies."""

    filters: Filters | None = None
    namespaces: Sequence[str] = (ALIAS,)

    def left_out(
        self,
        sql: str,
        facts: Facts,
        seconds: float | None,
        seen: Seen,
        source: str = "the record",
    ) -> Left | None:
        """Return why an execution does not count, None if it does; `seen` gets what filters met.

        `seconds` is what it took, `source` is what lacks the facts that it has not.
        """
        if self.filters is not None:
            left = self.filters.left_out(facts, seconds, seen, source)
            if left is not None:
                return left
        return recognised(sql, facts, self.namespaces)


EVERYTHING = Counting()
"""All but what is recognised as no work of the users'."""
