"""Tables that belong together."""

from collections.abc import Iterator

from placement.constraints.breach import Breach, Floats, OfStores, memberships
from placement.constraints.constraint import Broken, Constraint, Placement, Routing
from placement.constraints.quantities import ordered, tables_or_tag
from placement.problem import PlacementProblem
from placement.programs.variables import FragmentModel, Limit, Row


class Together(Constraint):
    """Tables that belong together are in the same stores."""

    kind = "together"

    def add(self, model: FragmentModel, problem: PlacementProblem) -> None:
        """Add a row for each table beyond the first of its set, and each store."""
        for tables in problem.constraints.together:
            first, *others = ordered(problem, tables)
            for store in problem.stores:
                held = model.held[first, store.name]
                for other in others:
                    terms = [(model.held[other, store.name], 1), (held, -1)]
                    limit = self.limit(first, *others)
                    model.row(Row(limit=limit, terms=terms, at_least=0, at_most=0))

    def broken(
        self, problem: PlacementProblem, placement: Placement, routing: Routing
    ) -> Iterator[Broken]:
        """Yield the tables that are not where the first of their set is."""
        for tables in problem.constraints.together:
            first, *others = ordered(problem, tables)
            for other in others:
                here, there = placement.get(first, ()), placement.get(other, ())
                if set(here) != set(there):
                    yield Broken(
                        limit=self.limit(first, *others),
                        sentence=f"Tables '{first}' and '{other}' belong together, and are in "
                        f"{', '.join(here) or 'none'} and in {', '.join(there) or 'none'}: place "
                        f"both in the same stores, or take one out of [constraints].together.",
                    )

    def breach(self, problem: PlacementProblem) -> Breach | None:
        """Return the stores that have some tables of a set and lack others."""
        sets = problem.constraints.together
        if not sets:
            return None
        weights = memberships(problem, sets)
        whole = weights.sum(axis=1)[:, None, None]

        def parted(there: Floats) -> Floats:
            number: Floats = ((there > 0) & (there < whole)).sum(axis=(0, 1)).astype(float)
            return number

        return OfStores(weights=weights, too_much=parted)

    def name(self, problem: PlacementProblem, limit: Limit) -> str:
        """Return the key with the tables, or their tag."""
        return f"{self.key(limit)} of {tables_or_tag(problem, limit.subject)}"
