"""The fragment model's variables, and its rows with the limit of the problem that each is of."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf

from placement.pricing import Option, options
from placement.problem import PlacementProblem
from placement.programs.solver import SOLVER_TOLERANCE, Answer, Program, Variable
from workloads.indexes import NamedIndex

Number = int | float
Terms = list[tuple[Variable, Number]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """One limit of a problem: of a store, of a table in a store, of tables, of a query, of all.

    `kind` is that of its constraint (`Constraint.kind`). `subject` names what it is of: (store,),
    (table, store), tables in the problem's order, (query,), ().
    """

    kind: str
    subject: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A sum of variables times coefficients, between two bounds, in the limit's own units.

    `unit` is what the solver sees as 1. `tolerance` is by how much the sum may be outside, as
    `check` lets it: 0 for whole bytes and counts, which the solver's own tolerance would not keep.
    `reach` bounds the sum's distance from 0 where the sum of the coefficients does not, or says
    too much. `by_shares`: it is of fragments, which a model may run by shares; whether it holds
    then is left to how the query is routed.
    """

    limit: Limit
    terms: Sequence[tuple[Variable, Number]]
    at_least: Number = -inf
    at_most: Number = inf
    unit: float = 1.0
    tolerance: float = 0.0
    reach: float | None = None
    by_shares: bool = False

    def scaled(self) -> "Row":
        """Return the row in its unit, as the solver is given it: with what the tolerance allows.

        The solver's own tolerance is a part of that.
        """
        beyond = max(0.0, self.tolerance - SOLVER_TOLERANCE * self.unit)
        return replace(
            self,
            terms=[(variable, coefficient / self.unit) for variable, coefficient in self.terms],
            at_least=(self.at_least - beyond) / self.unit,
            at_most=(self.at_most + beyond) / self.unit,
            reach=None if self.reach is None else self.reach / self.unit,
            unit=1.0,
            tolerance=SOLVER_TOLERANCE,
        )

    def total(self, chosen: Collection[Variable]) -> Number:
        """Return the sum where the variables `chosen` are 1 and all others 0."""
        return sum(coefficient for variable, coefficient in self.terms if variable in chosen)

    def kept(self, total: Number) -> bool:
        """Whether a sum of `total` is within the bounds."""
        return self.at_least - self.tolerance <= total <= self.at_most + self.tolerance


@dataclass(frozen=True, slots=True, kw_only=True)
class FragmentModel:
    """A program and its variables.

    `held` is x: (table, store) → variable. `run` is z: query → its options with a variable each.
    `slowest`: query → the seconds of its slowest store, under the objective "latency" alone.
    `indexed`: (index, store) → variable, of those that may be chosen, and `saved` what they save: a
    query, the seconds of one execution, a variable for the share. `helpers` are binary variables
    that only rows of constraints have.
    `rows` are those added with the limit that they are of.
    """

    program: Program
    held: Mapping[tuple[str, str], Variable]
    run: Mapping[str, Sequence[tuple[Option, Variable]]]
    slowest: Mapping[str, Variable] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    indexed: dict[tuple[NamedIndex, str], Variable] = field(default_factory=dict)
    saved: list[tuple[str, float, Variable]] = field(default_factory=list)
    helpers: list[Variable] = field(default_factory=list)

    def helper(self) -> Variable:
        """Add a binary variable for a constraint's own rows, and return it."""
        self.helpers.append(self.program.binary())
        return self.helpers[-1]

    def row(self, row: Row) -> None:
        """Add a row."""
        self.rows.append(row)
        add_row(self.program, row)

    def binding(self, row: Row) -> bool:
        """Whether a solution of this model that breaks `row` is none."""
        return not row.by_shares

    def placement(self, problem: PlacementProblem, answer: Answer) -> Mapping[str, tuple[str, ...]]:
        """Return table → stores, sorted, in the problem's order."""
        names = sorted(store.name for store in problem.stores)
        return {
            table: tuple(name for name in names if answer.chosen(self.held[table, name]))
            for table in problem.table_bytes
        }

    def indexes(self, answer: Answer) -> Mapping[str, frozenset[NamedIndex]]:
        """Return store → the indexes that are chosen for it."""
        found: dict[str, set[NamedIndex]] = {}
        for (index, store), variable in self.indexed.items():
            if answer.chosen(variable):
                found.setdefault(store, set()).add(index)
        return {store: frozenset(indexes) for store, indexes in found.items()}

    def cut_broken(self, answer: Answer) -> bool:
        """Forbid what breaks a row beyond its tolerance; return whether anything does.

        The solver keeps rows up to its own tolerance, a store its capacity to the byte.
        """
        binary = {*self.held.values(), *self.indexed.values(), *self.helpers}
        binary.update(variable for run in self.run.values() for _, variable in run)
        chosen = {variable for variable in binary if answer.chosen(variable)}
        broken = [
            row
            for row in self.rows
            if self.binding(row)
            and binary.issuperset(variable for variable, _ in row.terms)
            and not row.kept(row.total(chosen))
        ]
        for row in broken:
            if row.total(chosen) > row.at_most and all(value >= 0 for _, value in row.terms):
                terms, at_most = _cover_cut(row, chosen)
                self.program.row(terms, at_most=at_most)
                continue
            inside = [variable for variable, _ in row.terms if variable in chosen]
            outside = [variable for variable, _ in row.terms if variable not in chosen]
            terms = [*((each, 1.0) for each in inside), *((each, -1.0) for each in outside)]
            self.program.row(terms, at_most=len(inside) - 1.0)
        return bool(broken)


