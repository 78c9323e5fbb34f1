"""The fragment model: which table lives where, as a mixed-integer program.

Placements x are binary; fragments z are continuous, and the link between them is tight (one row
a source and store), which is what makes the bound of the relaxation strong.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from placement import infeasible
from placement.pricing import Option, options
from placement.problem import PlacementProblem, QueryProblem
from placement.solver import Answer, Program, Status, Variable
from workloads.errors import InfeasibleError

SCALE = 1000.0
"""What the objective is scaled to, so that the solver's absolute tolerances (1e-7) are small."""
INTEGRAL = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Solution:
    """What the solver found out.

    `placement`: table → stores, sorted, in the problem's order; None if the time was too short
    for any. `bound_s`: no feasible plan is cheaper. `proven`: no placement is better, up to the
    solver's tolerance, if the queries in `fractional` are run by shares of several fragments.
    """

    placement: Mapping[str, tuple[str, ...]] | None
    bound_s: float
    proven: bool
    fractional: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class FragmentModel:
    """A program and its variables.

    `held` is x: (table, store) → variable. `run` is z: query → its options with a variable each.
    """

    program: Program
    held: Mapping[tuple[str, str], Variable]
    run: Mapping[str, Sequence[tuple[Option, Variable]]]


def variables(problem: PlacementProblem, whole: Collection[str] = ()) -> FragmentModel:
    """Return a model without constraints: x binary, z in [0, 1], binary for queries in `whole`."""
    program = Program()
    held = {
        (table, store.name): program.binary()
        for table in problem.table_bytes
        for store in problem.stores
    }
    run = {
        query.name: [
            (option, program.binary() if query.name in whole else program.continuous(1.0))
            for option in options(problem, query)
        ]
        for query in problem.queries
    }
    return FragmentModel(program=program, held=held, run=run)


def add_placed(model: FragmentModel, problem: PlacementProblem) -> None:
    """Every table is in at least one store, also one that no query reads."""
    for table in problem.table_bytes:
        copies = [(model.held[table, store.name], 1.0) for store in problem.stores]
        model.program.row(copies, at_least=1.0)


def add_cover(model: FragmentModel, problem: PlacementProblem) -> None:
    """Every source of a query is covered by exactly one fragment in one store."""
    for query in problem.queries:
        covering: dict[str, list[tuple[Variable, float]]] = {s: [] for s in query.sources}
        for option, variable in model.run[query.name]:
            for source in option.fragment.sources:
                covering[source].append((variable, 1.0))
        for terms in covering.values():
            model.program.row(terms, at_least=1.0, at_most=1.0)


def add_link(model: FragmentModel, problem: PlacementProblem) -> None:
    """A source is covered in a store only if the store holds its table."""
    for query in problem.queries:
        table_of = _table_of(query)
        covering: dict[tuple[str, str], list[tuple[Variable, float]]] = defaultdict(list)
        for option, variable in model.run[query.name]:
            for source in option.fragment.sources:
                covering[source, option.store].append((variable, 1.0))
        for (source, store), terms in covering.items():
            held = model.held[table_of[source], store]
            model.program.row([*terms, (held, -1.0)], at_most=0.0)


def add_capacity(model: FragmentModel, problem: PlacementProblem) -> None:
    """The copies in a store fit its capacity (bytes)."""
    for store in problem.stores:
        if store.capacity_bytes is not None:
            shares = [
                (model.held[table, store.name], size / max(1, store.capacity_bytes))
                for table, size in problem.table_bytes.items()
            ]
            model.program.row(shares, at_most=1.0)


def add_pins(model: FragmentModel, problem: PlacementProblem) -> None:
    """A pinned table is in every store that it is pinned to."""
    for table, stores in problem.constraints.pin.items():
        for store in stores:
            model.program.fix(model.held[table, store], 1.0)


def add_exclusions(model: FragmentModel, problem: PlacementProblem) -> None:
    """An excluded table is in none of the stores that it is excluded from."""
    for table, stores in problem.constraints.exclude.items():
        for store in stores:
            model.program.fix(model.held[table, store], 0.0)


def add_copies(model: FragmentModel, problem: PlacementProblem) -> None:
    """A table is in at most `max_copies` stores."""
    most = problem.constraints.max_copies
    for table in problem.table_bytes:
        copies = [(model.held[table, store.name], 1.0) for store in problem.stores]
        model.program.row(copies, at_most=float(most))


CONSTRAINTS: tuple[Callable[[FragmentModel, PlacementProblem], None], ...] = (
    add_placed,
    add_cover,
    add_link,
    add_capacity,
    add_pins,
    add_exclusions,
    add_copies,
)


def add_objective(model: FragmentModel, problem: PlacementProblem) -> float:
    """Minimise fragments by executions, and upkeep by bytes; return seconds per program's unit."""
    unit_s = floor_s(model, problem) / SCALE or 1.0
    for (table, store), variable in model.held.items():
        model.program.price(variable, problem.copy_s(table, problem.store(store)) / unit_s)
    for query in problem.queries:
        for option, variable in model.run[query.name]:
            model.program.price(variable, query.executions * option.cost_s / unit_s)
    return unit_s


