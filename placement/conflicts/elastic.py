"""The model of a problem whose limits may be broken or passed: to find out why nothing fits."""

from dataclasses import dataclass, field, replace
from math import inf

from placement.constraints import CONSTRAINTS
from placement.constraints.queries import Queries
from placement.pricing import able
from placement.problem import PlacementProblem, QueryProblem
from placement.programs.solver import Answer, Variable
from placement.programs.variables import (
    FragmentModel,
    Limit,
    Number,
    Row,
    add_row,
    variables,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Elastic(FragmentModel):
    """A model of which all limits but those in `hard` may be broken; None is all of them.

    `broken`: a limit → whether it may be. `free` may be passed by any amount, all of its rows by
    the same number of their units: `by`. `run_anyway` are queries that any placement can run.
    """

    hard: frozenset[Limit] | None
    free: Limit | None
    by: Variable
    run_anyway: frozenset[str]
    broken: dict[Limit, Variable] = field(default_factory=dict)

    def row(self, row: Row) -> None:
        """Add a row that holds unless its limit is broken."""
        self.rows.append(row)
        if row.limit == self.free:
            self._stretch(row)
        elif self.binding(row):
            add_row(self.program, row)
        else:
            self._switch(row)

    def binding(self, row: Row) -> bool:
        """Whether the limit of a row has to hold."""
        if row.limit == self.free:
            return False
        return self.hard is None or row.limit in self.hard or self._background(row.limit)

    def passed(self, answer: Answer) -> frozenset[Limit]:
        """Return the limits of which a row is broken by more than its tolerance."""
        return frozenset(
            row.limit
            for row in self.rows
            if not row.kept(self.total(row, answer)) and not self._background(row.limit)
        )

    def total(self, row: Row, answer: Answer) -> Number:
        """Return a row's sum, with whole numbers for variables that are binary."""
        continuous = set(self.slowest.values())
        return sum(
            value * (answer[each] if each in continuous else round(answer[each]))
            for each, value in row.terms
        )

    def _background(self, limit: Limit) -> bool:
        """Whether a limit is none that could conflict: the query runs wherever its tables are."""
        return limit.kind == Queries.kind and limit.subject[0] in self.run_anyway

    def _stretch(self, row: Row) -> None:
        given = row.scaled()
        if given.at_most < inf:
            self.program.row([*given.terms, (self.by, -1.0)], at_most=given.at_most)
        if given.at_least > -inf:
            self.program.row([*given.terms, (self.by, 1.0)], at_least=given.at_least)

    def _switch(self, row: Row) -> None:
        if row.limit not in self.broken:
            self.broken[row.limit] = self.program.binary()
        broken = self.broken[row.limit]
        given = row.scaled()
        terms, at_least, at_most = given.terms, given.at_least, given.at_most
        highest = sum(max(0.0, value) for _, value in terms)
        if given.reach is not None:
            highest = given.reach
        lowest = sum(min(0.0, value) for _, value in terms)
        if highest > at_most:
            self.program.row([*terms, (broken, at_most - highest)], at_most=at_most)
        if lowest < at_least:
            self.program.row([*terms, (broken, at_least - lowest)], at_least=at_least)


def elastic(
    problem: PlacementProblem, hard: frozenset[Limit] | None, free: Limit | None = None
) -> Elastic:
    """Return a model of the problem, with those queries that can make it infeasible."""
    anyway = frozenset(query.name for query in problem.queries if _runs_anyway(problem, query))
    priced = problem.constraints.max_money is not None and any(
        store.prices.transfer_gb for store in problem.stores
    )
    needed = tuple(
        query
        for query in problem.queries
        if priced or query.name in problem.constraints.latency_s or query.name not in anyway
    )
    asked = replace(problem, queries=needed)
    plain = variables(asked, whole={query.name for query in needed})
    model = Elastic(
        program=plain.program,
        held=plain.held,
        run=plain.run,
        slowest=plain.slowest,
        hard=hard,
        free=free,
        by=plain.program.continuous(),
        run_anyway=anyway,
    )
    for constraint in CONSTRAINTS:
        constraint.add(model, asked)
    return model


def limits_of(problem: PlacementProblem) -> tuple[Limit, ...]:
    """Return the limits of a problem that can conflict, in its order."""
    model = elastic(problem, frozenset())
    return tuple(
        dict.fromkeys(
            row.limit
            for row in model.rows
            if row.limit.kind != Queries.kind or row.limit.subject[0] not in model.run_anyway
        )
    )


def _runs_anyway(problem: PlacementProblem, query: QueryProblem) -> bool:
    """Whether every store can read every source of the query alone."""
    read: dict[str, set[str]] = {source: set() for source in query.sources}
    for fragment in query.fragments:
        if len(fragment.sources) == 1:
            stores = (store.name for store in problem.stores if able(store, fragment))
            read[fragment.sources[0]].update(stores)
    return all(len(stores) == len(problem.stores) for stores in read.values())
