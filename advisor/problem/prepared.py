"""All that plans of a project are made from, each part built once."""

from dataclasses import dataclass

from advisor.analysis.analysis import Analysis
from advisor.problem.rates import Rates
from advisor.project.project import Project
from placement.plan import PlacementPlan
from placement.problem import PlacementProblem
from workloads.errors import ConfigurationError


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A project with its analysis, its rates, and the placement problem that they make."""

    project: Project
    analysis: Analysis
    rates: Rates
    problem: PlacementProblem

    def refuse_foreign(self, plan: PlacementPlan) -> None:
        """Raise ConfigurationError where a plan is of other tables or stores than the project."""
        stores = {store.name for store in self.problem.stores}
        foreign = sorted(
            (plan.placement.keys() ^ self.problem.table_bytes.keys())
            | ({store for held in plan.placement.values() for store in held} - stores)
        )
        if foreign:
            raise ConfigurationError(
                f"The plan '{plan.strategy}' is not one of {self.project.file.name}: it differs in "
                f"{', '.join(foreign[:3])}. Make it again with 'advisor place'."
            )
