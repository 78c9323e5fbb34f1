"""A constraint: all that is said of it, wherever it is used."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from placement.constraints.breach import Breach
from placement.constraints.usage import Unit, Usage
from placement.plan import PlacementPlan
from placement.pricing import Routing
from placement.problem import PlacementProblem
from placement.programs.variables import FragmentModel, Limit, Number

__all__ = ["Bounded", "Broken", "Constraint", "Placement", "Routing"]

Placement = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """A limit that a placement or its routing breaks, in a sentence that ends with the way out."""

    limit: Limit
    sentence: str


class Constraint(ABC):
    """One constraint of a problem, which may set any number of limits: they hold or do not.

    `kind` is its key in a project file, and the kind of its limits; `section` is where that is.
    """

    kind: ClassVar[str]
    section: ClassVar[str] = "constraints"

    @abstractmethod
    def add(self, model: FragmentModel, problem: PlacementProblem) -> None:
        """Add the constraint's rows to a model: none where the problem sets no limit."""

    @abstractmethod
    def broken(
        self, problem: PlacementProblem, placement: Placement, routing: Routing
    ) -> Iterator[Broken]:
        """Yield the limits that are broken, without a solver.

        Queries that `routing` lacks break nothing.
        """

    def breach(self, problem: PlacementProblem) -> Breach | None:
        """Return how far placements are over the limits; None where the problem sets none."""
        return None

    def key(self, limit: Limit) -> str:
        """Return where a project file sets one of its limits."""
        return f"[{self.section}].{self.kind}"

    def name(self, problem: PlacementProblem, limit: Limit) -> str:
        """Return one of its limits as messages name it."""
        return self.key(limit)

    @classmethod
    def limit(cls, *subject: str) -> Limit:
        """Return its limit on a subject: see `Limit`."""
        return Limit(kind=cls.kind, subject=subject)


class Bounded(Constraint):
    """A constraint whose limits have values, in a `unit`: they can be used up, and raised."""

    unit: ClassVar[Unit]

    @abstractmethod
    def value(self, problem: PlacementProblem, limit: Limit) -> Number | None:
        """Return the value of one of its limits; None where the problem does not set it."""

    @abstractmethod
    def usages(self, problem: PlacementProblem, plan: PlacementPlan) -> Iterator[Usage]:
        """Yield how much a plan uses of each limit that the problem sets.

        Raises:
            KeyError: The plan is of other queries, tables or stores than the problem.
        """

    def needed(self, problem: PlacementProblem, placement: Placement) -> float | None:
        """Return the value that a placement needs, where the rows' sums do not say it."""
        return None

    def about(self, limit: Limit) -> str:
        """Return which of the limits under its key this is, such as `` of 'q1'``."""
        return ""

    def name(self, problem: PlacementProblem, limit: Limit) -> str:
        """Return one of its limits as messages name it: its key, what it is about, its value."""
        about, value = self.about(limit), self.unit.written(self.value(problem, limit) or 0)
        return f"{self.key(limit)}{about}, {value}" if about else f"{self.key(limit)} of {value}"

    def raised(self, problem: PlacementProblem, limit: Limit, excess: Number) -> str:
        """Return what to raise a limit's key to, rounded up."""
        value = (self.value(problem, limit) or 0) + excess
        to = self.unit.written(value, up=True)
        return f"raise {self.key(limit)}{self.about(limit)} to {to}"
