"""The rows of a fragment model in which indexes may be chosen with the placement.

An index is a binary y beside the copies x. A fragment z in a store reads each of its sources by
one of the indexes at most: shares u, which save seconds. The bound is the solver's, as without.
"""

from collections import defaultdict

from placement.advising.gains import gains, worthwhile
from placement.problem import PlacementProblem
from placement.programs.solver import Variable
from placement.programs.variables import FragmentModel
from workloads.indexes import NamedIndex

Terms = list[tuple[Variable, float]]


def add_indexes(model: FragmentModel, problem: PlacementProblem) -> None:
    """Let a store have the candidate indexes that may pay, where it has a copy of their table."""
    if not problem.candidates:
        return
    program = model.program
    options = {name: [option for option, _ in run] for name, run in model.run.items()}
    for store, candidates in worthwhile(problem, options).items():
        for index in sorted(candidates):
            chosen = program.binary()
            model.indexed[index, store] = chosen
            program.row([(chosen, 1.0), (model.held[index.table, store], -1.0)], at_most=0.0)
    for query in problem.queries:
        read: dict[tuple[str, NamedIndex, str], Terms] = defaultdict(list)
        for option, runs in model.run[query.name]:
            by_source: dict[str, Terms] = defaultdict(list)
            offered = {index for index, store in model.indexed if store == option.store}
            for gain in gains(problem, option, offered):
                reads = program.continuous(1.0)
                model.saved.append((query.name, gain.seconds, reads))
                by_source[gain.source].append((reads, 1.0))
                read[option.store, gain.index, gain.source].append((reads, 1.0))
            for terms in by_source.values():
                program.row([*terms, (runs, -1.0)], at_most=0.0)
        for (store, index, _), terms in read.items():
            program.row([*terms, (model.indexed[index, store], -1.0)], at_most=0.0)


def price_indexes(model: FragmentModel, problem: PlacementProblem, *, unit_s: float) -> None:
    """Price the indexes that are chosen, and what they save queries by their executions."""
    executions = {query.name: query.executions for query in problem.queries}
    for (index, store), chosen in model.indexed.items():
        model.program.price(chosen, problem.index_s(index, problem.store(store)) / unit_s)
    for query, saved_s, reads in model.saved:
        model.program.price(reads, -executions[query] * saved_s / unit_s)
