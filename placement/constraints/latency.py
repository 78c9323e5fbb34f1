"""Ceilings on the seconds of single queries."""

from collections.abc import Iterator

import numpy as np

from placement.constraints.breach import Floats
from placement.constraints.constraint import Bounded, Broken, Placement, Routing
from placement.constraints.quantities import dearest_cover
from placement.constraints.usage import Unit, Usage
from placement.plan import PlacementPlan
from placement.pricing import query_seconds
from placement.problem import LIMIT_TOLERANCE, PlacementProblem
from placement.programs.variables import FragmentModel, Limit, Number, Row, Terms


class Latency(Bounded):
    """One execution of a query with a ceiling takes at most so many seconds."""

    kind = "latency_s"
    unit = Unit.SECONDS

    def add(self, model: FragmentModel, problem: PlacementProblem) -> None:
        """Add a row for each query with a ceiling."""
        for query in problem.queries:
            ceiling_s = problem.constraints.latency_s.get(query.name)
            if ceiling_s is None:
                continue
            run = model.run[query.name]
            if query.name in model.slowest:
                terms: Terms = [(variable, option.engine_s) for option, variable in run]
                terms.append((model.slowest[query.name], 1.0))
            else:
                terms = [(variable, option.cost_s) for option, variable in run]
            model.row(
                Row(
                    limit=self.limit(query.name),
                    terms=terms,
                    at_most=ceiling_s,
                    unit=ceiling_s or 1.0,
                    tolerance=LIMIT_TOLERANCE * ceiling_s,
                    reach=dearest_cover(query, ((o.fragment.sources, o.cost_s) for o, _ in run)),
                    by_shares=True,
                )
            )

    def broken(
        self, problem: PlacementProblem, placement: Placement, routing: Routing
    ) -> Iterator[Broken]:
        """Yield the queries that take longer."""
        for query in problem.queries:
            most_s = problem.constraints.latency_s.get(query.name)
            if most_s is None or query.name not in routing:
                continue
            took_s = query_seconds(problem, query, routing[query.name])
            if took_s > most_s * (1 + LIMIT_TOLERANCE):
                yield Broken(
                    limit=self.limit(query.name),
                    sentence=f"Query '{query.name}' takes {took_s:.6g} s, {took_s - most_s:.6g} s "
                    f"over the {most_s:.6g} s allowed: let its tables share a store, or raise "
                    f"[constraints].latency_s of '{query.name}'.",
                )

    def usages(self, problem: PlacementProblem, plan: PlacementPlan) -> Iterator[Usage]:
        """Yield the seconds of each query with a ceiling."""
        for query, ceiling_s in problem.constraints.latency_s.items():
            yield Usage(
                key=self.key(self.limit(query)),
                subject=query,
                used=plan.query_s(query),
                most=ceiling_s,
                unit=self.unit,
            )

    def value(self, problem: PlacementProblem, limit: Limit) -> Number | None:
        """Return the query's ceiling in seconds."""
        return problem.constraints.latency_s[limit.subject[0]]

    def about(self, limit: Limit) -> str:
        """Return the query."""
        return f" of '{limit.subject[0]}'"


def ceilings_s(problem: PlacementProblem) -> Floats:
    """Return (Q): the most seconds of each query, with the tolerance; inf without a ceiling."""
    found = [problem.constraints.latency_s.get(query.name, np.inf) for query in problem.queries]
    return np.array(found, dtype=float) * (1 + LIMIT_TOLERANCE)


def late(ceiling_s: Floats, query_s: Floats) -> Floats:
    """Return (Q by P) how far queries' seconds (Q by P) are over their ceilings (Q).

    It is 1 and the share of the seconds that is too much; 0 where a query cannot be run at all.
    """
    most_s = np.broadcast_to(ceiling_s[:, None], query_s.shape)
    over = np.isfinite(query_s) & (query_s > most_s)
    kept = np.divide(most_s, query_s, out=np.ones(query_s.shape), where=over)
    return np.where(over, 2 - kept, 0.0)
