"""The one door to OR-Tools: mixed-integer programs, solved by HiGHS through MathOpt.

HiGHS proves the fragment model of TPC-DS in seconds, where CP-SAT does not in a minute.
"""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from placement.programs.process_state import kept_interrupts, silenced_output

if TYPE_CHECKING:
    from ortools.math_opt.model_pb2 import ModelProto

RELATIVE_GAP = 1e-7
"""The gap at which the solver stops: well inside the 1e-6 of an OPTIMAL plan."""
SOLVER_TOLERANCE = 1e-7
"""By how much the solver may pass a row. It is HiGHS's for linear programs, and has to be the one
for integers too: with its own 1e-6 there it calls programs infeasible whose rows leave little room.
"""
SHORTEST_S = 0.1
LONGEST_S = 1e7
"""More than three months: as good as no limit, which has no number."""

Variable = int
"""A variable of a program: its column."""


class Status(Enum):
    """The end of a search; STOPPED is by its time limit, with or without values."""

    SOLVED = "solved"
    STOPPED = "stopped"
    INFEASIBLE = "infeasible"


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """Settings of the solver's search.

    Its own heuristics, each a search over a part of the program, are worth their time only where
    no good solution is known: `heuristics`. `strong_branching` solves many programs to choose
    what to branch on. `most_nodes` ends the search alike on every machine.
    """

    heuristics: bool = True
    strong_branching: bool = True
    relative_gap: float = RELATIVE_GAP
    most_nodes: int | None = None

    def integers(self) -> Mapping[str, int]:
        """Return HiGHS's options that are whole numbers."""
        found = {} if self.strong_branching else {"mip_pscost_minreliable": 0}
        if self.most_nodes is not None:
            found["mip_max_nodes"] = self.most_nodes
        return found

    def doubles(self) -> Mapping[str, float]:
        """Return HiGHS's options that are real numbers."""
        found = {"mip_feasibility_tolerance": SOLVER_TOLERANCE}
        if not self.heuristics:
            found["mip_heuristic_effort"] = 0.0
        return found

    def booleans(self) -> Mapping[str, bool]:
        """Return HiGHS's options that are switches."""
        if self.heuristics:
            return {}
        return dict.fromkeys(
            (
                "mip_heuristic_run_rens",
                "mip_heuristic_run_rins",
                "mip_heuristic_run_root_reduced_cost",
            ),
            False,
        )


EVERYTHING = SearchOptions()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The best values found, None if none were, and the bound on the minimum."""

    status: Status
    bound: float
    values: Sequence[float] | None = None

    def __getitem__(self, variable: Variable) -> float:
        if self.values is None:
            raise ValueError("no values were found")
        return self.values[variable]

    def chosen(self, variable: Variable) -> bool:
        """Whether a binary variable is 1."""
        return self[variable] > 0.5  # noqa: PLR2004


class Program:
    """A linear program with binary variables, whose objective is minimised.

    It is kept as columns and rows of numbers and handed to the solver in one piece: a model of
    a million coefficients built object by object takes longer than to solve it.
    """

    def __init__(self) -> None:
        self._upper = array("d")
        self._lower = array("d")
        self._integer = bytearray()
        self._cost = array("d")
        self._row_lower = array("d")
        self._row_upper = array("d")
        self._entry_row = array("q")
        self._entry_variable = array("q")
        self._entry_value = array("d")

    def binary(self) -> Variable:
        """Return a new variable that is 0 or 1."""
        return self._variable(1.0, integer=True)

    def continuous(self, upper: float = inf) -> Variable:
        """Return a new variable between 0 and `upper`."""
        return self._variable(upper, integer=False)

    def fix(self, variable: Variable, value: float) -> None:
        """Leave `variable` no other value."""
        self._lower[variable] = self._upper[variable] = value

    def price(self, variable: Variable, cost: float) -> None:
        """Set what one unit of `variable` costs."""
        self._cost[variable] = cost

    def row(
        self,
        terms: Iterable[tuple[Variable, float]],
        *,
        at_least: float = -inf,
        at_most: float = inf,
    ) -> None:
        """Bound the sum of variables times coefficients; a variable may be in it once."""
        row = len(self._row_lower)
        self._row_lower.append(at_least)
        self._row_upper.append(at_most)
        for variable, coefficient in terms:
            self._entry_row.append(row)
            self._entry_variable.append(variable)
            self._entry_value.append(coefficient)

    def solve(
        self,
        *,
        seed: int,
        time_limit_s: float,
        hint: Mapping[Variable, float] | None = None,
        options: SearchOptions = EVERYTHING,
    ) -> Answer:
        """Minimise. Equal seeds give equal answers, unless the time limit ends the search.

        `hint` is a solution to start from, or a part of one.
        """
        from ortools.math_opt.python import mathopt
        from ortools.math_opt.solvers import highs_pb2

        model = mathopt.Model.from_model_proto(self._proto())
        parameters = mathopt.SolveParameters(
            time_limit=timedelta(seconds=min(LONGEST_S, max(SHORTEST_S, time_limit_s))),
            random_seed=seed,
            relative_gap_tolerance=options.relative_gap,
            absolute_gap_tolerance=0.0,
            # MathOpt refuses its own `threads` for HiGHS; one thread keeps the search repeatable.
            highs=highs_pb2.HighsOptionsProto(
                int_options={"threads": 1, **options.integers()},
                double_options=options.doubles(),
                bool_options=options.booleans(),
            ),
        )
        hints = []
        if hint is not None:
            given = {model.get_variable(each): value for each, value in hint.items()}
            hints.append(mathopt.SolutionHint(variable_values=given))
        with kept_interrupts(), silenced_output():
            result = mathopt.solve(
                model,
                mathopt.SolverType.HIGHS,
                params=parameters,
                model_params=mathopt.ModelSolveParameters(solution_hints=hints),
            )
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
            values=result.variable_values(list(model.variables())) if found else None,
        )

    def _variable(self, upper: float, *, integer: bool) -> Variable:
        self._lower.append(0.0)
        self._upper.append(upper)
        self._integer.append(integer)
        self._cost.append(0.0)
        return len(self._cost) - 1

    def _proto(self) -> "ModelProto":
        """Return the program as MathOpt's message, its entries by row and then by variable."""
        from ortools.math_opt import model_pb2

        proto = model_pb2.ModelProto()
        variables = proto.variables
        variables.ids.extend(range(len(self._cost)))
        variables.lower_bounds.extend(self._lower)
        variables.upper_bounds.extend(self._upper)
        variables.integers.extend(bool(each) for each in self._integer)
        priced = [each for each, cost in enumerate(self._cost) if cost]
        proto.objective.linear_coefficients.ids.extend(priced)
        proto.objective.linear_coefficients.values.extend(self._cost[each] for each in priced)
        rows = proto.linear_constraints
        rows.ids.extend(range(len(self._row_lower)))
        rows.lower_bounds.extend(self._row_lower)
        rows.upper_bounds.extend(self._row_upper)
        row, variable = np.array(self._entry_row), np.array(self._entry_variable)
        order = np.lexsort((variable, row))
        matrix = proto.linear_constraint_matrix
        matrix.row_ids.extend(row[order].tolist())
        matrix.column_ids.extend(variable[order].tolist())
        matrix.coefficients.extend(np.array(self._entry_value)[order].tolist())
        return proto
