"""Parameters of a plan's cost that may be wrong: rates of stores and engine, executions."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from placement.access_paths import CHOOSING_RATES
from placement.plan import PlacementPlan
from placement.pricing import options
from placement.problem import PlacementProblem
from placement.reasons.variations import ENGINE, ENGINE_RATES, STORE_RATES, rate_of, with_rate

WIDEST = 16.0
"""The factor up to which figures are taken to be larger, and smaller, than they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A rate of a store or of the engine (`owner`), or the executions of a query.

    `key` is the rate's name, or 'executions'. Any plan's cost is linear in what `scaled` scales
    it by, while its stores read by the same scans and indexes: in the figure itself where it is
    seconds or executions, in its inverse where it is work a second.
    """

    owner: str
    key: str
    value: float

    @property
    def name(self) -> str:
        """Return a name such as ``pg.scan_bytes_per_s``."""
        return f"{self.owner}.{self.key}"

    @property
    def inverse(self) -> bool:
        """Whether twice the figure is half the cost."""
        return self.key.endswith("_per_s")

    def times(self, factor: float) -> float:
        """Return what the work is to be multiplied by if the figure is `factor` times as large."""
        return 1 / factor if self.inverse else factor

    def scaled(self, problem: PlacementProblem, times: float) -> PlacementProblem:
        """Return the problem with `times` the seconds where this figure is what they come from."""
        value = self.value / times if self.inverse else self.value * times
        if self.key != "executions":
            return with_rate(problem, self.owner, self.key, value)
        queries = tuple(
            replace(query, executions=value) if query.name == self.owner else query
            for query in problem.queries
        )
        return replace(problem, queries=queries)


def rates(problem: PlacementProblem) -> tuple[Parameter, ...]:
    """Return the rates that some plan's cost depends on, store by store, and the engine's."""
    named = [(store.name, key) for store in problem.stores for key in STORE_RATES]
    named += [(ENGINE, key) for key in ENGINE_RATES]
    found = (
        Parameter(owner=owner, key=key, value=value)
        for owner, key in named
        if (value := rate_of(problem, owner, key)) is not None
    )
    before_s = _everything_s(problem)
    return tuple(each for each in found if each.value and _counts(problem, each, before_s))


def _counts(problem: PlacementProblem, parameter: Parameter, before_s: float) -> bool:
    """Tell whether something costs more with twice the work, or begins to be read by an index."""
    times = (2.0, 1 / WIDEST) if parameter.key in CHOOSING_RATES else (2.0,)
    return any(_everything_s(parameter.scaled(problem, each)) != before_s for each in times)


def costliest(problem: PlacementProblem, plan: PlacementPlan, most: int) -> tuple[str, ...]:
    """Return the names of the `most` queries that take the largest part of the plan's seconds."""
    ordered = sorted(problem.queries, key=lambda q: -q.executions * plan.query_s(q.name))
    return tuple(query.name for query in ordered[:most])


def executions(problem: PlacementProblem, names: Iterable[str]) -> tuple[Parameter, ...]:
    """Return the executions of the queries named."""
    return tuple(
        Parameter(owner=name, key="executions", value=problem.query(name).executions)
        for name in names
    )


def _everything_s(problem: PlacementProblem) -> float:
    """Return the seconds of all that may be run and kept, once: what no plan depends on is not in.

    More work, or less, changes all terms one way, so that an equal sum is equal terms.
    """
    copies_s = sum(
        problem.copy_s(table, store) for table in problem.table_bytes for store in problem.stores
    )
    return copies_s + sum(
        option.cost_s for query in problem.queries for option in options(problem, query)
    )