def _cover_cut(
    row: Row, chosen: Collection[Variable]
) -> tuple[list[tuple[Variable, Number]], Number]:
    """Return the terms and upper bound of a cut by a minimal cover of a broken row.

    A cover is a set whose coefficients, of which none is negative, are too much together; it is
    minimal if all without its smallest are not (Balas: Facets of the Knapsack Polytope, 1975).
    Beside those of its members that are more than half of the bound, which are taken to be 1, as
    many of all variables that are at least as large as its largest other member are too much, too.
    """
    cover = sorted(
        ((variable, value) for variable, value in row.terms if variable in chosen and value > 0),
        key=lambda term: (-term[1], term[0]),
    )
    most_kept = row.at_most + row.tolerance
    while sum(value for _, value in cover[:-1]) > most_kept:
        cover.pop()
    large = [variable for variable, value in cover if value > row.at_most / 2]
    others = {variable: value for variable, value in cover if variable not in large}
    if not others:
        return [(variable, 1.0) for variable, _ in cover], len(cover) - 1.0
    largest = max(others.values())
    alike = [
        variable
        for variable, value in row.terms
        if variable in others or (variable not in large and value >= largest)
    ]
    most = len(others) - 1.0
    # Where one of the large ones is 0 nothing is said: all may be 1.
    slack = len(alike) - most
    terms = [*((each, 1.0) for each in alike), *((each, slack) for each in large)]
    return terms, most + slack * len(large)


def add_row(program: Program, row: Row) -> None:
    """Add a row to a program, as the solver is given it."""
    given = row.scaled()
    program.row(given.terms, at_least=given.at_least, at_most=given.at_most)


def variables(
    problem: PlacementProblem,
    whole: Collection[str] = (),
    placement: Mapping[str, tuple[str, ...]] | None = None,
    *,
    offered: Mapping[str, Sequence[Option]] | None = None,
    loose: Collection[str] = (),
) -> FragmentModel:
    """Return a model without constraints: x binary, z in [0, 1], binary for queries in `whole`.

    With a `placement`, x is fixed to it for the tables that it has, and z are the options that it
    allows, or those `offered`. Tables that are `loose` have x in [0, 1].
    """
    program = Program()
    everywhere = tuple(store.name for store in problem.stores)
    fixed = placement or {}
    allowed = {table: fixed.get(table, everywhere) for table in problem.table_bytes}
    held = {
        (table, store.name): program.continuous(1.0) if table in loose else program.binary()
        for table in problem.table_bytes
        for store in problem.stores
    }
    for (table, store), variable in held.items():
        if table in fixed:
            program.fix(variable, float(store in fixed[table]))
    run = {
        query.name: [
            (option, program.binary() if query.name in whole else program.continuous(1.0))
            for option in (
                options(problem, query, allowed) if offered is None else offered[query.name]
            )
        ]
        for query in problem.queries
    }
    slowest = {}
    if problem.objective == "latency":
        slowest = {query.name: program.continuous() for query in problem.queries}
    return FragmentModel(program=program, held=held, run=run, slowest=slowest)


def everything_whole(problem: PlacementProblem) -> bool:
    """Whether queries have to be run by whole fragments for the bound to be worth anything.

    Shares of fragments level out the stores under "latency", and fill a budget to the brim.
    """
    return problem.objective == "latency" or problem.constraints.max_money is not None
