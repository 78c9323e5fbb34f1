"""The one door to OR-Tools: mixed-integer programs, solved by HiGHS through MathOpt.

HiGHS proves the fragment model of TPC-DS in seconds, where CP-SAT does not in a minute.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum
from math import inf
from typing import Any

RELATIVE_GAP = 1e-7
"""Where the solver stops: well inside the 1e-6 up to which a plan may call itself OPTIMAL."""
SHORTEST_S = 0.1

Variable = Any
"""A variable of a program; OR-Tools has no types."""


class Status(Enum):
    """How a search ended; STOPPED is by its time limit, with or without values."""

    SOLVED = "solved"
    STOPPED = "stopped"
    INFEASIBLE = "infeasible"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The best values found, None if none were, and the bound on the minimum."""

    status: Status
    bound: float
    values: Any = None

    def __getitem__(self, variable: Variable) -> float:
        return float(self.values[variable])

    def chosen(self, variable: Variable) -> bool:
        """Whether a binary variable is 1."""
        return self[variable] > 0.5  # noqa: PLR2004


class Program:
    """A linear program with binary variables, whose objective is minimised."""

    def __init__(self) -> None:
        from ortools.math_opt.python import mathopt

        self._model = mathopt.Model()

    def binary(self) -> Variable:
        """Return a new variable that is 0 or 1."""
        return self._model.add_binary_variable()

    def continuous(self, upper: float = inf) -> Variable:
        """Return a new variable between 0 and `upper`."""
        return self._model.add_variable(lb=0.0, ub=upper)

    def fix(self, variable: Variable, value: float) -> None:
        """Leave `variable` no other value."""
        variable.lower_bound = variable.upper_bound = value

    def price(self, variable: Variable, cost: float) -> None:
        """Set what one unit of `variable` costs."""
        self._model.objective.set_linear_coefficient(variable, cost)

    def row(
        self,
        terms: Iterable[tuple[Variable, float]],
        *,
        at_least: float = -inf,
        at_most: float = inf,
    ) -> None:
        """Bound the sum of variables times coefficients; a variable may be in it once."""
        constraint = self._model.add_linear_constraint(lb=at_least, ub=at_most)
        for variable, coefficient in terms:
            constraint.set_coefficient(variable, coefficient)

    def solve(self, *, seed: int, time_limit_s: float) -> Answer:
        """Minimise. Equal seeds give equal answers, unless the time limit ends the search."""
        from ortools.math_opt.python import mathopt
        from ortools.math_opt.solvers import highs_pb2

        parameters = mathopt.SolveParameters(
            time_limit=timedelta(seconds=max(SHORTEST_S, time_limit_s)),
            random_seed=seed,
            relative_gap_tolerance=RELATIVE_GAP,
            absolute_gap_tolerance=0.0,
            # MathOpt refuses its own `threads` for HiGHS; one thread keeps the search repeatable.
            highs=highs_pb2.HighsOptionsProto(int_options={"threads": 1}),
        )
        result = mathopt.solve(self._model, mathopt.SolverType.HIGHS, params=parameters)
        reason = result.termination.reason
        if reason in (
            mathopt.TerminationReason.INFEASIBLE,
            mathopt.TerminationReason.INFEASIBLE_OR_UNBOUNDED,
        ):
            return Answer(status=Status.INFEASIBLE, bound=inf)
        found = result.has_primal_feasible_solution()
        optimal = reason is mathopt.TerminationReason.OPTIMAL
        return Answer(
            status=Status.SOLVED if optimal else Status.STOPPED,
            bound=result.termination.objective_bounds.dual_bound,
            values=result.variable_values() if found else None,
        )