def floor_s(model: FragmentModel, problem: PlacementProblem) -> float:
    """Return a simple bound on any plan: each query's dearest source, in its cheapest option.

    One copy of every table is kept up in any plan too, where that is cheapest.
    """
    total_s = sum(
        min(problem.copy_s(table, store) for store in problem.stores)
        for table in problem.table_bytes
    )
    for query in problem.queries:
        cheapest: dict[str, float] = {}
        for option, _ in model.run[query.name]:
            for source in option.fragment.sources:
                cheapest[source] = min(cheapest.get(source, option.cost_s), option.cost_s)
        total_s += query.executions * max(cheapest.values(), default=0.0)
    return total_s


def solve(
    problem: PlacementProblem, *, time_limit_s: float, whole: Collection[str] = ()
) -> Solution:
    """Solve the problem; no query in `whole` is run by shares of fragments.

    Deterministic for a seed, unless the time limit (seconds of wall clock) ends the search.

    Raises:
        InfeasibleError: No placement fits; the message says why, and the way out.
    """
    for reason in infeasible.contradictions(problem):
        raise InfeasibleError(reason)
    model = variables(problem, whole)
    for add in CONSTRAINTS:
        add(model, problem)
    unit_s = add_objective(model, problem)
    floor = floor_s(model, problem)
    while True:
        answer = model.program.solve(seed=problem.seed, time_limit_s=time_limit_s)
        if answer.status is Status.INFEASIBLE:
            raise InfeasibleError(infeasible.overflow(problem, least_overflow(problem)))
        placement = None if answer.values is None else _placement(problem, model, answer)
        # The program's rows hold up to a tolerance, capacities to the byte: tables that are too
        # large by less than the tolerance are cut off, and the search goes on.
        if placement is None or not _cut_overfull(model, problem, placement):
            return Solution(
                placement=placement,
                bound_s=max(floor, answer.bound * unit_s),
                proven=answer.status is Status.SOLVED,
                fractional=_fractional(model, answer),
            )


def least_overflow(problem: PlacementProblem) -> Mapping[str, int]:
    """Return store → bytes over its capacity, in the placement that is least over in all."""
    program = Program()
    model = FragmentModel(
        program=program,
        held={
            (table, store.name): program.binary()
            for table in problem.table_bytes
            for store in problem.stores
        },
        run={},
    )
    for add in (add_placed, add_pins, add_exclusions, add_copies):
        add(model, problem)
    unit = max(1, sum(problem.table_bytes.values())) / SCALE
    for store in problem.stores:
        if store.capacity_bytes is not None:
            over = program.continuous()
            program.price(over, 1.0)
            sizes = [
                (model.held[table, store.name], size / unit)
                for table, size in problem.table_bytes.items()
            ]
            program.row([*sizes, (over, -1.0)], at_most=store.capacity_bytes / unit)
    answer = program.solve(seed=problem.seed, time_limit_s=problem.time_limit_s)
    if answer.values is None:
        return {}
    placement = _placement(problem, model, answer)
    return {
        store: held - capacity
        for store, held, capacity in _loads(problem, placement)
        if held > capacity
    }


def _table_of(query: QueryProblem) -> Mapping[str, str]:
    """Return source → table, read off the fragments of a single source that every source has."""
    return {
        fragment.sources[0]: next(iter(fragment.tables))
        for fragment in query.fragments
        if len(fragment.sources) == 1
    }


def _placement(
    problem: PlacementProblem, model: FragmentModel, answer: Answer
) -> dict[str, tuple[str, ...]]:
    names = sorted(store.name for store in problem.stores)
    return {
        table: tuple(name for name in names if answer.chosen(model.held[table, name]))
        for table in problem.table_bytes
    }


def _loads(
    problem: PlacementProblem, placement: Mapping[str, tuple[str, ...]]
) -> list[tuple[str, int, int]]:
    """Return (store, bytes held, capacity) of every store that has a capacity."""
    sizes = problem.table_bytes
    return [
        (
            store.name,
            sum(size for table, size in sizes.items() if store.name in placement[table]),
            store.capacity_bytes,
        )
        for store in problem.stores
        if store.capacity_bytes is not None
    ]


def _cut_overfull(
    model: FragmentModel, problem: PlacementProblem, placement: Mapping[str, tuple[str, ...]]
) -> bool:
    """Forbid the sets of tables that overfill a store; return whether there were any."""
    overfull = [store for store, held, capacity in _loads(problem, placement) if held > capacity]
    for store in overfull:
        tables = [table for table in problem.table_bytes if store in placement[table]]
        terms = [(model.held[table, store], 1.0) for table in tables]
        model.program.row(terms, at_most=len(tables) - 1.0)
    return bool(overfull)


def _fractional(model: FragmentModel, answer: Answer) -> frozenset[str]:
    if answer.values is None:
        return frozenset()
    return frozenset(
        query
        for query, run in model.run.items()
        if any(INTEGRAL < answer[variable] < 1 - INTEGRAL for _, variable in run)
    )
