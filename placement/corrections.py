"""Corrections of prices: measured seconds over those that the cost formula predicts.

They are data of a problem, and of a plan that was made with them.
`evaluation.measuring.corrections` makes them of measurements.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from placement.fragment import Fragment, members


@dataclass(frozen=True, slots=True, kw_only=True)
class Factors:
    """Measured over predicted seconds of a fragment in a store, without a unit.

    `work` is of what the store computes and hands over. `rest` is of the start, of the keys that
    are sent, and of the engine's work.
    """

    work: float = 1.0
    rest: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrections:
    """The factors of all prices.

    `measured`: store → name of a fragment → its factors, where it was measured in that store. The
    work of others has the factor of its query in that store (`queries`: store → query → factor), if
    other fragments of the query were measured there, else that of the store (`stores`), else 1.
    `rest` is the factor of their rest.
    """

    measured: Mapping[str, Mapping[str, Factors]] = field(default_factory=dict)
    queries: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    stores: Mapping[str, float] = field(default_factory=dict)
    rest: float = 1.0

    def factors(self, fragment: Fragment, store: str) -> Factors:
        """Return the factors of a fragment in a store."""
        known = self.measured.get(store, {}).get(read_as(fragment))
        if known is not None:
            return known
        of_store = self.stores.get(store, 1.0)
        of_query = self.queries.get(store, {}).get(fragment.query, of_store)
        return Factors(work=of_query, rest=self.rest)

    @property
    def number(self) -> int:
        """Return how many fragments were measured, in each store that they were measured in."""
        return sum(len(fragments) for fragments in self.measured.values())


def read_as(fragment: Fragment) -> str:
    """Return the name of the fragment whose rows are read: another's where they are the same."""
    first = members(fragment)[0]
    return first.name if first.reduction.repeats is None else first.reduction.repeats
