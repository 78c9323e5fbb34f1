"""Queries that have to be run."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from placement.constraints.constraint import Broken, Constraint, Placement, Routing
from placement.problem import PlacementProblem, QueryProblem
from placement.programs.solver import Variable
from placement.programs.variables import FragmentModel, Limit, Row, Terms


class Queries(Constraint):
    """Every query is run by fragments that cover its sources, where their tables are."""

    kind = "queries"

    def add(self, model: FragmentModel, problem: PlacementProblem) -> None:
        """Add what makes a routing of the model's variables."""
        add_cover(model, problem)
        add_link(model, problem)
        add_overlap(model, problem)

    def broken(
        self, problem: PlacementProblem, placement: Placement, routing: Routing
    ) -> Iterator[Broken]:
        """Yield nothing: a query that cannot be run has no plan, and `check` reads the routing."""
        return iter(())

    def name(self, problem: PlacementProblem, limit: Limit) -> str:
        """Return the query with what it needs: no key sets it."""
        return f"query '{limit.subject[0]}', which needs stores that can run it"


def add_cover(model: FragmentModel, problem: PlacementProblem) -> None:
    """Every source of a query is covered by exactly one fragment in one store."""
    for query in problem.queries:
        limit = Queries.limit(query.name)
        covering: dict[str, Terms] = {source: [] for source in query.sources}
        for option, variable in model.run[query.name]:
            for source in option.fragment.sources:
                covering[source].append((variable, 1))
        for terms in covering.values():
            model.row(Row(limit=limit, terms=terms, at_least=1, at_most=1, by_shares=True))


def add_link(model: FragmentModel, problem: PlacementProblem) -> None:
    """A source is covered in a store only if the store holds its table."""
    for query in problem.queries:
        table_of = _table_of_source(query)
        covering: dict[tuple[str, str], list[tuple[Variable, float]]] = defaultdict(list)
        for option, variable in model.run[query.name]:
            for source in option.fragment.sources:
                covering[source, option.store].append((variable, 1.0))
        for (source, store), terms in covering.items():
            held = model.held[table_of[source], store]
            model.program.row([*terms, (held, -1.0)], at_most=0.0)


def add_overlap(model: FragmentModel, problem: PlacementProblem) -> None:
    """A query's slowest store takes at least what its fragments in each store take together."""
    if problem.objective != "latency":
        return
    for query in problem.queries:
        slowest = model.slowest[query.name]
        in_store: dict[str, list[tuple[Variable, float]]] = defaultdict(list)
        for option, variable in model.run[query.name]:
            in_store[option.store].append((variable, option.cost_s - option.engine_s))
        for terms in in_store.values():
            model.program.row([*terms, (slowest, -1.0)], at_most=0.0)


def _table_of_source(query: QueryProblem) -> Mapping[str, str]:
    """Return source → table, read off the fragments of a single source that every source has."""
    return {
        fragment.sources[0]: next(iter(fragment.tables))
        for fragment in query.fragments
        if len(fragment.sources) == 1
    }
