"""Constraints of a placement's routing, one function and one sentence each."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping

from placement.problem import LIMIT_TOLERANCE, PlacementProblem, QueryProblem
from placement.programs.solver import Variable
from placement.programs.variables import FragmentModel, Kind, Limit, Row, Terms


def add_cover(model: FragmentModel, problem: PlacementProblem) -> None:
    """Every source of a query is covered by exactly one fragment in one store."""
    for query in problem.queries:
        limit = Limit(kind=Kind.QUERY, subject=(query.name,))
        covering: dict[str, Terms] = {source: [] for source in query.sources}
        for option, variable in model.run[query.name]:
            for source in option.fragment.sources:
                covering[source].append((variable, 1))
        for terms in covering.values():
            model.row(Row(limit=limit, terms=terms, at_least=1, at_most=1))


def add_link(model: FragmentModel, problem: PlacementProblem) -> None:
    """A source is covered in a store only if the store holds its table."""
    for query in problem.queries:
        table_of = table_of_source(query)
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


def add_money(model: FragmentModel, problem: PlacementProblem) -> None:
    """Storage of all copies and transfer out of stores cost at most `max_money` a month."""
    most = problem.constraints.max_money
    if most is None:
        return
    costs, sizes = problem.costs, problem.table_bytes
    stores = {store.name: store for store in problem.stores}
    terms: Terms = [
        (variable, costs.storage_money(sizes[table], stores[store]))
        for (table, store), variable in model.held.items()
    ]
    reach = sum(price for _, price in terms)
    for query in problem.queries:
        run = [
            (each, costs.transfer_money(o.fragment, stores[o.store], query.executions), o)
            for o, each in model.run[query.name]
        ]
        terms += [(variable, price) for variable, price, _ in run]
        reach += _dearest(query, ((o.fragment.sources, price) for _, price, o in run))
    terms = [(variable, price) for variable, price in terms if price]
    unit = most or 1.0
    limit = Limit(kind=Kind.MAX_MONEY)
    tolerance = LIMIT_TOLERANCE * most
    row = Row(limit=limit, terms=terms, at_most=most, unit=unit, tolerance=tolerance, reach=reach)
    model.row(row)


def add_latency(model: FragmentModel, problem: PlacementProblem) -> None:
    """One execution of a query with a ceiling takes at most so many seconds."""
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
                limit=Limit(kind=Kind.LATENCY, subject=(query.name,)),
                terms=terms,
                at_most=ceiling_s,
                unit=ceiling_s or 1.0,
                tolerance=LIMIT_TOLERANCE * ceiling_s,
                reach=_dearest(query, ((o.fragment.sources, o.cost_s) for o, _ in run)),
            )
        )


ROUTING_CONSTRAINTS: tuple[Callable[[FragmentModel, PlacementProblem], None], ...] = (
    add_cover,
    add_link,
    add_overlap,
    add_money,
    add_latency,
)


def add_seconds(model: FragmentModel, problem: PlacementProblem, *, unit_s: float) -> None:
    """Price each query's seconds by its executions, in units of `unit_s` seconds."""
    for query in problem.queries:
        slowest = model.slowest.get(query.name)
        if slowest is not None:
            model.program.price(slowest, query.executions / unit_s)
        for option, variable in model.run[query.name]:
            alone_s = option.cost_s if slowest is None else option.engine_s
            model.program.price(variable, query.executions * alone_s / unit_s)


def table_of_source(query: QueryProblem) -> Mapping[str, str]:
    """Return source → table, read off the fragments of a single source that every source has."""
    return {
        fragment.sources[0]: next(iter(fragment.tables))
        for fragment in query.fragments
        if len(fragment.sources) == 1
    }


def _dearest(query: QueryProblem, priced: Iterable[tuple[tuple[str, ...], float]]) -> float:
    """Return a price that no exact cover of the query exceeds: the dearest share a source."""
    most = dict.fromkeys(query.sources, 0.0)
    for sources, price in priced:
        for source in sources:
            most[source] = max(most[source], price / len(sources))
    return sum(most.values())
